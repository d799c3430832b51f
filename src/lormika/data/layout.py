"""The structure of delimited text: delimiter, column names, and the line on which each record begins."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from lormika.data.column_names import check_names
from lormika.data.table_bytes import Source
from lormika.errors import InputError

DELIMITERS = (",", ";", "\t", "|")
_INDEX = "Unnamed: 0"  # what pandas calls it when it reads such a file
_SAMPLE = 200  # lines that the delimiter is found out from


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Column names, and the line on which each row begins."""

    names: list[str]
    lines: np.ndarray
    notes: tuple[str, ...]


def find_delimiter(source: Source, text: str) -> str:
    """Find the delimiter that splits the first lines into equally many fields, at least two."""
    if {".tsv", ".tab"} & set(map(str.lower, source.path.suffixes)) and "\t" in text.partition("\n")[0]:
        return "\t"
    sample = list(itertools.islice(io.StringIO(text, newline=""), _SAMPLE))
    shares: dict[str, tuple[float, int]] = {}
    for delimiter in DELIMITERS:
        widths = [len(row) for row in _lenient(sample, delimiter) if row]
        if widths and widths[0] > 1:
            shares[delimiter] = (float(np.mean([width == widths[0] for width in widths])), widths[0])
    if not shares:
        return ","
    best = max(shares.values())
    delimiters = [delimiter for delimiter, share in shares.items() if share == best]
    if len(delimiters) > 1:
        raise source.error(
            f"{' and '.join(map(repr, delimiters))} may both separate the columns; say which (delimiter=…)"
        )
    return delimiters[0]


def _lenient(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    # The sample may end inside a quoted field, and its last record is then left out.
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(reader)
    return iter(rows[:-1] if len(lines) == _SAMPLE else rows)


def find_layout(source: Source, text: str, delimiter: str, skipped: int) -> Layout:
    """Check that every record has as many fields as the header."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in ' "\r\n\0':
        raise InputError(f"delimiter={delimiter!r}: give a single character such as ',', ';', '|' or a tab")
    find = _quoted if '"' in text else _unquoted
    names, lines, blank = find(source, text, delimiter, skipped + 1)
    if not len(lines):
        raise source.error("there is a header, but no rows", line=skipped + 1)
    notes: tuple[str, ...] = ()
    if blank:
        notes = (f"{len(blank)} blank line{'s' if len(blank) > 1 else ''} left out, first line {blank[0]}",)
    if names[0] == _INDEX:
        notes += (f"the first column has no name (an index that pandas wrote?) and is called {_INDEX!r} here",)
    if len(names) == 1 and (width := _words(text)) > 1:
        notes += (f"read as one column, but every line has {width} words: are columns separated by blanks? use commas",)
    return Layout(names, lines, notes)


def _check_header(source: Source, names: list[str], line: int) -> None:
    if len(names) > 1 and names[0] == "" and _INDEX not in names:
        names[0] = _INDEX
    check_names(source, names, line)
    numbers = [str(i) for i in range(len(names))]  # as pandas writes a frame whose columns have no names
    if names != numbers and all(re.fullmatch(r"[+-]?[0-9]*[.,]?[0-9]+", name) for name in names):
        raise source.error("the first line holds numbers only; put the names of the columns there", line=line)


def _words(text: str) -> int:
    widths = {len(line.split()) for line in text[:20_000].splitlines()[:_SAMPLE]}
    return widths.pop() if len(widths) == 1 and '"' not in text else 1


def _unquoted(source: Source, text: str, delimiter: str, first: int) -> tuple[list[str], np.ndarray, list[int]]:
    """Count delimiters between line ends: without quotes, nothing more is needed."""
    names = [name.strip() for name in text.partition("\n")[0].split(delimiter)]
    _check_header(source, names, first)
    data = np.frombuffer(text.encode() + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    fields = np.diff(np.searchsorted(np.flatnonzero(data == ord(delimiter)), ends), prepend=0) + 1
    lines = np.arange(first, first + len(ends))
    if len(names) == 1:
        _check_width(source, fields, names, lines, delimiter)
        return names, lines[1:], []
    starts = np.r_[0, ends[:-1] + 1]
    raw = data.tobytes()
    blank = np.array([i for i in np.flatnonzero(fields == 1) if not raw[starts[i] : ends[i]].strip(b" \t")], dtype=int)
    keep = np.ones(len(ends), dtype=bool)
    keep[blank] = False
    _check_width(source, fields[keep], names, lines[keep], delimiter)
    return names, lines[keep][1:], lines[blank].tolist()


def _check_width(source: Source, fields: np.ndarray, names: list[str], lines: np.ndarray, delimiter: str) -> None:
    ragged = np.flatnonzero(fields != len(names))
    if len(ragged):
        raise _ragged(source, int(fields[ragged[0]]), names, int(lines[ragged[0]]), delimiter)


def _ragged(source: Source, width: int, names: list[str], line: int, delimiter: str) -> InputError:
    if width < len(names):
        what = f"the value of {names[width]!r} is missing, or a line break is inside a field"
    else:
        what = f"one {delimiter!r} too many: text that holds it must be in double quotes"
    return source.error(
        f"{width} field{'s' if width != 1 else ''} where the header has {len(names)}: {what} "
        f"(columns are taken to be separated by {delimiter!r})",
        line=line,
    )


def _quoted(source: Source, text: str, delimiter: str, first: int) -> tuple[list[str], np.ndarray, list[int]]:
    """Let the csv module read the records."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    lines: list[int] = []
    blank: list[int] = []
    names: list[str] = []
    begin = 0
    try:
        for row in reader:
            line, begin = first + begin, reader.line_num
            if not names:
                names = [name.strip() for name in row]
                _check_header(source, names, line)
            elif len(row) == len(names) or (len(names) == 1 and not row):
                lines.append(line)
            elif not "".join(row).strip(" \t") and len(row) < 2:
                blank.append(line)
            else:
                raise _ragged(source, len(row), names, line, delimiter)
    except csv.Error as error:
        raise _broken_quote(source, first + begin, first + reader.line_num - 1, str(error)) from None
    return names, np.array(lines, dtype=int), blank


def _broken_quote(source: Source, begin: int, end: int, problem: str) -> InputError:
    if "expected after" in problem:
        return source.error(
            "text after a closing quote; inside quotes, write a quote twice"
            + (f" (or a quote is opened in line {begin} and never closed)" if begin < end else ""),
            line=end,
        )
    size = " (a field has more than 131,072 characters)" if "limit" in problem else ""
    return source.error(f"a quote that is opened here is never closed{size}", line=begin)
