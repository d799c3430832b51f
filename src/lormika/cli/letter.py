"""lormika letter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.changes import Changing
from lormika.cli.groups import with_groups
from lormika.cli.letter_options import PANEL, Writing
from lormika.cli.output import Talk, model_prints_aside
from lormika.errors import InputError

if TYPE_CHECKING:
    from lormika.explainer import Explainer
    from lormika.fingerprint import Fingerprint


@with_groups
def letter(
    data: p.Data,
    *,
    model: p.ModelSource,
    row: Annotated[int | None, typer.Option(metavar="ROW", help="Row to write about, from 0.")] = None,
    where: Annotated[str | None, typer.Option(help='The row to write about, such as "id == 17".')] = None,
    instance: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON file with the instance to write about.")
    ] = None,
    target: p.Target = None,
    background: p.Background = None,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="File to write: .html, .pdf (needs Chromium) or .json, the record.",
            rich_help_panel=PANEL,
        ),
    ],
    writing: Writing,
    drop: p.Drop = [],
    reading: p.Reading,
    search: p.Search,
    changing: Changing,
    cut: p.Cut = [],
    around: p.Around,
    class_name: p.ClassName = [],
    threshold: p.Threshold = None,
    labels: p.LabelsFile = None,
    loading: p.Loading,
    header: p.Header = [],
    quiet: p.Quiet = False,
) -> None:  # fmt: skip
    """Write to a person about a model's prediction, on one page. What it must say is for lawyers to decide.

    For example:

        lormika letter loans.csv --model loans.skops --target decision --row 1091 --time 2026-03-01 --out letter.html

        lormika letter loans.csv --model loans.skops --where "id == 17" --template explanation --out letter.pdf
    """
    if (row, where, instance).count(None) != 2:
        raise typer.BadParameter("say which row to write about: one of --row, --where and --instance")
    writing.check(out, [data, background, instance, *([] if "://" in model else [model])])
    search |= changing.keywords()
    texts = arguments.read_labels(labels)
    talk = Talk(quiet)
    table = reading.open(data, talk)
    similar = table if background is None else reading.open(background, talk)
    instances = arguments.read_instances([] if instance is None else [instance])
    arguments.check_names(similar, [*drop, *([] if target is None else [target])], also=table)
    started = _hash(model)
    with loading.open(model, header, talk) as loaded, model_prints_aside():
        features = arguments.feature_columns(loaded, similar, target, drop, talk, also=table)
        chosen = [] if row is None else [row]
        rows = None if instance is not None else arguments.chosen_rows(table, features, chosen, where)
        by_name = arguments.named_instances(instances, table, features)
        _check_one(len(by_name) if rows is None else len(rows))
        arguments.report_columns(similar, features, reading.categorical, talk)
        settings = around | {"class_names": class_name or None, "categorical": reading.categorical or None}
        settings |= {"threshold": threshold, "labels": texts}
        explainer = arguments.make_explainer(loaded, similar.frame[features], settings, cut, "default", talk)
        (case,) = arguments.locate(explainer, rows, by_name, table, talk).values()
        explanation = case.explain(**search)
    writing.write(explanation, _fingerprint(explainer, model, started), out, talk)


def _check_one(rows: int) -> None:
    if rows != 1:
        raise InputError(f"a letter is about one row, and these are {rows:,}: choose one")


def _hash(source: str) -> str | None:
    """SHA-256 of a model's file before it is loaded; those who load it say what is wrong with it."""
    from lormika.models.identity import source_digest

    try:
        return source_digest(source)
    except OSError:
        return None


def _fingerprint(explainer: Explainer, source: str, started: str | None) -> Fingerprint:
    """Of the model that was loaded: its file must still be the one that it was."""
    found = explainer.fingerprint(source)
    if found.model != started:
        raise InputError(
            f"{source} has changed since it was loaded: its hash would not be that of the model; try again"
        )
    return found
