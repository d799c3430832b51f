"""lormika explain."""

from __future__ import annotations

import json as json_format
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.output import Talk, emit, model_prints_aside, show
from lormika.errors import InputError, ModelError
from lormika.options import Correction, Objective

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lormika.explanation import Explanation


def explain(
    data: Annotated[Path, typer.Argument(help="Data file: CSV, Parquet, Arrow, JSON lines; also .gz.")],
    model: Annotated[
        str,
        typer.Option(help="File (.skops, .onnx, .pkl, .joblib), python:module:name, or http://host/v2/models/name."),
    ],
    row: Annotated[list[int], typer.Option(metavar="ROW", help="Row to explain, from 0. Repeatable.")] = [],
    where: Annotated[str | None, typer.Option(help='Rows to explain, such as "id == 17".')] = None,
    instance: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="JSON file with the instance to explain, or a list of them. Repeatable."),
    ] = [],
    target: Annotated[str | None, typer.Option(help="Column with the truth, which is no feature.")] = None,
    background: Annotated[
        Path | None, typer.Option(help="Data file to find similar rows in.", show_default="DATA itself")
    ] = None,
    drop: p.Drop = [],
    categorical: p.Categorical = [],
    delimiter: p.Delimiter = None,
    missing: p.MissingToken = [],
    encoding: p.Encoding = None,
    k: p.K = 5,
    objective: p.Objectives = [Objective.LEVERAGE],
    max_conditions: p.MaxConditions = None,
    min_count: p.MinCount = 10,
    m: p.M = 2.0,
    filter: p.FilterBy = None,
    alpha: p.Alpha = 0.05,
    correction: p.Correct = Correction.LAYERED,
    per: p.PerWhat = None,
    confirm: p.Confirm = None,
    weight: p.WeightBy = None,
    preset: p.PresetOf = p.Preset.DEFAULT,
    bins: p.Bins = 3,
    cut: p.Cut = [],
    min_neighbours: p.MinNeighbours = 40,
    max_neighbours: p.MaxNeighbours = 200,
    kernel_width: p.KernelWidth = None,
    thin: p.ThinBy = None,
    n_generated: p.NGenerated = 2000,
    design: p.DesignOf = None,
    snap: p.Snap = None,
    n_asked: p.NAsked = None,
    random_state: p.RandomState = 0,
    class_name: p.ClassName = [],
    trust: p.Trust = [],
    allow_pickle: p.AllowPickle = False,
    max_size: p.MaxSize = 500,
    header: p.Header = [],
    isolate: p.Isolate = False,
    memory_limit: p.MemoryLimit = None,
    time_limit: p.TimeLimit = None,
    out: p.Out = None,
    json: p.Json = False,
    figures: p.Figures = False,
    quiet: p.Quiet = False,
) -> None:
    """Explain a model's predictions of some rows of a data file.

    For example:

        lormika explain loans.csv --model loans.skops --target decision --row 17

        lormika explain loans.csv --model loans.onnx --where "income < 20 and age > 60" --out why.html

        lormika explain loans.parquet --model http://127.0.0.1:8080/v2/models/loans --instance x.json --json
    """
    if not row and where is None and not instance:
        raise typer.BadParameter("say which rows to explain: --row, --where or --instance")
    if out is not None and json:
        raise typer.BadParameter("--json prints; --out writes a file (JSON, if it ends in .json): choose one")
    if out is not None:
        from lormika.views.saving import check_path

        check_path(out)
    inputs = [data, background, *instance, *([] if "://" in model else [model])]
    arguments.check_outputs([] if out is None else [out], inputs)
    talk = Talk(quiet)
    look: dict[str, Any] = {
        "delimiter": delimiter,
        "missing": missing,
        "encoding": encoding,
        "categorical": categorical,
    }
    table = arguments.open_table(data, talk, **look)
    around = table if background is None else arguments.open_table(background, talk, **look)
    given = arguments.read_instances(instance)
    arguments.check_names(around, [*drop, *([] if target is None else [target])], also=table)
    loading = arguments.open_model(
        model, talk, trust=trust, allow_pickle=allow_pickle, max_size=max_size, headers=header, isolate=isolate,
        memory_limit=memory_limit, time_limit=time_limit,
    )  # fmt: skip
    found: dict[tuple[str, Objective], Explanation] = {}
    with loading as loaded, model_prints_aside():
        from lormika.data import typed_alike
        from lormika.explainer import Explainer

        features = arguments.feature_columns(loaded, around, target, drop, talk, also=table)
        instances = arguments.chosen_instances(table, features, row, where, given)
        tasks = [(name, by) for name in instances for by in dict.fromkeys(objective)]
        paths = {} if out is None else _paths(tasks, out)
        arguments.check_outputs(paths.values(), inputs)
        arguments.report_columns(around, features, talk)
        with talk.working(f"Asking the model about {len(around.frame):,} rows"):
            explainer = Explainer(loaded, around.frame[features], **p.chosen(
                categorical=categorical or None, class_names=class_name or None, min_neighbours=min_neighbours,
                max_neighbours=max_neighbours, kernel_width=kernel_width, thin=thin, n_generated=n_generated,
                design=design, snap=snap, n_asked=n_asked, bins=bins, cuts=arguments.read_cuts(cut),
                random_state=random_state, preset=preset,
            ))  # fmt: skip
        comma = table.delimiter == ";"
        for name, x in instances.items():
            if not isinstance(x, dict):  # a row of the file, whose cells others may have turned into texts
                instances[name] = typed_alike(x, explainer.schema, decimal_comma=comma)
        search = p.chosen(
            k=k, max_conditions=max_conditions, min_count=min_count, m=m, filter=filter, alpha=alpha,
            correction=correction, per=per, confirm=confirm, weight=weight,
        )  # fmt: skip
        for name in talk.following(list(instances), "explaining", len(instances)):
            try:
                case = explainer.locate(instances[name])
                for by in dict.fromkeys(objective):
                    found[name, by] = case.explain(**search, objective=by.value)
            except (InputError, ModelError) as error:
                raise type(error)(f"instance {name}: {error}") from error
    for task, path in paths.items():
        talk.say(f"written: {found[task].save(path)}")
    if out is None and json:
        emit("\n".join(_json_lines(found)))
    elif out is None:
        show(_parts(found, figures))


def _json_lines(found: dict[tuple[str, Objective], Explanation]) -> Iterator[str]:
    """One explanation as it is; of several, each with the row and the measure."""
    for (name, by), explanation in found.items():
        told = explanation.to_dict()
        if len(found) > 1:
            told = {"row": name, "objective": by.value, "explanation": told}
        yield json_format.dumps(told, ensure_ascii=False, allow_nan=False)


def _paths(tasks: list[tuple[str, Objective]], out: Path) -> dict[tuple[str, Objective], Path]:
    """One explanation goes to the file named; of several, each to a file named after its row and measure."""
    several_rows = len({name for name, _ in tasks}) > 1
    several_measures = len({by for _, by in tasks}) > 1
    paths = {}
    for name, by in tasks:
        words = [out.stem, *([name] if several_rows else []), *([by.value] if several_measures else [])]
        paths[name, by] = out.with_name("-".join(words) + out.suffix)
    return paths


def _parts(found: dict[tuple[str, Objective], Explanation], figures: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    from lormika.views import text

    for number, ((name, by), explanation) in enumerate(found.items()):
        if len(found) > 1:
            gap = "\n" if number else ""
            yield Text(f"{gap}{name}, best by {by}\n", "bold underline")
        yield from text.renderables(explanation.to_dict(), figures)
