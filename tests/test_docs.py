"""The pages that people write: how long lines are, how they render, and what they point to.

Links between pages are checked by `make docs`.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import markdown
import pytest
from markdown_it import MarkdownIt
from mkdocs.config import load_config

import floorline

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "floorline"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
WIDTH = 100

NOT_YET_WRAPPED: list[str] = []
"""Pages that others are editing. Empty this list when their work is merged and wrapped."""

NOT_YET_BUILT: list[str] = []
"""Paths of CONTRIBUTING's table that are still to come. Empty this list as they are merged."""

PARTS = [
    "policy",
    "proposer",
    "floor",
    "boundary",
    "environment",
    "engine",
    "ledger backend",
    "CLI command",
    "HTTP endpoint",
    "alert",
    "metric",
]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


LINK = re.compile(r"[\s>*-]*(?:!?\[[^\]]*\]\([^)]*\)|<?https?://\S+)[.,;:]?")
"""A line that is one link."""


def prose(text: str) -> list[str]:
    """The lines that can be wrapped: not those of tables, code, comments or one link alone."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not (fenced or LINK.fullmatch(line) or line.startswith("    ")):
            lines += [] if line.lstrip().startswith(("|", "<")) else [line]
    return lines


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_prose_is_wrapped(page: Path) -> None:
    too_long = [line for line in prose(page.read_text()) if len(line) > WIDTH]
    assert bool(too_long) == (name(page) in NOT_YET_WRAPPED), too_long


def test_long_prose_is_noticed() -> None:
    word, link = "word " * 30, f"[{'word' * 30}](page.md)"
    exempt = f"| {word} |\n```\n{word}\n```\n    {word}\n- {link}"
    assert prose(f"{word}\n{exempt}\n{link}, {word}") == [word, f"{link}, {word}"]


def tags(html: str) -> Counter[str]:
    """How often each kind of element occurs."""
    kinds = r"<(ul|ol|li|table|pre|em|strong|blockquote|h[1-6])\b"
    return Counter(re.findall(kinds, html))


@pytest.fixture(scope="module")
def site() -> markdown.Markdown:
    """Renders as the site does, without what only the whole site knows."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    extensions = [
        extension
        for extension in config.markdown_extensions
        if extension not in ("toc", "pymdownx.highlight", "pymdownx.snippets")
    ]
    return markdown.Markdown(extensions=extensions, extension_configs=config.mdx_configs)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_site_shows_a_page_as_commonmark_does(page: Path, site: markdown.Markdown) -> None:
    """The site's Markdown needs an empty line before a list, and four spaces inside one."""
    text = page.read_text()
    commonmark = MarkdownIt("commonmark").enable("table").render(text)
    same = tags(site.reset().convert(text)) == tags(commonmark)
    assert same or name(page) in NOT_YET_WRAPPED


def test_a_list_without_an_empty_line_is_noticed(site: markdown.Markdown) -> None:
    text = "These:\n- one\n- two"
    assert tags(site.reset().convert(text)) != tags(MarkdownIt("commonmark").render(text))


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT], ids=name)
def test_links_of_pages_outside_the_site_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())
    files = [link for link in links if "://" not in link]
    assert [link for link in files if not (ROOT / link).exists()] == []


def table_of_parts() -> dict[str, str]:
    """The rows of CONTRIBUTING's table, by the part that they are about."""
    section = (ROOT / "CONTRIBUTING.md").read_text().split("## To add a ..., touch ...")[1]
    rows = re.findall(r"^\| ([^|]+?) \|(.*)$", section.split("\n## ")[0], re.MULTILINE)
    return {part: touched for part, touched in rows if part != "to add a"}


def test_contributing_tells_what_to_touch_for_every_part() -> None:
    table = table_of_parts()
    assert list(table) == PARTS
    paths = sorted({path for row in table.values() for path in re.findall(r"`([^`]+)`", row)})
    missing = [
        path
        for path in paths
        if not ((ROOT if path.startswith("tests/") else PACKAGE) / path).exists()
    ]
    assert missing == NOT_YET_BUILT


def test_the_changelog_begins_with_this_version() -> None:
    releases = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert releases[0].startswith(f"[{floorline.__version__}] - ")
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", each) for each in releases)
