"""What rules, and changes of instances, have in common.

Ranges of numbers are cut anew around every instance, so that a rule hardly ever occurs twice to the letter. A pattern
is a rule without the numbers at the ends of its ranges, or a change without the size of its steps; the numbers stand
beside it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# In JSON without blanks, a text before a colon is a key: the quotes that a name holds are escaped.
_NUMBER = r"-?[0-9][0-9.eE+-]*"
_LEFT_OUT = rf'("(?:low|high)":){_NUMBER}|,"integer":(?:true|false)'
_EMPTY_END = re.compile(r'("(?:low|high)":)(?=[,}])')
_END_KEY = r'"(?:low|high)":'
_END_VALUE = rf'^(?:(?P<number>{_NUMBER})|null)(?:,"integer":(?P<whole>true|false))?'


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """A pattern for each of many rules, or changes."""

    codes: np.ndarray  # of the pattern of each
    texts: list[str]  # the patterns, as JSON
    features: list[list[str]]  # of each pattern
    numbers: np.ndarray  # of each (rows) what its pattern leaves out (columns); NaN: nothing
    whole: np.ndarray  # of each, whether the first, second … range is of whole numbers; NaN: no such range

    def take(self, which: np.ndarray) -> Patterns:
        """Of some rules, or changes."""
        return replace(self, codes=self.codes[which], numbers=self.numbers[which], whole=self.whole[which])


def rule_patterns(conditions: pa.ChunkedArray) -> Patterns:
    """Patterns of rules: the conditions, with 0 at the ends of ranges that are not open.

    `numbers` has a column for the lower end of the first range, one for its upper end, and so on.

    >>> import pyarrow as pa
    >>> one = '[{"type":"interval","feature":"age","low":%s,"high":null,"integer":true}]'
    >>> found = rule_patterns(pa.chunked_array([[one % 25.5, one % 31]]))
    >>> found.texts, found.codes.tolist(), found.numbers.tolist()
    (['[{"type":"interval","feature":"age","low":0,"high":null}]'], [0, 0], [[25.5, nan], [31.0, nan]])
    """
    import pyarrow.compute as pc

    encoded = conditions.combine_chunks().dictionary_encode()
    texts, codes = encoded.dictionary, encoded.indices.to_numpy()
    patterns = pc.replace_substring_regex(texts, _LEFT_OUT, r"\1").dictionary_encode()
    numbers, whole = _ends(texts)
    known = [_EMPTY_END.sub(r"\g<1>0", text) for text in patterns.dictionary.to_pylist()]
    return Patterns(
        codes=patterns.indices.to_numpy()[codes],
        texts=known,
        features=[[condition["feature"] for condition in json.loads(text)] for text in known],
        numbers=numbers[codes],
        whole=whole[codes],
    )


def _ends(texts: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers at the ends of ranges, and whether these are of whole numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pieces = pc.split_pattern_regex(texts, _END_KEY)  # the first of each text stands before its first range
    lengths = pc.list_value_length(pieces).to_numpy()
    owner = np.repeat(np.arange(len(texts)), lengths)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) - 1
    is_end = place >= 0
    owner, place = owner[is_end], place[is_end]
    found = pc.extract_regex(pieces.flatten().filter(pa.array(is_end)), _END_VALUE)
    numbers = np.full((len(texts), 2 * ((lengths.max(initial=1)) // 2)), np.nan)
    text = pc.if_else(pc.equal(found.field("number"), ""), "nan", found.field("number"))
    numbers[owner, place] = text.cast(pa.float64()).to_numpy(zero_copy_only=False)
    whole = np.full((len(texts), numbers.shape[1] // 2), np.nan)
    is_upper = place % 2 == 1
    said = pc.equal(found.field("whole"), "true").to_numpy(zero_copy_only=False)
    whole[owner[is_upper], place[is_upper] // 2] = said[is_upper]
    return numbers, whole


def change_patterns(edits: pd.Series[Any], rules: Patterns) -> Patterns:
    """Patterns of changes: the feature and `up`, `down`, `to` with a value, or `given` if it was missing.

    `rules` are those that the changes make true: they tell numbers from categories that are written as such. `numbers`
    has a column for the first feature before, one for it after, and so on.

    >>> import pandas as pd, pyarrow as pa
    >>> low = '{"type":"interval","feature":"age","low":30.5,"high":null,"integer":true}'
    >>> rules = rule_patterns(pa.chunked_array([[f'[{low},{{"type":"equals","feature":"grade","value":3}}]']]))
    >>> one = '[{"feature":"age","before":20,"after":31},{"feature":"grade","before":1,"after":3}]'
    >>> found = change_patterns(pd.Series([one]), rules)
    >>> found.texts, found.numbers.tolist()
    (['[["age","up"],["grade","to",3]]'], [[20.0, 31.0, nan, nan]])
    """
    import pandas as pd

    texts, distinct = pd.factorize(edits)
    codes, pairs = pd.factorize(texts * len(rules.texts) + rules.codes)
    categorical = [_categorical(text) for text in rules.texts]
    parsed = [json.loads(distinct[pair // len(rules.texts)]) for pair in pairs.tolist()]
    steps = [
        [_step(edit, edit["feature"] in categorical[pair % len(rules.texts)]) for edit in one]
        for one, pair in zip(parsed, pairs.tolist(), strict=True)
    ]
    of, known = pd.factorize(
        np.array([json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in steps], dtype=object)
    )
    numbers = np.full((len(parsed), 2 * max(map(len, parsed), default=0)), np.nan)
    for number, (one, way) in enumerate(zip(parsed, steps, strict=True)):
        for place, edit in enumerate(one):
            if way[place][1] in ("up", "down"):
                numbers[number, 2 * place : 2 * place + 2] = edit["before"], edit["after"]
    return Patterns(
        codes=of[codes] if len(codes) else codes,
        texts=list(known),
        features=[[step[0] for step in json.loads(text)] for text in known],
        numbers=numbers[codes],
        whole=np.empty((len(codes), 0)),
    )


def _step(edit: dict[str, Any], categorical: bool) -> list[Any]:
    """What became of one feature."""
    feature, before, after = edit["feature"], edit["before"], edit["after"]
    if categorical or after is None or isinstance(after, str | bool):
        return [feature, "to", after]
    return [feature, "given"] if before is None else [feature, "up" if after > before else "down"]


def _categorical(pattern: str) -> set[str]:
    """Features of which a pattern wants a category."""
    return {condition["feature"] for condition in json.loads(pattern) if condition["type"] == "equals"}
