"""From texts and plain values to typed columns.

Decisions are made on the distinct values of a column, so that the code can be plain and still fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames.values import Scalar, is_missing

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.extensions import ExtensionDtype

    from lormika.types import UserValue

    Dtype = np.dtype | ExtensionDtype

EXACT = 2**53  # float64 holds every whole number up to here

_WHOLE = re.compile(r"[+-]?[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([,.'  ][0-9]{3})+([.,][0-9]+)?")  # 26,000
_CODE = re.compile(r"0[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A typed column, how often each missing token occurred, and what a user should know."""

    values: pd.Series
    missing: dict[str, int] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """The distinct values of a column, None for missing, and where each row takes its value from."""

    name: str
    values: list[Scalar | None]
    texts: list[str]  # as they stand in the file
    codes: np.ndarray
    place: Callable[[int], str]  # words for a row: "line 17"

    @property
    def present(self) -> list[int]:
        return [i for i, value in enumerate(self.values) if value is not None]

    def spread(self, values: Sequence[UserValue], dtype: type | Dtype) -> pd.Series:
        import pandas as pd

        return pd.Series(values, dtype=dtype).take(self.codes).reset_index(drop=True)

    def where(self, i: int) -> str:
        return f"{self.texts[i]!r} in {self.place(int(np.flatnonzero(self.codes == i)[0]))}"


def from_texts(
    name: str, texts: pd.Series, missing: frozenset[str], decimal_comma: bool, place: Callable[[int], str]
) -> Column:
    """Type a column of texts: true/false, whole numbers, numbers, or text."""
    import pandas as pd

    codes, distinct = pd.factorize(texts)
    words = [str(word) for word in distinct]
    bare = [word.strip(" \t") for word in words]  # quotes keep the blanks of a text, but not those of a number
    counts = np.bincount(codes, minlength=len(words))
    tokens: dict[str, int] = {}
    for token, count in zip(bare, counts, strict=True):
        if token in missing:
            tokens[token] = tokens.get(token, 0) + int(count)
    scalars, note = _parse([word for word in bare if word not in missing], decimal_comma)
    values = [
        None if b in missing else w if isinstance(scalars[b], str) else scalars[b]
        for w, b in zip(words, bare, strict=True)
    ]
    column = _Distinct(name, values, words, codes, place)
    if note:
        first = next(i for i, word in enumerate(bare) if word not in missing and "," in word)
        return Column(_typed(column).values, tokens, f"column {name!r}: {note}, as in {column.where(first)}")
    polluted = _polluted(column, counts)
    typed = _typed(_as_text(column) if polluted else column)
    return Column(typed.values, tokens, polluted or typed.note)


def from_scalars(
    name: str, values: Sequence[Scalar | None], missing: frozenset[str], place: Callable[[int], str]
) -> Column:
    """Type a column of plain values, as JSON gives them; only uniform columns become numbers or booleans."""
    places: dict[tuple[type, Scalar | None], int] = {}
    cleaned = [
        None if is_missing(value) or (isinstance(value, str) and value in missing) else value for value in values
    ]
    codes = np.array([places.setdefault((type(value), value), len(places)) for value in cleaned], dtype=np.intp)
    distinct = [value for _, value in places]
    tokens: dict[str, int] = {}
    for value in values:
        if isinstance(value, str) and value in missing:
            tokens[value] = tokens.get(value, 0) + 1
    column = _Distinct(name, distinct, [v if isinstance(v, str) else str(v) for v in distinct], codes, place)
    kinds = dict.fromkeys(_kind(value) for value in distinct if value is not None)
    if len(kinds) <= 1:
        typed = _typed(column)
        return Column(typed.values, tokens, typed.note)
    counts = np.bincount(codes, minlength=len(distinct))
    commonest = max(kinds, key=lambda kind: sum(c for v, c in zip(distinct, counts, strict=True) if _kind(v) == kind))
    odd = next(i for i, value in enumerate(distinct) if value is not None and _kind(value) != commonest)
    note = f"column {name!r} is text because of {column.where(odd)}, where other values are {commonest}"
    return Column(_typed(_as_text(column)).values, tokens, note)


def _kind(value: object) -> str:
    return "truths" if isinstance(value, bool) else "numbers" if isinstance(value, int | float) else "texts"


def _parse(words: list[str], decimal_comma: bool) -> tuple[dict[str, Scalar], str | None]:
    if words and all(word.lower() in _TRUTHS for word in words):
        return {word: _TRUTHS[word.lower()] for word in words}, None
    if decimal_comma and any("," in word for word in words) and all(map(_COMMA.fullmatch, words)):
        return {word: _number(word.replace(",", ".")) for word in words}, "the comma is read as a decimal comma"
    return {word: _number(word) for word in words}, None


def parse_numbers(texts: Iterable[str], decimal_comma: bool) -> dict[str, Scalar]:
    """Those of several texts that are numbers, read as a column of only these would be."""
    bare = {text: text.strip(" \t") for text in texts}
    numbers = {text: word for text, word in bare.items() if _NUMBER.fullmatch(word) or _COMMA.fullmatch(word)}
    scalars, _ = _parse(list(numbers.values()), decimal_comma)
    return {text: scalars[word] for text, word in numbers.items()}


def parse_truths(texts: Iterable[str]) -> dict[str, bool]:
    """Those of several texts that are true or false."""
    bare = {text: text.strip(" \t").lower() for text in texts}
    return {text: _TRUTHS[word] for text, word in bare.items() if word in _TRUTHS}


def _number(word: str) -> Scalar:
    if _WHOLE.fullmatch(word):
        return int(word) if len(word) < 4000 else word  # Python refuses to read longer ones
    return float(word) if _NUMBER.fullmatch(word) else word


def _polluted(column: _Distinct, counts: np.ndarray) -> str | None:
    """Say why a column that looks as if it should be numbers is text."""
    words = [i for i in column.present if isinstance(column.values[i], str)]
    numbers = [i for i in column.present if not isinstance(column.values[i], str | bool)]
    if words and all(_THOUSANDS.fullmatch(column.texts[i]) for i in words):
        return f"column {column.name!r} is text because of the separator of thousands in {column.where(words[0])}"
    if not numbers:
        return None
    if words:
        if counts[words].sum() > counts[numbers].sum():
            return None  # texts, a few of which happen to be numbers
        more = f" and {len(words) - 1} more" if len(words) > 1 else ""
        return f"column {column.name!r} is text because of {column.where(words[0])}{more}"
    code = next((i for i in numbers if _CODE.fullmatch(column.texts[i])), None)
    if code is not None:
        return f"column {column.name!r} is text because of the leading zero of {column.where(code)}"
    return None


def _as_text(column: _Distinct) -> _Distinct:
    values: list[Scalar | None] = [
        None if value is None else text for value, text in zip(column.values, column.texts, strict=True)
    ]
    return _Distinct(column.name, values, column.texts, column.codes, column.place)


def _typed(column: _Distinct) -> Column:
    present = [column.values[i] for i in column.present]
    gaps = len(present) < len(column.values)
    if not present:
        return Column(column.spread([np.nan] * len(column.values), np.float64))
    if all(isinstance(value, bool) for value in present):
        return Column(column.spread([np.nan if v is None else v for v in column.values], object if gaps else bool))
    if any(isinstance(value, str) for value in present):
        texts = _as_text(column) if not all(isinstance(value, str) for value in present) else column
        return Column(column.spread(texts.values, _text_type()))
    whole = all(isinstance(value, int) for value in present)
    low, high = (-(2**63), 2**63 - 1) if whole and not gaps else (-EXACT, EXACT)
    large = next((i for i in column.present if isinstance(v := column.values[i], int) and not low <= v <= high), None)
    if large is not None:
        note = f"column {column.name!r} is text because no number type holds {column.where(large)} exactly"
        return Column(column.spread(_as_text(column).values, _text_type()), note=note)
    if whole and not gaps:
        return Column(column.spread(present, np.int64))
    return Column(column.spread([np.nan if v is None else float(v) for v in column.values], np.float64))


def _text_type() -> Dtype:
    """Type that pandas itself gives to texts: str, and object before pandas 3."""
    import pandas as pd

    return pd.Series(["text"]).dtype
