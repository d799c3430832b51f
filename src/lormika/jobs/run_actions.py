"""Group actions of a run: its rows and the changes that turned them, tried with a model that the caller names.

The folder belongs to anyone who can write to it. So the model comes from the caller, who has loaded it with permissions
of their own; rows, options and changes of the folder are data, all of which is checked, and changes are only proposals:
whatever they say, each is tried on every row, by the model, within the constraints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.actions import Limits, Move, Wish, ask_rows, find_actions
from lormika.data.alike import typed_alike
from lormika.errors import InputError
from lormika.explainer import Explainer
from lormika.frames.values import Scalar
from lormika.goals import find_class
from lormika.jobs import contents, prepared
from lormika.jobs.folder import Folder
from lormika.jobs.inputs import is_background, is_input, model_facts, read_input
from lormika.jobs.part_columns import RULES
from lormika.jobs.part_tables import arrow_schema
from lormika.jobs.run_file import Run
from lormika.jobs.summary import finished_chunks, read_part
from lormika.rule import Category
from lormika.stages.background import Background
from lormika.views.rule_structs import READERS, EditStruct, ValueStruct

if TYPE_CHECKING:
    import pandas as pd

    from lormika.types import JsonObject, UserModel

_COLUMNS = ["prediction", "category", "edit_list", "turned"]
_MOST_CHANGES = 20_000  # of a class that candidates are made from


def open_rows(folder: Path, source: str) -> Run:
    """The run of a folder whose rows are still there, if it is of this model; nothing of it is loaded."""
    contents.check_contents(folder)
    run = Folder(folder).read()
    _check_model(folder, run, source)
    if not is_input(folder / run.input, run.rows) or not is_background(folder / run.background):
        raise InputError(
            f"{folder}: group actions need the rows and the background of the run, which are not there, or have "
            "changed: start lormika batch again with the same command, which makes them anew"
        )
    return run


def _check_model(folder: Path, run: Run, source: str) -> None:
    """Refuse another model than that of the run: its file may have moved, but not changed."""
    try:
        facts = model_facts(source, {})
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}") from error
    by = "sha256" if facts["sha256"] is not None else "source"
    if facts[by] != run.model.get(by):
        raise InputError(f"{folder} holds a run of another model, {run.model['source']}, or {source} has changed since")


def run_actions(folder: Path, run: Run, model: UserModel, labels: Sequence[str], limits: Limits) -> list[JsonObject]:
    """Group actions for the rows of finished parts, by class; none for the class that changes must lead to."""
    explainer = prepared.load(folder / run.background, model)
    if list(explainer.schema.names) != run.features:
        raise InputError(
            f"{folder / run.background} has other columns than the run: remove the folder, and start again"
        )
    options = explainer.check(**run.options)
    names, parts = explainer.model.names, explainer._parts
    wanted = [label for label in labels if options.target is None or not _is_same(names, label, options.target)]
    if not wanted:
        return []
    chunks = [chunk for chunk in finished_chunks(folder) if chunk < run.chunks]
    asked = ask_rows(parts, _rows(folder, run, explainer, chunks))
    changes = _read_changes(folder, chunks, explainer.background, wanted)
    return [
        find_actions(parts, asked, Wish.of(parts, label, options), changes[label], limits).to_dict() for label in wanted
    ]


def _is_same(names: Sequence[Scalar], label: str, target: Scalar) -> bool:
    return find_class("of", names, label) == find_class("target", names, target)


def _rows(folder: Path, run: Run, explainer: Explainer, chunks: Sequence[int]) -> pd.DataFrame:
    """The rows of finished chunks, as the explainer takes them."""
    import pyarrow as pa

    try:
        frame = read_input(folder / run.input, range(run.rows))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{folder / run.input} cannot be read: {error}") from error
    lacking = [name for name in run.features if name not in frame.columns]
    if lacking:
        raise InputError(f"{folder / run.input} has no column {lacking[0]!r}: remove the folder, and start again")
    rows = [row for chunk in chunks for row in run.rows_of(chunk)]
    return typed_alike(frame[run.features].iloc[rows], explainer.schema)


def _read_changes(
    folder: Path, chunks: Sequence[int], background: Background, labels: Sequence[str]
) -> dict[str, list[list[Move]]]:
    """By class, changes that turned its rows; of very many, the same number from every part, evenly chosen."""
    changes: dict[str, list[list[Move]]] = {label: [] for label in labels}
    each = -(-_MOST_CHANGES // max(1, len(chunks)))
    for chunk in chunks:
        found: dict[str, list[list[EditStruct]]] = {label: [] for label in labels}
        for label, edits in _turning(folder, chunk):
            if label in found:
                found[label].append(edits)
        for label, some in found.items():
            kept = some if len(some) <= each else [some[place * len(some) // each] for place in range(each)]
            changes[label] += [moves for edits in kept if (moves := _moves(background, edits)) is not None]
    return changes


def _turning(folder: Path, chunk: int) -> Iterator[tuple[str, list[EditStruct]]]:
    """Class and change of the counterfactual rules of a part that turned their row."""
    import pyarrow.compute as pc

    table = read_part(Folder(folder).part("rules", chunk), arrow_schema(RULES), _COLUMNS)
    is_turning = pc.and_(pc.equal(table["category"], Category.COUNTERFACTUAL.value), table["turned"])
    table = table.filter(pc.fill_null(is_turning, False))
    edits = [some or [] for some in table["edit_list"].to_pylist()]
    return zip(table["prediction"].to_pylist(), edits, strict=True)


def _moves(background: Background, edits: list[EditStruct]) -> list[Move] | None:
    """A change as encoded values; None if it is none that a row of this background could have."""
    moves = []
    for edit in edits:
        f = background.schema.places.get(edit["feature"]) if edit else None
        if f is None:
            return None
        before, after = (_encoded(background, f, edit[name]) for name in ("before", "after"))
        if not _may_be(background, f, after):
            return None
        moves.append(Move(f, before, after))
    features = {move.feature for move in moves}
    return moves if moves and len(features) == len(moves) else None


def _encoded(background: Background, f: int, struct: ValueStruct | None) -> float:
    """A value as a number; NaN if it is missing, or cannot be read."""
    feature = background.schema.features[f]
    try:
        if struct is None:
            return math.nan
        value = READERS[struct["type"]](struct["text"])
        if not feature.is_numeric:
            return float(feature.positions.get(value, math.nan))
        return math.nan if isinstance(value, str | bool) else float(value)
    except (LookupError, ValueError, TypeError, OverflowError):
        return math.nan


def _may_be(background: Background, f: int, value: float) -> bool:
    """Whether an encoded value is among those of the background, or between them."""
    feature, observed = background.schema.features[f], background.observed(f)
    if math.isnan(value) or not feature.is_numeric:
        return not math.isnan(value)
    inside = len(observed) > 0 and observed[0] <= value <= observed[-1]
    return bool(inside and (not feature.integer or value == round(value)))
