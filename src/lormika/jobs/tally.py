"""Counts of one part of a run, as small tables that add up to those of the whole run."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError
from lormika.jobs.patterns import Patterns, change_patterns, rule_patterns
from lormika.rule import Category

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

KINDS = [category.value for category in Category]

RULE_COLUMNS = [
    "row", "category", "consequent", "confidence", "condition_list", "edit_list", "rerun_label",
    "rerun_prediction_probability", "turned",
]  # fmt: skip
INSTANCE_COLUMNS = ["row", "prediction", "probability", "error", *KINDS, "turned"]

MOST_PATTERNS = 100_000
"""That are kept while counting; beyond, the rarest of each class are forgotten."""

_MOST_RANGES = 20  # of one condition of a pattern: the most common of many are no more than a few rules each
_ENDS: list[Hashable] = ["range", "low", "high"]  # which range of a rule it is, and its ends
_OF_NUMBERS = {"sum": "sum", "least": "min", "most": "max"}
_NOT_SUMS = {"least": "min", "most": "max", "whole": "min", "members": "first"}


def tally(instances: pa.Table, rules: pa.Table) -> dict[str, pd.DataFrame]:
    """Tables of one part; the key of each is its index.

    `classes`: rows, and those with a rule of each kind and with one that turned them. `errors`: rows by reason.
    `kinds`: rules of each class and kind, how many the model was asked about, and how many it agreed with. `features`
    and `patterns`: rows with such a rule, and what a pattern consists of; `ranges`: of whole numbers, rules of a
    pattern with the same ends. `changes` and `changed`: rows that such a change, or one of that feature, turned.
    """
    rows = _read_instances(instances)
    counted = _read_rules(rules, rows)
    patterns = rule_patterns(rules["condition_list"])
    turned = np.flatnonzero(counted["turned"])
    changes = change_patterns(rules["edit_list"].take(turned), patterns.take(turned))
    turning = counted.iloc[turned].assign(
        to=rules["rerun_label"].take(turned).to_pandas().astype("category").to_numpy()
    )
    return {
        "classes": _count_classes(rows),
        "errors": _count_errors(instances["error"]),
        "kinds": _plain(counted.groupby(["prediction", "kind"], observed=True)[["rules", "tested", "kept"]].sum()),
        "features": _count_features(counted, patterns, ["prediction", "kind"]),
        "patterns": _count_patterns(counted, patterns, ["prediction", "kind", "consequent"]),
        "ranges": _keep_common(_count_ranges(counted, patterns)),
        "changes": _count_patterns(turning, changes, ["prediction", "to"]),
        "changed": _count_features(turning, changes, ["prediction"]),
    }


def combine(tallies: Sequence[dict[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """Tables of several parts as those of all of them."""
    import pandas as pd

    combined = {}
    for name, first in tallies[0].items():
        tables = [one[name] for one in tallies if len(one[name])]
        if len(tables) < 2:
            combined[name] = tables[0] if tables else first
            continue
        together = pd.concat(tables)
        how: dict[Hashable, str] = {column: _NOT_SUMS.get(column.split()[0], "sum") for column in together.columns}
        combined[name] = together.groupby(level=list(together.index.names), sort=False).agg(how)
    return combined


def forget_rarest(tables: dict[str, pd.DataFrame], most: int = MOST_PATTERNS) -> int:
    """Keep the tables small; return by how many rows a pattern's count may now be too low."""
    missed = 0
    for name in ("patterns", "changes"):
        table = tables[name]
        if len(table) > most:
            groups = table.groupby(level=[0, 1], sort=False)["rows"]
            keep = (groups.rank(ascending=False, method="first") <= max(1, most // 2 // groups.ngroups)).to_numpy()
            missed = max(missed, int(table["rows"].to_numpy()[~keep].max(initial=0)))
            tables[name] = table[keep]
    ranges = _keep_common(tables["ranges"])
    tables["ranges"] = ranges[ranges.droplevel(_ENDS).index.isin(tables["patterns"].index)]
    return missed


def _keep_common(ranges: pd.DataFrame) -> pd.DataFrame:
    """Of each condition, the most common ends."""
    names = [name for name in ranges.index.names if name not in ("low", "high")]
    ranked = ranges.sort_index().sort_values("rules", ascending=False, kind="stable")
    return ranked.groupby(level=names, sort=False).head(_MOST_RANGES)


def _read_instances(table: pa.Table) -> pd.DataFrame:
    rows: pd.DataFrame = table.drop_columns(["error"]).to_pandas()
    if not rows["row"].is_unique:
        raise InputError("a row is there more than once")
    rows["prediction"] = rows["prediction"].astype("category")
    return rows.set_index("row")


def _read_rules(table: pa.Table, rows: pd.DataFrame) -> pd.DataFrame:
    """What is counted of each rule."""
    import pandas as pd

    at = rows.index.get_indexer(pd.Index(table["row"].to_numpy()))
    prediction = rows["prediction"].cat.codes.to_numpy()[at]
    if (at < 0).any() or (prediction < 0).any():
        raise InputError("it holds rules about rows that are not among the explained ones")
    kind = pd.Categorical(table["category"].to_pandas(), KINDS)
    if (kind.codes < 0).any():
        raise InputError("it holds a rule of an unknown kind")
    turning = kind.codes == KINDS.index(Category.COUNTERFACTUAL)
    surer = kind.codes == KINDS.index(Category.HYPOTHETICAL_SUPPORTING)
    turned = table["turned"].fill_null(False).to_numpy()
    confidence = _floats(table["confidence"])
    before, after = rows["probability"].to_numpy(dtype=float)[at], _floats(table["rerun_prediction_probability"])
    return pd.DataFrame(
        {
            "row": at,
            "prediction": pd.Categorical.from_codes(prediction, rows["prediction"].cat.categories),
            "kind": kind,
            "consequent": pd.Categorical(table["consequent"].to_pandas()),
            "rules": 1,
            "confidence": confidence,
            "matched": ~np.isnan(confidence),  # of a rule that no similar row matches, there is none
            # Whether the model was asked, and did what the rule says: turn, or be more certain.
            "tested": (turning & table["turned"].is_valid().to_numpy()) | (surer & ~np.isnan(before + after)),
            "kept": (turning & turned) | (surer & ~turned & (after > before)),
            "turned": turning & turned,
        }
    )


def _floats(column: pa.ChunkedArray) -> np.ndarray:
    import pyarrow as pa

    values: np.ndarray = column.cast(pa.float64()).to_numpy()
    return values


def _count_classes(rows: pd.DataFrame) -> pd.DataFrame:
    explained = rows[rows["prediction"].notna()]
    present = (explained[[*KINDS, "turned"]].fillna(0) > 0).astype(int)
    chance = explained["probability"].astype(float)
    counted = present.assign(rows=1, probability=chance.fillna(0.0), with_probability=chance.notna().astype(int))
    return _plain(counted.groupby(explained["prediction"], observed=True).sum())


def _count_errors(errors: pa.ChunkedArray) -> pd.DataFrame:
    """Count reasons; those that differ only in numbers, such as the row number, count as one."""
    import pandas as pd
    import pyarrow.compute as pc

    failed = errors.drop_null()
    alike = pc.replace_substring_regex(failed, "[0-9]+", "#").to_pandas()
    groups = failed.to_pandas().groupby(alike)
    columns = {"rows": groups.size(), "least": groups.min(), "most": groups.max()}
    return pd.DataFrame(columns).rename_axis("reason")


def _count_patterns(rules: pd.DataFrame, patterns: Patterns, keys: list[str]) -> pd.DataFrame:
    """Rows with each pattern, and its numbers."""
    import pandas as pd

    keys = [*keys, "pattern"]
    counted = rules.assign(pattern=_named(patterns))
    how: dict[str, tuple[str, str]] = {
        name: (name, "sum") for name in ("rules", "confidence", "matched", "tested", "kept")
    }
    for place, numbers in enumerate(patterns.numbers.T):
        counted[f"number {place}"] = numbers
        how |= {f"{word} {place}": (f"number {place}", function) for word, function in _OF_NUMBERS.items()}
    for place, whole in enumerate(patterns.whole.T):
        counted[f"whole {place}"] = whole
        how[f"whole {place}"] = (f"whole {place}", "min")
    table = _plain(counted.groupby(keys, observed=True).agg(**how).assign(rows=_rows_with(counted, keys)))
    members = dict(zip(patterns.names, patterns.members, strict=True))
    own = [members[name] for name in table.index.get_level_values("pattern")]
    return table.assign(members=pd.Series(own, table.index, dtype=object))


def _named(patterns: Patterns) -> pd.Categorical:
    import pandas as pd

    return pd.Categorical.from_codes(patterns.codes, pd.Index(patterns.names, dtype=object))


def _count_ranges(counted: pd.DataFrame, patterns: Patterns) -> pd.DataFrame:
    """Rules with the same first and last whole number of a range; an open end is infinite."""
    import pandas as pd

    keys = ["prediction", "kind", "consequent", "pattern"]
    rules = counted[keys[:-1]].assign(pattern=_named(patterns), range=0, low=0.0, high=0.0, rules=1)
    tables = [rules[:0]]
    for place, whole in enumerate(patterns.whole.T):
        own = whole == 1
        low, high = np.ceil(patterns.numbers[own, 2 * place : 2 * place + 2]).T
        ends = {"low": np.where(np.isnan(low), -np.inf, low), "high": np.where(np.isnan(high), np.inf, high - 1)}
        tables.append(rules[own].assign(range=place, **ends))
    return _plain(pd.concat(tables).groupby([*keys, *_ENDS], observed=True)[["rules"]].sum())


def _count_features(rules: pd.DataFrame, patterns: Patterns, keys: list[str]) -> pd.DataFrame:
    """Rows with a pattern of each feature."""
    import pandas as pd

    lengths = np.array([len(members) for members in patterns.members], dtype=np.intp)
    features = [member["feature"] for members in patterns.members for member in members]
    codes, names = pd.factorize(np.array(features, dtype=object))
    starts = np.cumsum(lengths) - lengths
    each = lengths[patterns.codes]
    rule = np.repeat(np.arange(len(rules)), each)
    place = np.arange(len(rule)) - np.repeat(np.cumsum(each) - each, each)
    feature = pd.Categorical.from_codes(codes[starts[patterns.codes[rule]] + place], pd.Index(names))
    keys = [*keys, "feature"]
    return _plain(_rows_with(rules.iloc[rule].assign(feature=feature), keys).to_frame("rows"))


def _rows_with(rules: pd.DataFrame, keys: list[str]) -> pd.Series:
    n_rows: pd.Series = rules[["row", *keys]].drop_duplicates().groupby(keys, observed=True).size()
    return n_rows


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """With texts as its key: those of several parts are to be combined."""
    names = list(table.index.names)
    flat = table.reset_index()
    return flat.astype(dict.fromkeys(names, object)).set_index(names)
