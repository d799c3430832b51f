"""What a live view must know of the data: columns, their kinds, and how their values are distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames.feature import Feature
from lormika.frames.values import Scalar
from lormika.live.axes import axis_points
from lormika.option import options_of
from lormika.options import SearchOptions
from lormika.parts import Parts
from lormika.types import JsonObject

if TYPE_CHECKING:
    from lormika.labels import Labels

_BINS = 24
_MOST_CATEGORIES = 200  # at once; others are searched for
_MOST_RULES = 20
_STEPS = 200  # of a slider, at least


def describe_features(parts: Parts) -> list[JsonObject]:
    """All features, in the order of the background."""
    return [_feature(parts, f, feature) for f, feature in enumerate(parts.schema.features)]


def _feature(parts: Parts, f: int, feature: Feature) -> JsonObject:
    background, labels = parts.background, parts.labels
    counts = np.bincount(background.codes[f], minlength=len(background.distinct[f]))
    missing = int(counts[-1]) if np.isnan(background.distinct[f][-1]) else 0
    entry = labels.features.get(feature.name)
    common: JsonObject = {
        "name": feature.name,
        "label": labels.name(feature.name),
        "group": labels.group_of(feature.name),
        "missing": missing,
        "may_be_missing": feature.restorer.holds_missing,
    }
    observed = background.observed(f)
    if not feature.is_numeric:
        categories = list_categories(parts, f)
        return common | {
            "kind": "category",
            "ordered": feature.is_ordered,
            "open": all(isinstance(one["value"], str) for one in categories),
            "distinct": len(categories),
            "categories": categories[:_MOST_CATEGORIES],
        }
    whole = feature.integer or (len(observed) > 0 and background.is_whole(f))
    return common | {
        "kind": "number",
        "unit": None if entry is None else entry.unit,
        "decimals": None if entry is None else entry.decimals,
        "whole": whole,
        "least": _plain(observed[0], whole) if len(observed) else None,
        "greatest": _plain(observed[-1], whole) if len(observed) else None,
        "step": _step(observed, whole),
        "quantiles": list(parts.features[f].quantiles),
        "axis": list(axis_points(parts.features[f].quantiles)),
        "histogram": _histogram(observed, counts[: len(observed)]),
    }


def list_categories(parts: Parts, f: int) -> list[JsonObject]:
    """Categories of a feature, the most frequent first; also those that its type lists and no row has."""
    feature, background = parts.schema.features[f], parts.background
    rows = np.zeros(len(feature.categories or ()), dtype=np.int64)
    counts = np.bincount(background.codes[f], minlength=len(background.distinct[f]))
    observed = background.observed(f).astype(np.intp)
    rows[observed] = counts[: len(observed)]
    order = np.argsort(-rows, kind="stable").tolist()
    return [_category(parts.labels, feature, place, int(rows[place])) for place in order]


def _category(labels: Labels, feature: Feature, place: int, rows: int) -> JsonObject:
    assert feature.categories is not None
    value = feature.categories[place]
    return {"value": value, "text": labels.write(feature.name, value), "rows": rows}


def _plain(value: float, whole: bool) -> Scalar:
    return int(value) if whole else float(value)


def _step(observed: np.ndarray, whole: bool) -> float:
    """The smallest step of a slider: 1, or a power of ten by which the range has some hundred steps.

    >>> _step(np.array([0.0, 0.95]), False), _step(np.array([3.0, 90.0]), True)
    (0.001, 1)
    """
    if whole:
        return 1
    width = float(observed[-1] - observed[0]) if len(observed) else 0.0
    if not 0 < width < math.inf:
        return 1
    return float(f"1e{math.floor(math.log10(width / _STEPS))}")


def _histogram(observed: np.ndarray, counts: np.ndarray) -> JsonObject | None:
    """Rows in bins of equal width; as many bins as there are values, if these are few."""
    if len(observed) < 2 or not np.isfinite(observed[-1] - observed[0]):
        return None
    bins = min(_BINS, len(observed))
    heights, edges = np.histogram(observed, bins=bins, weights=counts)
    return {"edges": edges.tolist(), "counts": heights.astype(np.int64).tolist()}


def describe_options(parts: Parts) -> JsonObject:
    """The options of a question, as a page offers them."""
    known, defaults = options_of(SearchOptions), parts.search
    objective = known["objective"]
    return {
        "objective": {"default": defaults.objective, "choices": list(objective.choices), "text": objective.text},
        "k": {"default": defaults.k, "least": 1, "greatest": _MOST_RULES, "text": known["k"].text},
        "target": {"choices": list(parts.model.names), "text": "Class that a change must lead to."},
        "at_least": {"least": 0, "greatest": 1, "text": known["at_least"].text},
        "spread": {"default": defaults.spread, "text": known["spread"].text},
        "detail": {"default": "plain", "choices": ["plain", "detailed"], "text": "With or without figures."},
    }
