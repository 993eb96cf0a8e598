import json

import pytest

from floorline.paper.sweeps import UCB, PaperRun, Point
from floorline.sweeping.journal import PointJournal

ONE = Point("alpha", UCB, "authors", (0.1, 0.3), 100)
TWO = Point("alpha", UCB, "authors", (0.2,), 100)
ROWS = [["alpha", UCB, 0.1 + 0.2], ["alpha", UCB, 1 / 3]]


@pytest.fixture
def path(tmp_path):
    journal = PointJournal(tmp_path / "points.jsonl", PaperRun())
    journal.add(ONE, ROWS, 1.5)
    journal.add(TWO, ROWS[:1], 2.0)
    return tmp_path / "points.jsonl"


def test_what_is_added_is_there_when_opened_again(path):
    journal = PointJournal(path, PaperRun())
    assert ONE in journal and TWO in journal
    assert journal.rows([TWO, ONE]) == [ROWS[0], *ROWS]
    assert journal.seconds([ONE, TWO]) == 3.5


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_line_cut_off_is_dropped_and_can_be_added_again(path, cut):
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    journal = PointJournal(path, PaperRun())
    assert ONE in journal and TWO not in journal
    journal.add(TWO, ROWS[:1], 2.0)
    assert path.read_bytes() == whole


def test_even_the_first_line_may_be_cut_off(path):
    head = path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(head[:20])
    assert ONE not in PointJournal(path, PaperRun())
    assert path.read_bytes() == head


@pytest.mark.parametrize(
    "other",
    [
        PaperRun(runs=3),
        PaperRun(seed=2),
        PaperRun(boundary="stitched"),
        PaperRun(quick=True),
        PaperRun(device="python"),
    ],
)
def test_results_of_other_settings_are_refused_and_left_alone(path, other):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"^out: .* holds results of other settings \(\w+ .* not"):
        PointJournal(path, other)
    assert path.read_bytes() == before


def test_results_of_another_version_are_refused(path):
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(head) | {"floorline": "0.0.1"}), *lines, ""]))
    with pytest.raises(ValueError, match=r"floorline '0.0.1', not"):
        PointJournal(path, PaperRun())


@pytest.mark.parametrize("text", [b"\xff\xfe\n", b"[1, 2]\n", b"{}\n{}\n", b"no JSON\n"])
def test_a_damaged_journal_is_refused_and_left_alone(path, text):
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"^out: "):
        PointJournal(path, PaperRun())
    assert path.read_bytes() == text


@pytest.mark.parametrize(("seconds", "forced"), [(0.0, 3), (3600.0, 1)])
def test_lines_are_forced_to_disk_now_and_then(tmp_path, monkeypatch, seconds, forced):
    files = []
    monkeypatch.setattr("floorline.sweeping.journal.SYNC_SECONDS", seconds)
    monkeypatch.setattr("floorline.sweeping.journal.os.fsync", files.append)
    journal = PointJournal(tmp_path / "points.jsonl", PaperRun())
    journal.add(ONE, ROWS, 1.5)
    journal.add(TWO, ROWS[:1], 2.0)
    assert len(files) == forced
    assert (tmp_path / "points.jsonl").read_bytes().count(b"\n") == 3
