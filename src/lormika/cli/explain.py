"""lormika explain."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lormika.cli import arguments
from lormika.cli import parameters as p
from lormika.cli.changes import Changing
from lormika.cli.groups import with_groups
from lormika.cli.output import Talk, emit, model_prints_aside, show
from lormika.options import Objective

if TYPE_CHECKING:
    from lormika.case import Case
    from lormika.explanation import Explanation
    from lormika.types import Keywords
    from lormika.views.layout import Block


@with_groups
def explain(
    data: p.Data,
    *,
    model: p.ModelSource,
    row: Annotated[list[int], typer.Option(metavar="ROW", help="Row to explain, from 0. Repeatable.")] = [],
    where: Annotated[str | None, typer.Option(help='Rows to explain, such as "id == 17".')] = None,
    instance: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="JSON file with the instance to explain, or a list of them. Repeatable."),
    ] = [],
    target: p.Target = None,
    background: p.Background = None,
    drop: p.Drop = [],
    reading: p.Reading,
    objective: p.Objectives = [Objective.LEVERAGE],
    search: p.SearchForEach,
    changing: Changing,
    preset: p.PresetOf = p.Preset.DEFAULT,
    cut: p.Cut = [],
    around: p.Around,
    class_name: p.ClassName = [],
    threshold: p.Threshold = None,
    bands: p.Bands = None,
    labels: p.LabelsFile = None,
    loading: p.Loading,
    header: p.Header = [],
    output: p.Output,
    figures: Annotated[
        bool, typer.Option("--figures", help="Print lift, leverage and counts of every rule.", rich_help_panel=p.OUTPUT)
    ] = False,
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
    output.check(is_explanation=True)
    search |= changing.keywords()
    texts = arguments.read_labels(labels)
    inputs = [data, background, *instance, *([] if "://" in model else [model])]
    arguments.check_outputs([] if output.out is None else [output.out], inputs)
    talk = Talk(quiet)
    table = reading.open(data, talk)
    similar = table if background is None else reading.open(background, talk)
    instances = arguments.read_instances(instance)
    arguments.check_names(similar, [*drop, *([] if target is None else [target])], also=table)
    with loading.open(model, header, talk) as loaded, model_prints_aside():
        features = arguments.feature_columns(loaded, similar, target, drop, talk, also=table)
        rows = arguments.chosen_rows(table, features, row, where) if row or where is not None else None
        by_name = arguments.named_instances(instances, table, features)
        names = [*([] if rows is None else map(str, rows.index)), *by_name]
        results = _Results(names, tuple(dict.fromkeys(objective)), output.out)
        arguments.check_outputs(results.paths.values(), inputs)
        arguments.report_columns(similar, features, reading.categorical, talk)
        settings = around | {"class_names": class_name or None, "categorical": reading.categorical or None}
        settings |= {"threshold": threshold, "bands": arguments.read_bands(bands), "labels": texts}
        explainer = arguments.make_explainer(loaded, similar.frame[features], settings, cut, preset.value, talk)
        cases = arguments.locate(explainer, rows, by_name, table, talk)
        results.explain(cases, search)
    results.write(talk)
    if output.json:
        emit("\n".join(results.json_lines()))
    elif output.out is None:
        show(results.blocks(figures))


class _Results:
    """Explanations of some instances, each by some measures."""

    def __init__(self, names: Sequence[str], objectives: Sequence[Objective], out: Path | None) -> None:
        self.objectives = objectives
        self.explanations: dict[tuple[str, Objective], Explanation] = {}
        tasks = [(name, by) for name in names for by in objectives]
        self.paths = {} if out is None else {task: self._path(task, len(names) > 1, out) for task in tasks}

    def _path(self, task: tuple[str, Objective], several_names: bool, out: Path) -> Path:
        """One explanation goes to the file named; of several, each to a file named after its row and measure."""
        name, by = task
        words = [out.stem, *([name] if several_names else []), *([by.value] if len(self.objectives) > 1 else [])]
        return out.with_name("-".join(words) + out.suffix)

    def explain(self, cases: Mapping[str, Case], search: Keywords) -> None:
        """Explain all cases by all measures, without asking the model again where that is not needed."""
        for name, case in cases.items():
            for by in self.objectives:
                self.explanations[name, by] = case.explain(**search, objective=by.value)

    def write(self, talk: Talk) -> None:
        """Write the files."""
        for task, path in self.paths.items():
            talk.say(f"written: {self.explanations[task].save(path)}")

    def json_lines(self) -> Iterator[str]:
        """One explanation as it is; of several, each with the row and the measure."""
        for (name, by), explanation in self.explanations.items():
            payload = explanation.to_dict()
            if len(self.explanations) > 1:
                payload = {"row": name, "objective": by.value, "explanation": payload}
            yield json.dumps(payload, ensure_ascii=False, allow_nan=False)

    def blocks(self, figures: bool) -> Iterator[Block]:
        """What a terminal shows."""
        from lormika.views import text
        from lormika.views.layout import Paragraph

        for number, ((name, by), explanation) in enumerate(self.explanations.items()):
            if len(self.explanations) > 1:
                gap, which = "\n" if number else "", f"row {name}" if name.isdecimal() else name
                yield Paragraph((f"{gap}{which}, best by {by}\n", "bold underline"))
            yield from text.blocks(explanation, figures)
