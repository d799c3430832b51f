"""lormika evaluate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import parameters as p
from lormika.cli.output import Talk
from lormika.errors import InputError

if TYPE_CHECKING:
    from lormika.evaluation import Plan, Step

_WHAT, _HOW_MUCH, _RIVALS = "What is compared", "How much", "Rivals"


def evaluate(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the evaluation.")],
    datasets: Annotated[
        str, typer.Option(help="Of compas, adult, german, covertype, loans.", rich_help_panel=_WHAT)
    ] = "compas,adult,german,covertype",
    models: Annotated[str, typer.Option(help="Of svm, tree, lr, mlp, rf.", rich_help_panel=_WHAT)] = (
        "svm,tree,lr,mlp,rf"
    ),
    explainers: Annotated[
        str,
        typer.Option(
            help="Of lormika, lormika-other-data, lormika-paper, anchor, lore; or your function, module:function.",
            rich_help_panel=_WHAT,
        ),
    ] = "lormika,lormika-other-data,lormika-paper,anchor,lore",
    instances: Annotated[
        int, typer.Option(help="Predictions to explain, in each setting.", rich_help_panel=_HOW_MUCH)
    ] = (50),
    runs: Annotated[int, typer.Option(help="Runs, each with a seed of its own.", rich_help_panel=_HOW_MUCH)] = 10,
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
        int, typer.Option(help="Generated rows of the common ground.", rich_help_panel=_HOW_MUCH)
    ] = (10_000),
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="About ten minutes: compas, german; tree, rf; unless you say otherwise.",
            rich_help_panel=_HOW_MUCH,
        ),
    ] = False,
    baseline_python: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="Interpreter that has the rivals.", show_default="this one", rich_help_panel=_RIVALS
        ),
    ] = sys.executable,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", help="For each explanation of a rival.", rich_help_panel=_RIVALS)
    ] = 120.0,
    random_state: Annotated[
        int, typer.Option(help="Seed of the first run; each further one has the next.", rich_help_panel=_HOW_MUCH)
    ] = 0,
    quiet: p.Quiet = False,
) -> None:
    """Repeat the paper's experiments: measure explainers on its data sets and models, and write its tables.

    Begun again with the same options, a stopped evaluation goes on where it was.

    For example:

        lormika evaluate --quick --out quick/

        lormika evaluate --out all/ --rival-instances 10 --rival-runs 2 --baseline-python rivals/bin/python
    """
    from lormika.evaluation import Plan
    from lormika.evaluation import quick as quickly

    plan = Plan(
        datasets=_names(datasets), models=_names(models), explainers=_names(explainers),
        instances=instances, runs=runs, rival_instances=rival_instances, rival_runs=rival_runs,
        train_rows=train_rows, common_rows=common_rows,
        time_limit=time_limit, baseline_python=baseline_python, random_state=random_state,
    )  # fmt: skip
    _run(quickly(plan) if quick else plan, out, Talk(quiet))


def _run(plan: Plan, out: Path, talk: Talk) -> None:
    from lormika.evaluation import Ledger, evaluate, make_tables, write_figures, write_tables

    if any(":" in name for name in plan.explainers):
        sys.path.insert(0, "")  # the module may lie in the working folder
    failed = 0
    for step in evaluate(plan, out):
        failed += step.failed
        talk.say(_line(step))
    tables = make_tables(Ledger(out))
    for path in write_tables(tables, out):
        talk.say(f"written: {path}")
    try:
        figures = write_figures(tables, out / "figures")
    except InputError as error:
        talk.warn(f"no figures: {error}")
    else:
        talk.say(f"written: {len(figures)} figures in {out / 'figures'}")
    if failed:
        talk.warn(f"{failed} explanations failed; {out / 'cells'} says why")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _line(step: Step) -> str:
    cell = step.cell
    failed = f", {step.failed} failed" if step.failed else ""
    left = "done" if step.done == step.total else f"about {_span(step.seconds_left)} left"
    where = f"{cell.dataset} {cell.model} {cell.explainer} run {cell.run + 1}"
    return f"{step.done} of {step.total}: {where}{failed}; {left}"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
