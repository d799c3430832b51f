"""JSON: records of a table, and single instances."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path

from lormika.data.column_names import check_names, pick_columns
from lormika.data.decode import decode
from lormika.data.table import Table
from lormika.data.table_bytes import Source
from lormika.data.typed_columns import from_scalars
from lormika.errors import InputError
from lormika.frames.values import Scalar, is_missing
from lormika.types import JsonObject, JsonValue

_ABSENT = object()


def read_records(source: Source, missing: frozenset[str], encoding: str | None, columns: Sequence[str] | None) -> Table:
    """Read a list of JSON objects, or one object per line."""
    import pandas as pd

    text, used = decode(source, encoding)
    in_lines = source.format == "jsonl" or text.lstrip().startswith("{")
    places, records = _lines(source, text) if in_lines else _list(source, text)
    if not records:
        raise source.error("there are no records")
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        raise source.error("the records are empty")
    check_names(source, names)
    notes, series, tokens = [], {}, {}
    for name in pick_columns(source, names, columns):
        values = [record.get(name, _ABSENT) for record in records]
        absent = [row for row, value in enumerate(values) if value is _ABSENT]
        if absent:
            many = f"{len(absent)} record{'s' if len(absent) > 1 else ''}"
            notes.append(f"column {name!r} is absent from {many}, first {places[absent[0]]}: taken as missing")
        column = from_scalars(name, [None if v is _ABSENT else v for v in values], missing, places.__getitem__)
        series[name] = column.values
        if column.missing:
            tokens[name] = column.missing
        if column.note:
            notes.append(column.note)
    return Table(
        frame=pd.DataFrame(series),
        path=source.path,
        format="jsonl" if in_lines else "json",
        compression=source.compression,
        encoding=used,
        missing=tokens,
        notes=tuple(notes),
    )


def read_instance(path_or_text: str | PathLike[str]) -> list[dict[str, Scalar | None]]:
    """Read one instance, or a list of several, from a JSON file or text.

    >>> read_instance('{"age": 41, "employment": "unemployed", "savings": null}')
    [{'age': 41, 'employment': 'unemployed', 'savings': None}]
    """
    text = fspath(path_or_text)
    name = "the instance"
    if not text.lstrip().startswith(("{", "[")):
        path = Path(text)
        if not path.is_file():
            raise InputError(f'{text!r} is neither a file nor a JSON object such as {{"age": 41}}')
        name = str(path)
        text, _ = decode(Source(path, "json", None, path.read_bytes()))
    value = _load(text, lambda line, column, problem: InputError(f"{name}, line {line}, column {column}: {problem}"))
    instances = value if isinstance(value, list) else [value]
    if not instances:
        raise InputError(f"{name}: the list is empty; give at least one object")
    for i, instance in enumerate(instances):
        place = f"{name}, record {i + 1}" if isinstance(value, list) else name
        _check_record(instance, lambda problem, place=place: InputError(f"{place}: {problem}"))  # type: ignore[misc]
    return [{key: None if is_missing(v) else v for key, v in instance.items()} for instance in instances]


def _lines(source: Source, text: str) -> tuple[list[str], list[JsonObject]]:
    places, records = [], []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        record = _load(line, lambda _, column, problem, n=number: source.error(f"column {column}: {problem}", line=n))  # type: ignore[misc]
        _check_record(record, lambda problem, n=number: source.error(problem, line=n))  # type: ignore[misc]
        places.append(f"line {number}")
        records.append(record)
    return places, records


def _list(source: Source, text: str) -> tuple[list[str], list[JsonObject]]:
    records = _load(text, lambda line, column, problem: source.error(f"column {column}: {problem}", line=line))
    if not isinstance(records, list):
        raise source.error("give a list of records, or one record per line")
    for i, record in enumerate(records):
        _check_record(record, lambda problem, i=i: source.error(f"record {i + 1}: {problem}"))  # type: ignore[misc]
    return [f"record {i + 1}" for i in range(len(records))], records


def _load(text: str, error: Callable[[int, int, str], InputError]) -> JsonValue:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as problem:
        raise error(problem.lineno, problem.colno, f"this is not JSON: {problem.msg}") from None
    except _RepeatedKeyError as problem:
        raise error(1, 1, f"the key {problem.args[0]!r} stands twice in one object") from None
    except (RecursionError, ValueError) as problem:  # nested too deeply; a number of too many digits
        raise error(1, 1, f"this cannot be read: {problem}") from None


class _RepeatedKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    record = dict(pairs)
    if len(record) < len(pairs):
        seen: set[str] = set()
        raise _RepeatedKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return record


def _check_record(record: object, error: Callable[[str], InputError]) -> None:
    if not isinstance(record, dict):
        raise error(f'an object such as {{"age": 41}} is needed, not {_shortened(record)}')
    for name, value in record.items():
        if isinstance(value, dict | list):
            raise error(
                f"the value of {name!r} is {_shortened(value)}; only numbers, texts, true, false and null can be used"
            )


def _shortened(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:39] + "…"
