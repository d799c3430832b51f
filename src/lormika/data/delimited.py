"""Delimited text (CSV, TSV, …): structure first, then values.

The structure is checked line by line; pandas then reads the bulk. Columns that are not clean numbers are read again
as texts and typed by `typed_columns`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lormika.data.column_names import pick_columns
from lormika.data.decode import decode
from lormika.data.layout import Layout, find_delimiter, find_layout
from lormika.data.table import Table
from lormika.data.table_bytes import Source
from lormika.data.typed_columns import EXACT, Column, from_texts
from lormika.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_NOT_A_NUMBER = {"NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
_NOT_AVAILABLE = {"NA", "N/A", "n/a", "#NA", "#N/A", "#N/A N/A", "<NA>"}
MISSING = frozenset({"", "?", "NULL", "null", "None"} | _NOT_AVAILABLE | _NOT_A_NUMBER)
"""Tokens that stand for a missing value: those of pandas, and the question mark."""

_BLANKS = " \t"
_PRIVATE = range(0xE000, 0xF900)  # characters that mean nothing: those that a text lacks can stand for its blanks
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def read_delimited(
    source: Source,
    delimiter: str | None,
    missing: frozenset[str] | None,
    encoding: str | None,
    columns: Sequence[str] | None,
) -> Table:
    """Read delimited text."""
    text, used = decode(source, encoding)
    if "\r" in text:  # of all systems; pandas takes a mixture differently from editors
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    skipped = len(text) - len(text.lstrip("\n"))
    text = text.strip("\n")
    delimiter = find_delimiter(source, text) if delimiter is None else delimiter
    layout = find_layout(source, text, delimiter, skipped)
    names = pick_columns(source, layout.names, columns)
    tokens = MISSING if missing is None else missing
    protected, stand_ins = _protect(text)
    parser = _Parser(protected.encode(), delimiter, layout, tokens, stand_ins)
    table_columns = parser.read([layout.names.index(name) for name in names])
    return Table(
        frame=_frame({name: column.values for name, column in table_columns.items()}),
        path=source.path,
        format=source.format,
        compression=source.compression,
        delimiter=delimiter,
        encoding=used,
        missing={name: column.missing for name, column in table_columns.items() if column.missing},
        notes=layout.notes + tuple(column.note for column in table_columns.values() if column.note),
    )


def _frame(columns: dict[str, pd.Series]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns)


def _protect(text: str) -> tuple[str, dict[int, str]]:
    """Keep blanks at the ends of quoted fields from being stripped: the text, and what stands in it for blanks."""
    if '"' not in text or not any(pair in text for pair in ('" ', '"\t', ' "', '\t"')):
        return text, {}
    free = islice((code for code in _PRIVATE if chr(code) not in text), len(_BLANKS))
    stand_ins = dict(zip(free, _BLANKS, strict=False))
    if len(stand_ins) < len(_BLANKS):
        return text, {}
    protecting = {ord(blank): chr(code) for code, blank in stand_ins.items()}

    def keep(match: re.Match[str]) -> str:
        inner = match[1]
        left, right = len(inner) - len(inner.lstrip(" \t")), len(inner.rstrip(" \t"))
        if right <= left:
            return '"' + inner.translate(protecting) + '"'
        return f'"{inner[:left].translate(protecting)}{inner[left:right]}{inner[right:].translate(protecting)}"'

    return _QUOTED.sub(keep, text), stand_ins


@dataclass(frozen=True, slots=True, eq=False)
class _Parser:
    data: bytes
    delimiter: str
    layout: Layout
    missing: frozenset[str]
    stand_ins: dict[int, str]  # to be turned into blanks again

    def read(self, positions: list[int]) -> dict[str, Column]:
        """Read the columns at these positions."""
        bulk = self._parse(positions, na_values=sorted(self.missing))
        coded = self._coded(positions)
        doubtful = [i for i in positions if i in coded or not _is_clean(bulk[i])]
        texts = self._parse(doubtful, dtype=str, na_filter=False) if doubtful else bulk
        columns = {}
        for i in positions:
            name = self.layout.names[i]
            columns[name] = self._typed(name, texts[i]) if i in set(doubtful) else Column(bulk[i])
        return columns

    def _parse(self, positions: list[int], **options: object) -> pd.DataFrame:
        import pandas as pd

        read: Callable[..., pd.DataFrame] = pd.read_csv
        # From pandas 3.1 on, numbers are always read exactly, and the option is deprecated.
        if _pandas_version(pd.__version__) < (3, 1):
            options["float_precision"] = "round_trip"
        frame = read(
            io.BytesIO(self.data),
            sep=self.delimiter,
            header=0,
            names=list(range(len(self.layout.names))),
            usecols=positions,
            index_col=False,
            keep_default_na=False,
            skipinitialspace=True,
            skip_blank_lines=len(self.layout.names) > 1,  # in a single column, a blank line is a missing value
            low_memory=False,
            **options,
        )
        if len(frame) != len(self.layout.lines):
            raise InputError("rows of the file cannot be told apart; put all texts in double quotes")
        return frame

    def _typed(self, name: str, texts: pd.Series) -> Column:
        stripped = texts.str.strip(" \t")
        if self.stand_ins:
            stripped = stripped.str.translate(self.stand_ins)
        lines = self.layout.lines
        return from_texts(name, stripped, self.missing, self.delimiter == ";", lambda row: f"line {lines[row]}")

    def _coded(self, positions: list[int]) -> set[int]:
        """Columns in which a field begins with a zero followed by a digit, as codes such as 01234 do."""
        data = np.frombuffer(self.data, dtype=np.uint8)
        zero = np.flatnonzero(data[1:-1] == ord("0")) + 1
        zero = zero[(data[zero + 1] >= ord("0")) & (data[zero + 1] <= ord("9"))]
        zero = zero[np.isin(data[zero - 1], list(b'\n" \t' + self.delimiter.encode()))]
        if not len(zero) or b'"' in self.data:  # in quotes, a delimiter need not separate: all columns are looked at
            return set(positions) if len(zero) else set()
        breaks = np.flatnonzero(data == ord("\n"))
        delimiters = np.flatnonzero(data == ord(self.delimiter))
        line_starts = np.r_[0, breaks][np.searchsorted(breaks, zero)]
        return set((np.searchsorted(delimiters, zero) - np.searchsorted(delimiters, line_starts)).tolist())


def _is_clean(column: pd.Series) -> bool:
    """Whether pandas' own reading of a column is beyond doubt."""
    if column.dtype == bool:
        return True
    if column.dtype not in (np.int64, np.float64):
        return False
    values = column.to_numpy()
    return bool(column.dtype == np.int64 or (np.isfinite(values).all() and (np.abs(values) < EXACT).all()))


def _pandas_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])
