"""The paper's measures, and others of the best rule; in the order of their tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lormika.evaluation import measures
from lormika.evaluation.measure import Measure, Values, each, or_nan
from lormika.evaluation.record import Record
from lormika.rule import Category


def _own(name: str) -> Values:
    return each(lambda record: record.own.get(name, math.nan))


def _common(name: str) -> Values:
    return each(lambda record: record.common.get(name, math.nan))


def _kind(kind: Category) -> Values:
    return each(lambda record: float(record.kinds.get(kind.value, 0) > 0))


def _gives_rules(record: Record) -> bool:
    return bool(record.kinds) or "repeated" in record.truth  # even if it found none


def _stability(records: Sequence[Record]) -> list[float]:
    return [measures.stability([record.features if record.common else None for record in records])]


def _stability_of(name: str) -> Values:
    def values(records: Sequence[Record]) -> list[float]:
        return [measures.stability([record.more[name] or None for record in records if name in record.more])]

    return values


def _confidence_by_confidence(record: Record) -> float:
    return or_nan(record.more.get("common_by_confidence", {}).get("confidence"))


def _features_by(objective: str) -> Values:
    return each(lambda record: float(record.more.get("features_by", {}).get(objective, math.nan)))


def _n_features(record: Record) -> float:
    return float(len(record.features)) if record.common else math.nan  # without a best rule there is nothing to count


def _turned(records: Sequence[Record]) -> list[float]:
    return [float(turned) for record in records for turned in record.turned]


def _first_turned(records: Sequence[Record]) -> list[float]:
    return [float(record.turned[0]) for record in records if record.turned]


_OWN = (
    "Every explainer on its own neighbourhood; lormika-paper is searched for this measure, among rules of every kind, "
    "lormika shows its best current supporting rule by leverage. Anchor's neighbourhood knows the predicted class "
    "alone: its lift is its confidence, as in the paper."
)
_COMMON = (
    "The same rules, all measured on one neighbourhood. This library makes it, with a seed of its own: its generated "
    "rows are new to all explainers, its real ones are those that lormika sees, too. A rule that matches no row of it "
    "has no confidence and no lift."
)
_KIND = "Share of explanations with at least one rule of this kind."

PAPER_MEASURES = (
    Measure("coverage", "Coverage", _OWN, _own("coverage"), "coverage"),
    Measure("confidence", "Confidence", _OWN, _own("confidence"), "confidence"),
    Measure("interestingness", "Rate of interestingness, |lift − 1|", _OWN, _own("interestingness"), "interestingness"),
    Measure("common-coverage", "Coverage on common ground", _COMMON, _common("coverage")),
    Measure("common-confidence", "Confidence on common ground", _COMMON, _common("confidence")),
    Measure(
        "common-confidence-confidence", "Confidence on common ground, searched by confidence",
        "Of the best current supporting rule by confidence.", each(_confidence_by_confidence),
    ),
    Measure("common-interestingness", "|lift − 1| on common ground", _COMMON, _common("interestingness")),
    Measure(
        "fidelity", "Local fidelity",
        "On common ground: mean of the share of the rows with the rule's class that match it, and the share of the "
        "other rows that do not. 0.5: the rule says nothing.",
        _common("fidelity"),
    ),
    Measure(
        "seconds", "Run time",
        "Seconds of one explanation, without setting the explainer up.", each(lambda r: r.seconds), "seconds", True,
    ),
    Measure(
        "jaccard", "Stability",
        "Jaccard coefficient of the features of the best rule (of lormika-paper, the rule of the coverage table), mean "
        "over the pairs of runs with different seeds. At its defaults lormika draws nothing at random, and its 1 says "
        "only this; lormika-other-data, without another tenth of the background in every run, shows what its rules do "
        "vary with. Two runs without a rule are not counted; with a rule in one of them only, they do not agree.",
        _stability, "jaccard",
    ),
    Measure(
        "jaccard-confidence", "Stability, searched by confidence",
        "The same for the best current supporting rule by confidence.", _stability_of("by_confidence"), "jaccard",
    ),
    Measure(
        "jaccard-random", "Stability, rows drawn at random",
        "The same for the best current supporting rule by leverage, at the paper's settings: neighbours of a class "
        "with too many, and generated rows, are drawn with the seed of the run.",
        _stability_of("current_supporting"), "jaccard",
    ),
    Measure(
        "features", "Number of features",
        "Of the best rule; of lormika-paper, the rule of the coverage table.", each(_n_features), "features", True,
    ),
    Measure(
        "features-confidence", "Number of features, searched by confidence",
        "Of the rule of the confidence table.", _features_by("confidence"), "features", True,
    ),
    Measure(
        "features-lift", "Number of features, searched by lift",
        "Of the rule of the interestingness table.", _features_by("lift"), "features", True,
    ),
    Measure(
        "model-calls", "Model calls", "Of one explanation.", each(lambda r: float(r.calls)), None, True
    ),
    Measure(
        "model-rows", "Rows given to the model", "Of one explanation, without setting the explainer up.",
        each(lambda r: float(r.rows)), None, True,
    ),
    Measure(
        "turned", "Counterfactual rules that turn the instance",
        "Share of them for which the model changes its mind after the smallest edit that satisfies the rule.", _turned,
    ),
    Measure(
        "turned-first", "First counterfactual rules that turn the instance",
        "The same for the first such rule of each explanation.", _first_turned,
    ),
    *(Measure(f"found-{kind.value}".replace("_", "-"), f"Found: {kind.value.replace('_', ' ')}", _KIND, _kind(kind),
              needs=_gives_rules)
      for kind in Category),
)  # fmt: skip
