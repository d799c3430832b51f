"""From the command line's words to a table, a model, and the instances to be explained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from lormika.cli.output import Talk, model_prints_aside
from lormika.errors import InputError
from lormika.frames.readers import listing
from lormika.frames.values import format_value, plain

if TYPE_CHECKING:
    import pandas as pd

    from lormika.data import Table

_LONGEST_REPORT = 40  # columns


def open_table(
    path: Path,
    talk: Talk,
    *,
    delimiter: str | None,
    missing: Sequence[str],
    encoding: str | None,
    categorical: Sequence[str] = (),
) -> Table:
    """Read a data file, and say what was found out; texts that are named as categorical get that type."""
    from lormika.data import read_table

    with talk.working(f"Reading {path}"):
        table = read_table(path, delimiter=delimiter, missing=missing or None, encoding=encoding)
    texts = [name for name in categorical if table.types.get(name) == "text"]
    if texts:
        table = replace(table, frame=table.frame.astype(dict.fromkeys(texts, "category")))
    for note in table.notes:
        talk.warn(f"Note: {note}")
    return table


def report_columns(table: Table, features: Sequence[str], talk: Talk) -> None:
    """Say how many rows and columns were read, and of which types the features are."""
    by_type: dict[str, list[str]] = {}
    for name in features:
        by_type.setdefault(table.types[name], []).append(name)
    talk.say(f"{table.path}: {len(table.frame):,} rows, {len(table.frame.columns)} columns; {len(features)} features")
    for kind, names in by_type.items():
        shown = ", ".join(names[:_LONGEST_REPORT]) + (" …" if len(names) > _LONGEST_REPORT else "")
        talk.say(f"  {kind}: {shown}")


@contextmanager
def open_model(
    source: str,
    talk: Talk,
    *,
    trust: Sequence[str],
    allow_pickle: bool,
    max_size: int,
    headers: Sequence[str],
    isolate: bool,
    memory_limit: int | None,
    time_limit: float | None,
) -> Iterator[Any]:
    """Load a model; an isolated one ends with the block. What it prints goes to standard error."""
    from lormika import models
    from lormika.jobs.headers import read_headers

    if memory_limit is not None and not isolate:
        raise typer.BadParameter("--memory-limit goes with --isolate")
    if time_limit is not None and not isolate and "://" not in source:
        raise typer.BadParameter("--time-limit goes with --isolate, or with a server")

    if allow_pickle and "://" not in source and not source.startswith("python:") and Path(source).is_file():
        talk.warn(f"{source}: a pickle runs the code it holds. SHA-256 {models.sha256(Path(source))}")
    with talk.working(f"Loading {source}"), model_prints_aside():
        model = models.load(
            source,
            trust=trust,
            allow_pickle=allow_pickle,
            max_size=max_size * 1_000_000,
            headers=read_headers(headers),
            isolate=isolate,
            **limits(memory_limit, time_limit),
        )
    try:
        yield model
    finally:
        if hasattr(model, "close"):
            model.close()


def limits(memory_limit: int | None, time_limit: float | None) -> dict[str, Any]:
    """Limits of a model, as `models.load` takes them; those that were not given are its own."""
    given: dict[str, Any] = {} if memory_limit is None else {"memory_limit": memory_limit << 20}
    return given if time_limit is None else given | {"time_limit": time_limit, "timeout": time_limit}


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
    read = [Path(path) for path in inputs if path is not None and Path(path).exists()]
    for out in outputs:
        if out.exists() and any(out.samefile(path) for path in read):
            raise InputError(f"{out} is a file that is read: write to another one")


def feature_columns(
    model: Any, table: Table, target: str | None, drop: Sequence[str], talk: Talk, also: Table | None = None
) -> list[str]:
    """Columns that the model gets: those it names, in its order; otherwise all but the target and the dropped ones.

    What is left out may also be a column of the other table, such as one that names its rows.
    """
    columns = [str(name) for name in table.frame.columns]
    left_out = [*drop, *([] if target is None else [target])]
    check_names(table, left_out, also)
    named = getattr(model, "feature_names_in_", None)
    if named is None:
        return _by_position(model, [name for name in columns if name not in left_out], table, talk)
    wanted = [str(name) for name in named]
    lacking = [name for name in wanted if name not in columns]
    if lacking:
        raise InputError(f"{table.path} lacks {listing(lacking)}, which the model needs; it has {listing(columns)}")
    if set(wanted) & set(left_out):
        raise InputError(f"the model needs {listing(sorted(set(wanted) & set(left_out)))}: do not leave that out")
    return wanted


def _by_position(model: Any, names: list[str], table: Table, talk: Talk) -> list[str]:
    """Columns of a model that does not name them."""
    wanted = getattr(model, "n_features_in_", None)
    if wanted is not None and wanted != len(names):
        raise InputError(
            f"the model takes {wanted} columns, and {table.path} has {len(names)}: {listing(names)}; leave some out "
            "with --drop, and the truth with --target"
        )
    if model is not None and not callable(model):
        talk.warn(f"Note: the model names no columns; it gets them in the order of the file: {listing(names)}")
    return names


def target_column(table: Table, target: str) -> pd.Series[Any]:
    """The column with the classes, whole."""
    y = table.frame[target]
    if y.isna().any():
        raise InputError(
            f"{table.path}: column {target!r} is missing in {int(y.isna().sum()):,} rows, first in row "
            f"{int(y.isna().to_numpy().argmax())}: every row needs a class; fill it or leave these rows out"
        )
    return y


def named_classes(y: pd.Series[Any], names: Sequence[str]) -> list[Any] | None:
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


def chosen_instances(
    table: Table,
    features: Sequence[str],
    rows: Sequence[int],
    where: str | None,
    files: Mapping[Path, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Instances by a name that can stand in a file's name: row numbers, or files and positions in them."""
    from lormika.data import select_rows

    if rows or where is not None:
        chosen = select_rows(table.frame, rows, where)
        instances: dict[str, Any] = {str(row): chosen.loc[[row], list(features)] for row in chosen.index}
    else:
        instances = {}
    for path, given in files.items():
        for number, instance in enumerate(given):
            name = path.stem if len(given) == 1 else f"{path.stem}-{number}"
            unknown = [key for key in instance if key not in table.frame.columns]
            if unknown:
                raise InputError(f"{path}: there is no column {unknown[0]!r}; there are {listing(table.frame.columns)}")
            instances[name] = _features_of(instance, features)
    return instances


def read_instances(paths: Sequence[Path]) -> dict[Path, list[dict[str, Any]]]:
    """Instances in files."""
    from lormika.data import read_instance

    return {path: read_instance(path) for path in paths}


def chosen_rows(table: Table, features: Sequence[str], where: str | None, identifier: str | None) -> pd.DataFrame:
    """Rows of a data file with the columns that the model gets, and the one that names the rows."""
    from lormika.data import select_rows

    columns = [str(name) for name in table.frame.columns]
    wanted = [*features, *([] if identifier is None or identifier in features else [identifier])]
    lacking = [name for name in wanted if name not in columns]
    if lacking:
        raise InputError(f"{table.path} lacks {listing(lacking)}; it has {listing(columns)}")
    return select_rows(table.frame, where=where)[wanted]


def _features_of(instance: Mapping[str, Any], features: Sequence[str]) -> dict[str, Any]:
    """Values that the model gets; the target, say, may stand beside them."""
    return {name: value for name, value in instance.items() if name in features}
