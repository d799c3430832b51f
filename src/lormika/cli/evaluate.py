"""lormika evaluate."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import parameters as p
from lormika.cli.output import Talk
from lormika.errors import InputError

if TYPE_CHECKING:
    from lormika.evaluation import Ledger, Plan, Step
    from lormika.types import Keywords

_WHAT, _HOW_MUCH, _RIVALS = "What is compared", "How much", "Rivals"
_SOME_FAILED, _INTERRUPTED = 3, 130
_MOST_REASONS = 5


def evaluate(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the evaluation.")],
    datasets: Annotated[
        str | None,
        typer.Option(
            help="Of compas, adult, german, covertype, loans; with commas.",
            show_default="the paper's four",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(help="Of svm, tree, lr, mlp, rf; with commas.", show_default="all", rich_help_panel=_WHAT),
    ] = None,
    explainers: Annotated[
        str | None,
        typer.Option(
            help="Of lormika, lormika-other-data, lormika-paper, anchor, lore, dice-random, dice-genetic, nice; or "
            "your function, module:function.",
            show_default="all but nice",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    instances: Annotated[
        int | None,
        typer.Option(help="Predictions to explain, in each setting.", show_default="50", rich_help_panel=_HOW_MUCH),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(help="Runs, each with a seed of its own.", show_default="10", rich_help_panel=_HOW_MUCH),
    ] = None,
    rival_instances: Annotated[
        int | None,
        typer.Option(help="Fewer, for all but lormika.", show_default="as many", rich_help_panel=_HOW_MUCH),
    ] = None,
    rival_runs: Annotated[
        int | None,
        typer.Option(help="Fewer, for all but lormika.", show_default="as many", rich_help_panel=_HOW_MUCH),
    ] = None,
    train_rows: Annotated[
        int | None,
        typer.Option(
            help="Most training rows, which are the background.", show_default="all", rich_help_panel=_HOW_MUCH
        ),
    ] = None,
    common_rows: Annotated[
        int | None,
        typer.Option(help="Generated rows of the common ground.", show_default="5000", rich_help_panel=_HOW_MUCH),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Less than ten minutes: german; tree, lr, rf; few instances and runs; unless you say otherwise.",
            rich_help_panel=_HOW_MUCH,
        ),
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Do explanations again that failed.", rich_help_panel=_HOW_MUCH)
    ] = False,
    baseline_python: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[RIVAL=]PATH",
            help="Interpreter that has the rivals, or one of them; repeatable.",
            show_default="this one",
            rich_help_panel=_RIVALS,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="For each explanation of a rival.",
            show_default="120",
            rich_help_panel=_RIVALS,
        ),
    ] = None,
    random_state: Annotated[
        int | None,
        typer.Option(
            help="Seed of the first run; each further one has the next.", show_default="0", rich_help_panel=_HOW_MUCH
        ),
    ] = None,
    quiet: p.Quiet = False,
) -> None:
    """Repeat the paper's experiments: measure explainers on its data sets and models, and write its tables.

    Begun again, a stopped evaluation goes on where it was; with more data sets, models, explainers, instances or runs,
    they are added to the folder. A function of yours gets the model, the background and a seed, and gives a function
    from a frame of one row to rules, or to pairs of conditions and a class. Exit code 3: some explanations failed.

    For example:

        lormika evaluate --quick --out quick/

        lormika evaluate --out all/ --rival-instances 10 --rival-runs 2 --baseline-python rivals/bin/python

        lormika evaluate --out rows/ --explainers lormika,nice --baseline-python nice=nice/bin/python
    """
    from lormika.evaluation import Ledger, Plan
    from lormika.evaluation import quick as quickly
    from lormika.evaluation.plan import read_interpreters

    values = {
        "datasets": _names(datasets), "models": _names(models), "explainers": _names(explainers),
        "instances": instances, "runs": runs, "rival_instances": rival_instances, "rival_runs": rival_runs,
        "train_rows": train_rows, "common_rows": common_rows, "time_limit": time_limit,
        "baseline_python": None if baseline_python is None else read_interpreters(baseline_python),
        "random_state": random_state,
    }  # fmt: skip
    options: Keywords = {name: value for name, value in values.items() if value is not None}
    plan = quickly(**options) if quick else Plan(**options)
    talk = Talk(quiet)
    interrupted = _work(plan, out, talk, retry_failed=retry_failed)
    ledger = Ledger(out)
    if ledger.cells():
        _write(ledger, talk)
    if interrupted:
        raise typer.Exit(_INTERRUPTED)
    reasons = Counter(reason for cell in plan.cells() for reason in ledger.read(cell).failed)
    if reasons:
        typer.echo(_failures(reasons), err=True)
        raise typer.Exit(_SOME_FAILED)


def _work(plan: Plan, out: Path, talk: Talk, *, retry_failed: bool) -> bool:
    """Work through the plan; whether it was interrupted."""
    from lormika.evaluation import Ledger, evaluate

    if any(":" in name for name in plan.explainers):
        sys.path.insert(0, "")  # the module may lie in the working folder
    done = "no cell"
    try:
        for step in evaluate(plan, out, retry_failed=retry_failed):
            done = f"{step.done} of {step.total} cells"
            talk.say(_line(step))
    except KeyboardInterrupt:
        if not Ledger(out).exists:
            raise
        typer.echo(f"{done} done; the same command goes on", err=True)
        return True
    return False


def _write(ledger: Ledger, talk: Talk) -> None:
    """Tables and figures of all that the folder holds."""
    from lormika.evaluation import make_tables, write_figures, write_tables

    tables = make_tables(ledger)
    paths = write_tables(tables, ledger.path)
    if any(len(table.order) > 1 for table in tables):
        paths += write_tables(make_tables(ledger, shared=True), ledger.path, "shared")
    for path in paths:
        talk.say(f"written: {path}")
    try:
        figures = write_figures(tables, ledger.path / "figures")
    except InputError as error:
        talk.warn(f"no figures: {error}")
    else:
        talk.say(f"written: {len(figures)} figures in {ledger.path / 'figures'}")


def _failures(reasons: Counter[str]) -> str:
    """How many explanations failed, and why."""
    lines = [f"{reasons.total():,} explanations failed (--retry-failed does them again):"]
    lines += [f"  {count:,} x {reason}" for reason, count in reasons.most_common(_MOST_REASONS)]
    if len(reasons) > _MOST_REASONS:
        lines.append(f"  and {len(reasons) - _MOST_REASONS:,} other reasons")
    return "\n".join(lines)


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _line(step: Step) -> str:
    cell = step.cell
    failed = f", {step.failed} failed" if step.failed else ""
    about = "at least" if step.at_least else "about"
    left = "done" if step.done == step.total else f"{about} {_span(step.seconds_left)} left"
    where = f"{cell.dataset} {cell.model} {cell.explainer} run {cell.run + 1}"
    return f"{step.done} of {step.total}: {where}{failed}; {left}"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
