"""lormika mine."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.output import Talk, emit, show
from lormika.options import Correction, Filter, Objective
from lormika.views.payload import RULES_FORMAT, Payload, dump_rules


def mine(
    data: Annotated[Path, typer.Argument(help="Data file: CSV, Parquet, Arrow, JSON lines; also .gz.")],
    target: Annotated[str, typer.Option(help="Column with the classes that rules lead to.")],
    to: Annotated[
        list[str], typer.Option("--class", metavar="CLASS", help="Only rules that lead to this class. Repeatable.")
    ] = [],
    drop: p.Drop = [],
    categorical: p.Categorical = [],
    delimiter: p.Delimiter = None,
    missing: p.MissingToken = [],
    encoding: p.Encoding = None,
    k: p.K = 10,
    objective: p.Objectives = [Objective.LEVERAGE],
    max_conditions: p.MostConditions = 4,
    min_count: p.MinCount = 1,
    m: p.M = 0.0,
    filter: p.AnyFilter = Filter.NONE,
    alpha: p.Alpha = 0.05,
    correction: p.Correct = Correction.NONE,
    bins: p.Bins = 3,
    cut: p.Cut = [],
    out: p.Out = None,
    json: p.Json = False,
    quiet: p.Quiet = False,
) -> None:
    """Find exactly the k best rules of a table, whatever its classes are.

    For example:

        lormika mine loans.csv --target decision

        lormika mine loans.csv --target decision --class rejected --objective lift --filter significant --out rules.csv
    """
    if out is not None and json:
        raise typer.BadParameter("--json prints; --out writes a file (JSON, if it ends in .json): choose one")
    if out is not None:
        from lormika.views.saving import check_path

        check_path(out, RULES_FORMAT)
        arguments.check_outputs([out, *(_path(out, by, objective) for by in objective)], [data])
    talk = Talk(quiet)
    table = arguments.open_table(
        data, talk, delimiter=delimiter, missing=missing, encoding=encoding, categorical=categorical
    )
    features = arguments.feature_columns(None, table, target, drop, talk)
    arguments.report_columns(table, features, talk)
    y = arguments.target_column(table, target)
    classes = arguments.named_classes(y, to)
    found: dict[Objective, Payload] = {}
    for by in dict.fromkeys(objective):
        options: dict[str, Any] = {
            "k": k, "objective": by.value, "max_conditions": max_conditions, "min_count": min_count, "m": m,
            "filter": filter.value, "alpha": alpha, "correction": correction.value, "bins": bins,
            "cuts": arguments.read_cuts(cut),
        }  # fmt: skip
        with talk.working(f"Searching for the {k} best rules by {by}"):
            from lormika.mine import mine_rules

            rules = mine_rules(table.frame[features], y, categorical=categorical or None, classes=classes, **options)
        found[by] = dump_rules(rules, options)
    _show(found, out, json, talk)


def _path(out: Path, by: Objective, objectives: list[Objective]) -> Path:
    """The file named; of several measures, each has a file named after it."""
    return out if len(set(objectives)) == 1 else out.with_name(f"{out.stem}-{by.value}{out.suffix}")


def _show(found: dict[Objective, Payload], out: Path | None, json: bool, talk: Talk) -> None:
    from lormika.views import rule_table, saving

    for by, payload in found.items():
        if out is not None:
            path = saving.save(payload, _path(out, by, list(found)))
            talk.say(f"written: {path}")
        elif json:
            emit(json_format.dumps(payload, ensure_ascii=False, allow_nan=False))
        else:
            show([rule_table.renderable(payload)])
