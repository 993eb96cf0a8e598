"""`floorline ledger`: verify, export and explain the ledger of a live campaign."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from floorline.cli.ledger_files import LEDGER, in_one_line, reading
from floorline.cli.output_files import out_errors, writing
from floorline.core.words import counted

if TYPE_CHECKING:
    from floorline.live.ledgers import LedgerReader
    from floorline.live.messages import Explanation

app = typer.Typer(
    help="Verify, export and explain the ledger of a live campaign.",
    no_args_is_help=True,
    add_completion=False,
)
OUT = typer.Option(None, help="The file to write; by default standard output.")


@app.command()
def verify(ledger: str = LEDGER) -> None:
    """Replay every event and compare with checksums, snapshots, counts and budgets."""
    from floorline.simulation.progress import progress_bar

    with reading(ledger) as reader:
        total = sum(reader.counts().values())
    with in_one_line(), progress_bar("verifying", total) as tick:
        from floorline.live.verify import verify as check

        report = check(ledger, tick)
    for problem in report.problems[:20]:
        typer.echo(f"problem: {problem}")
    if len(report.problems) > 20:
        typer.echo(f"and {len(report.problems) - 20} more problems")
    erased = f", {counted(report.erased, 'decision')} without key and context"
    typer.echo(f"{report.contents}{erased if report.erased else ''}")
    if report.problems:
        raise typer.Exit(1)
    typer.echo("everything agrees; every decision for a challenger was affordable")


@app.command("export")
def export_command(
    ledger: str = LEDGER,
    format: str = typer.Option("csv", help="csv, jsonl, parquet or vw (Vowpal Wabbit)."),
    out: Path | None = OUT,
    events: bool = typer.Option(
        False, "--events", help="Raw events instead of decisions; as jsonl."
    ),
    table: str = typer.Option(
        "decisions", help="decisions, summary, arms, series, guardrails, changes or settings."
    ),
) -> None:
    """Export decisions with their outcomes, raw events, or a table of the dashboard."""
    from floorline.core.checks import choice
    from floorline.live import export, history
    from floorline.report.facts import read_facts
    from floorline.report.tables import TABLES, encode, refuse_empty_table

    choice("format", format, (*export.FORMATS, "vw"))
    choice("table", table, ("decisions", *TABLES))
    if format == "vw":
        choice("table", table, ("decisions",))
    if events and format != "jsonl":
        raise ValueError("format: must be jsonl for events")
    if format == "parquet" and out is None:
        raise ValueError("out: must be given for parquet")
    if table != "decisions":
        with reading(ledger) as reader:
            facts = read_facts(reader, Path(ledger).stem, time.time())
            refuse_empty_table(table, facts.settings)
            content = encode(TABLES[table](facts), format)
        if out is None:
            typer.echo(content.decode(), nl=False)
        else:
            with out_errors(out):
                out.write_bytes(content)
        return
    with reading(ledger) as reader, writing(out) as stream:
        if events:
            export.write_jsonl(history.events(reader), stream)
        elif format == "vw":
            from floorline.live.logged import logged_data
            from floorline.offpolicy.vowpal import write_vw

            write_vw(logged_data(reader), stream)
        elif format == "parquet":
            export.write_parquet(export.decisions(reader), str(out))
        elif format == "csv":
            export.write_csv(export.decisions(reader), stream)
        else:
            export.write_jsonl(export.decisions(reader), stream)


@app.command()
def show(
    ledger: str = LEDGER,
    ticket: str | None = typer.Option(None, help="Explain this decision."),
) -> None:
    """Explain one decision with the arithmetic of its budget, or show the campaign's status."""
    with reading(ledger) as reader:
        if ticket is None:
            _show_status(reader)
        else:
            from floorline.live.explain import explain

            _show(explain(reader, ticket), _unit(reader))


@app.command("repair-clock")
def repair_clock_command(ledger: str = LEDGER) -> None:
    """Correct the time of a ledger that was written while the clock was ahead.

    Stop its service and correct the clock first. Unless the campaign has ended, this starts a new
    epoch, because windows ended too early; the guarantee holds for the new epoch separately.
    """
    with in_one_line():
        from floorline.live.clock_repair import repair_clock

        ahead = repair_clock(ledger)
    if ahead == 0:
        typer.echo("nothing to repair: the ledger's last event is not ahead of the clock")
    else:
        typer.echo(
            f"set back by {ahead:,.0f} seconds, in a new epoch unless the campaign has ended"
        )


def _show_status(ledger: LedgerReader) -> None:
    from floorline.live.assessment import status_of
    from floorline.live.replay import load

    state = load(ledger)
    status = status_of(ledger.opened().body["id"], state, 0, max(time.time(), state.time))
    typer.echo(status.verdict)
    typer.echo(
        f"campaign {status.id}, {status.state}, epoch {status.epoch}: "
        f"{counted(status.decisions, 'decision')}, {status.pending:,} waiting for a reward"
    )
    unit = "" if state.settings.unit is None else f" {state.settings.unit}"
    for arm in status.arms:
        average = "-" if arm.average is None else f"{arm.average:.4g}"
        typer.echo(
            f"  {arm.name:<20} {arm.plays:>10,} plays  mean {average}, "
            f"interval {arm.lower:.4g} to {arm.upper:.4g}{unit}"
        )
    typer.echo("")
    _print_arithmetic(status.arithmetic)
    typer.echo(f"  guaranteed budget: {status.guaranteed_budget:,.6g}{unit}")


def _print_arithmetic(words: list[str]) -> None:
    """Print the lines, indented below the one that introduces them."""
    introduction, *lines = words
    typer.echo(introduction)
    for line in lines:
        typer.echo(f"  {line}")


def _unit(ledger: LedgerReader) -> str:
    """Return the unit of the rewards, after a space; empty if there is none."""
    unit = ledger.opened().body["settings"].get("unit")
    return "" if unit is None else f" {unit}"


def _show(explanation: Explanation, unit: str) -> None:
    from datetime import UTC, datetime

    record = explanation.record
    when = datetime.fromtimestamp(record.time, UTC).isoformat(sep=" ", timespec="seconds")
    typer.echo(f"Decision {record.ticket}, {when}: {record.arm} ({record.reason})")
    if record.candidate not in (None, record.arm):
        unaffordable = record.reason in ("budget-low", "no-rewards")
        left = f" and would have left {explanation.candidate_budget:.6g}{unit}: not affordable"
        typer.echo(f"{record.candidate} was proposed{left if unaffordable else ''}")
    typer.echo("")
    _print_arithmetic(explanation.arithmetic)
    typer.echo(f"  guaranteed budget: {explanation.guaranteed_budget:,.6g}{unit}")
    reward = "" if record.reward is None else f", reward {record.reward:g}{unit}"
    typer.echo(f"\nSince then: {record.outcome}{reward}")
