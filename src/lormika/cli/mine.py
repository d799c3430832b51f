"""lormika mine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.groups import Given, with_groups
from lormika.cli.output import Talk, emit, show
from lormika.option import options_of
from lormika.options import MINING, NEED_INSTANCE, MiningKeywords, Objective, Settings
from lormika.types import Keywords

if TYPE_CHECKING:
    from lormika.views.rule_table import RuleList

_NO_LIMIT = ("time_limit", None)


@with_groups
def mine(
    data: p.Data,
    *,
    target: Annotated[str, typer.Option(help="Column with the classes that rules lead to.")],
    to: Annotated[
        list[str], typer.Option("--class", metavar="CLASS", help="Only rules that lead to this class. Repeatable.")
    ] = [],
    drop: p.Drop = [],
    reading: p.Reading,
    objective: p.Objectives = [Objective.LEVERAGE],
    search: Annotated[Keywords, Given(p.SEARCH, MINING, without=("objective", *NEED_INSTANCE))],
    bins: Annotated[int, typer.Option(help=options_of(Settings)["bins"].text, rich_help_panel=p.SEARCH)] = 3,
    cut: p.Cut = [],
    labels: p.LabelsFile = None,
    output: p.Output,
    quiet: p.Quiet = False,
) -> None:
    """Find exactly the k best rules of a table, whatever its classes are.

    For example:

        lormika mine loans.csv --target decision

        lormika mine loans.csv --target decision --class rejected --objective lift --filter significant --out rules.csv
    """
    from lormika.frames.values import plain
    from lormika.labels import Labels

    output.check(is_explanation=False)
    objectives = tuple(dict.fromkeys(objective))
    paths = {} if output.out is None else {by: _path(output.out, by, objectives) for by in objectives}
    arguments.check_outputs(paths.values(), [data])
    talk, texts = Talk(quiet), Labels.of(labels)
    table = reading.open(data, talk)
    features = arguments.feature_columns(None, table, target, drop, talk)
    arguments.report_columns(table, features, reading.categorical, talk)
    y = arguments.target_column(table, target)
    classes = arguments.named_classes(y, to)
    texts.check(dict.fromkeys(features, "numeric"), [plain(label) for label in y.dropna().unique()])
    about: Keywords = {"bins": bins, "cuts": arguments.read_cuts(cut)}
    for by in objectives:
        chosen = MINING.but(search | {"objective": by.value})
        with talk.working(f"Searching for the {chosen.k} best rules by {by}"):
            from lormika.mine import mine_rules
            from lormika.views.rule_table import RuleList

            options = {name: getattr(chosen, name) for name in MiningKeywords.__annotations__}
            names = reading.categorical or None
            rules = mine_rules(table.frame[features], y, categorical=names, classes=classes, **about, **options)
        shown = {name: value for name, value in options.items() if name != "n_jobs" and (name, value) != _NO_LIMIT}
        _show(RuleList(tuple(rules), shown | about, texts, rules.incomplete), paths.get(by), output, talk)


def _path(out: Path, by: Objective, objectives: Sequence[Objective]) -> Path:
    """The file named; of several measures, each has a file named after it."""
    return out if len(objectives) == 1 else out.with_name(f"{out.stem}-{by.value}{out.suffix}")


def _show(rules: RuleList, path: Path | None, output: p.Output, talk: Talk) -> None:
    from lormika.views import rule_table, saving
    from lormika.views.payload import dump_rules

    if path is not None:
        talk.say(f"written: {saving.save_rules(rules, path)}")
    elif output.json:
        emit(json.dumps(dump_rules(rules), ensure_ascii=False, allow_nan=False))
    else:
        show([rule_table.block(rules)])
