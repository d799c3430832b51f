"""True here: whether what explainers show is true of the instance itself; in the order of the tables."""

from __future__ import annotations

from collections.abc import Sequence

from lormika.evaluation.measure import Measure, Values, agreement, each, or_nan, several
from lormika.evaluation.record import Record
from lormika.rule import Category

_DRAWN = "With values drawn from the background by the evaluation, the same for all explainers."


def _truth(kind: Category) -> Values:
    return several(lambda record: record.truth.get(kind.value, ()))


def _repeated(kind: Category) -> Values:
    return several(lambda record: record.truth.get("repeated", {}).get(kind.value, ()))


def _turns(record: Record) -> Sequence[bool]:
    """For each counterfactual, rule or row, whether it turns the instance."""
    return record.turned or record.recourse.get("valid", ())


def _first_changed(record: Record) -> Sequence[str]:
    """Features that the first counterfactual changes."""
    return next(iter(record.recourse.get("features", ())), ())


def _counterfactual(record: Record) -> bool:
    return len(_turns(record)) > 0


HERE_MEASURES = (
    Measure(
        "true-current-supporting", "True here: current supporting rules",
        "Share of these rules that, once broken, leave the model less certain of its prediction, on average. " + _DRAWN,
        _truth(Category.CURRENT_SUPPORTING),
    ),
    Measure(
        "true-current-contradicting", "True here: current contradicting rules",
        "Share of these rules that, once broken, leave the model more certain of its prediction, on average. " + _DRAWN,
        _truth(Category.CURRENT_CONTRADICTING),
    ),
    Measure(
        "true-hypothetical-supporting", "True here: hypothetical supporting rules",
        "Share of these rules that, made true, leave the model more certain of its prediction, on average. " + _DRAWN,
        _truth(Category.HYPOTHETICAL_SUPPORTING),
    ),
    Measure(
        "inside", "Values inside counterfactual rules that turn the instance",
        "Share of the values inside the conditions of such a rule that turn the instance, mean over rules. " + _DRAWN,
        _truth(Category.COUNTERFACTUAL),
    ),
    Measure(
        "turned-any", "Instances with a counterfactual that turns them",
        "Share of explanations with at least one: a row, or a rule after the smallest edit that satisfies it.",
        each(lambda record: float(any(_turns(record)))), needs=_counterfactual,
    ),
    Measure(
        "missed-single", "Single features missed",
        "Of the instances that one feature alone turns (set to a decile, the least or the greatest value of the "
        "background, or a category with at least a hundredth of its rows), the share for which no counterfactual is "
        "shown that changes one feature only.",
        each(lambda record: or_nan(record.truth.get("missed_single"))), least_is_best=True, needs=_counterfactual,
    ),
    Measure(
        "repeated-hypothetical-supporting", "Repeated: hypothetical supporting rules",
        "Share of these rules that change the same features as an earlier one of the explanation.",
        _repeated(Category.HYPOTHETICAL_SUPPORTING), least_is_best=True,
    ),
    Measure(
        "repeated-counterfactual", "Repeated: counterfactual rules",
        "Share of these rules that change the same features as an earlier one of the explanation.",
        _repeated(Category.COUNTERFACTUAL), least_is_best=True,
    ),
    Measure(
        "jaccard-counterfactual", "Stability of the first counterfactual",
        "Jaccard coefficient of the features that it changes, mean over the pairs of runs.",
        agreement(_first_changed), needs=_counterfactual,
    ),
    Measure(
        "jaccard-effect", "Stability of the first effect",
        "Share of the pairs of runs that agree on the feature with the largest effect.",
        agreement(lambda record: record.more.get("effects", [])[:1]),
    ),
    Measure(
        "jaccard-effects", "Stability of the first three effects",
        "Jaccard coefficient of the three features with the largest effects, mean over the pairs of runs.",
        agreement(lambda record: record.more.get("effects", [])[:3]),
    ),
)  # fmt: skip
