"""From the command line's words to a table, a model, and the instances to be explained."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.cli.output import Talk
from lormika.errors import InputError, ModelError, listing, quote
from lormika.frames.values import Scalar, format_value, plain
from lormika.stages.codes import may_be_codes

if TYPE_CHECKING:
    import pandas as pd

    from lormika.case import Case
    from lormika.data import Table
    from lormika.explainer import Explainer
    from lormika.models import BandsLike
    from lormika.options import Preset
    from lormika.types import JsonObject, Keywords, UserModel

_LONGEST_REPORT = 40  # columns
_LONGEST_ADVICE = 8


def report_columns(table: Table, features: Sequence[str], categorical: Sequence[str], talk: Talk) -> None:
    """Say how many rows and columns were read, of which types the features are, and which may be meant otherwise."""
    types, by_type = table.types, dict[str, list[str]]()
    for name in features:
        by_type.setdefault(types[name], []).append(name)
    talk.say(f"{table.path}: {len(table.frame):,} rows, {len(table.frame.columns)} columns; {len(features)} features")
    for kind, names in by_type.items():
        text = ", ".join(names[:_LONGEST_REPORT]) + (" …" if len(names) > _LONGEST_REPORT else "")
        talk.say(f"  {kind}: {text}")
    codes = [name for name in features if name not in categorical and _may_be_codes(table.frame[name])]
    if codes:
        options = " ".join(f"--categorical {shlex.quote(name)}" for name in codes[:_LONGEST_ADVICE])
        talk.say(f"  codes or amounts? {listing(codes)}: if the order of these numbers means nothing, add {options}")


def _may_be_codes(column: pd.Series) -> bool:
    if column.dtype.kind not in "iuf":
        return False
    return may_be_codes(*np.unique(column.dropna(), return_counts=True))


def check_names(table: Table, names: Sequence[str], also: Table | None = None) -> None:
    """Refuse columns that neither a table nor the other one has, before anything takes time."""
    columns = [str(name) for name in table.frame.columns]
    others = [] if also is None else [str(name) for name in also.frame.columns]
    for name in names:
        if name not in columns and name not in others:
            alike = get_close_matches(name, columns, n=1)
            raise InputError(
                f"{table.path} has no column {name!r}; "
                + (f"did you mean {alike[0]!r}?" if alike else f"it has {listing(columns)}")
            )


def check_outputs(outputs: Iterable[Path], inputs: Iterable[str | Path | None]) -> None:
    """Refuse to write over a file that is read."""
    files = [Path(path) for path in inputs if path is not None and Path(path).exists()]
    for out in outputs:
        if out.exists() and any(out.samefile(path) for path in files):
            raise InputError(f"{out} is a file that is read: write to another one")


def feature_columns(
    model: UserModel, table: Table, target: str | None, drop: Sequence[str], talk: Talk, also: Table | None = None
) -> list[str]:
    """Columns that the model gets: those it names, in its order; otherwise all but the target and the dropped ones.

    What is left out may also be a column of the other table, such as one that names its rows.
    """
    columns = [str(name) for name in table.frame.columns]
    left_out = [*drop, *([] if target is None else [target])]
    check_names(table, left_out, also)
    own = getattr(model, "feature_names_in_", None)
    if own is None:
        return _by_position(model, [name for name in columns if name not in left_out], table, talk)
    features = [str(name) for name in own]
    lacking = [name for name in features if name not in columns]
    if lacking:
        raise InputError(f"{table.path} lacks {listing(lacking)}, which the model needs; it has {listing(columns)}")
    if set(features) & set(left_out):
        raise InputError(f"the model needs {listing(sorted(set(features) & set(left_out)))}: do not leave that out")
    return features


def _by_position(model: UserModel, names: list[str], table: Table, talk: Talk) -> list[str]:
    """Columns of a model that does not name them."""
    number = getattr(model, "n_features_in_", None)
    if number is not None and number != len(names):
        raise InputError(
            f"the model takes {number} columns, and {table.path} has {len(names)}: {listing(names)}; leave some out "
            "with --drop, and the truth with --target"
        )
    if model is not None and not callable(model):
        talk.warn(f"Note: the model names no columns; it gets them in the order of the file: {listing(names)}")
    return names


def target_column(table: Table, target: str) -> pd.Series:
    """The column with the classes, whole."""
    y = table.frame[target]
    if y.isna().any():
        raise InputError(
            f"{table.path}: column {target!r} is missing in {int(y.isna().sum()):,} rows, first in row "
            f"{int(y.isna().to_numpy().argmax())}: every row needs a class; fill it or leave these rows out"
        )
    return y


def named_classes(y: pd.Series, names: Sequence[str]) -> list[Scalar] | None:
    """Classes by the names that are written for them."""
    if not names:
        return None
    by_name = {format_value(plain(value)): plain(value) for value in y.unique()} | {
        str(value): plain(value) for value in y.unique()
    }
    for name in names:
        if name not in by_name:
            raise InputError(f"--class {name}: column {y.name!r} holds no such class; it holds {listing(by_name)}")
    return [by_name[name] for name in names]


def read_cuts(texts: Sequence[str]) -> dict[str, list[float]] | None:
    """Cut points such as `age=25,45`.

    >>> read_cuts(["age=25,45"])
    {'age': [25.0, 45.0]}
    """
    cuts = {}
    for text in texts:
        name, equals, points = text.rpartition("=")
        try:
            cuts[name] = [float(point) for point in points.split(",")]
        except ValueError:
            equals = ""
        if not equals or not all(map(math.isfinite, cuts.get(name, []))):
            raise InputError(f"--cut {text!r}: give a column and its cut points, for instance age=25,45")
    return cuts or None


def chosen_rows(
    table: Table, columns: Sequence[str], rows: Sequence[int] = (), where: str | None = None
) -> pd.DataFrame:
    """Rows of a data file, by number or by a condition, with some of its columns."""
    from lormika.data import select_rows

    names = [str(name) for name in table.frame.columns]
    lacking = [name for name in columns if name not in names]
    if lacking:
        raise InputError(f"{table.path} lacks {listing(lacking)}; it has {listing(names)}")
    return select_rows(table.frame, rows, where)[list(columns)]


def read_instances(paths: Sequence[Path]) -> dict[Path, list[JsonObject]]:
    """Instances in files."""
    from lormika.data import read_instance

    return {path: read_instance(path) for path in paths}


def named_instances(
    files: Mapping[Path, Sequence[JsonObject]], table: Table, features: Sequence[str]
) -> dict[str, JsonObject]:
    """Instances of files by a name that can stand in a file's name; the target, say, may stand beside the features."""
    instances = {}
    for path, entries in files.items():
        for number, instance in enumerate(entries):
            unknown = [key for key in instance if key not in table.frame.columns]
            if unknown:
                raise InputError(f"{path}: there is no column {unknown[0]!r}; there are {listing(table.frame.columns)}")
            name = path.stem if len(entries) == 1 else f"{path.stem}-{number}"
            instances[name] = {key: value for key, value in instance.items() if key in features}
    return instances


def make_explainer(
    model: UserModel, background: pd.DataFrame, settings: Keywords, cut: Sequence[str], preset: Preset, talk: Talk
) -> Explainer:
    """Ask the model about the background."""
    from lormika.explainer import Explainer

    with talk.working(f"Asking the model about {len(background):,} rows"):
        return Explainer(model, background, cuts=read_cuts(cut), preset=preset, **settings)


def read_bands(text: str | None) -> BandsLike:
    """Bands as the command line has them; what else is wrong with them is said as in Python.

    >>> read_bands("100,200.5"), read_bands("around"), read_bands("around=10")
    ([100.0, 200.5], 'around', {'around': 10.0})
    """
    if text is None or text == "around":
        return "around" if text else None
    name, sign, tolerance = text.partition("=")
    try:
        return {name: float(tolerance)} if sign else [float(edge) for edge in text.split(",")]
    except ValueError:
        raise InputError(
            f"--bands {quote(text)}: give increasing edges, such as 100,200, or around, or around=10"
        ) from None


def read_labels(path: Path | None) -> JsonObject | None:
    """Labels as plain data; None if there are none. What is wrong is refused before anything takes time."""
    from lormika.labels import Labels

    return None if path is None else Labels.of(path).to_dict()


def locate(
    explainer: Explainer, rows: pd.DataFrame | None, instances: Mapping[str, JsonObject], table: Table, talk: Talk
) -> dict[str, Case]:
    """Cases by name: rows of the data file together, then instances one by one."""
    from lormika.data import typed_alike
    from lormika.explanation import Failure

    cases: dict[str, Case] = {}
    if rows is not None:  # cells of other rows may have turned theirs into texts
        typed = typed_alike(rows, explainer.schema, decimal_comma=table.delimiter == ";")
        located = explainer.locate_many(typed, progress=False)
        for row, case in zip(rows.index, talk.following(located, "explaining", len(rows)), strict=True):
            if isinstance(case, Failure):
                raise InputError(f"instance {row}: {case.reason}")
            cases[str(row)] = case
    for name, instance in instances.items():
        try:
            cases[name] = explainer.locate(instance)
        except (InputError, ModelError) as error:
            raise type(error)(f"instance {name}: {str(error).replace(', row 0:', ':', 1)}") from error
    return cases
