"""Notes: plain sentences about what a user would wonder about."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence

import numpy as np

from lormika.frames.schema import Feature
from lormika.frames.values import Scalar, format_number, format_value
from lormika.models import Model, Unit
from lormika.options import Filter, SearchOptions
from lormika.rule import Category, Rule
from lormika.stages.background import Background
from lormika.stages.sample import Sample
from lormika.stages.trials import Trials

_EMPTY = {
    Category.CURRENT_SUPPORTING: "no conditions that are true now go with {prediction}",
    Category.CURRENT_CONTRADICTING: "no conditions that are true now go against {prediction}",
    Category.HYPOTHETICAL_SUPPORTING: "no conditions that could become true go with {prediction}",
    Category.HYPOTHETICAL_CONTRADICTING: "no conditions that could become true go against {prediction}",
}

_NOT_CONFIRMED = "of those found among similar rows, none was confirmed by the model for this instance"

_UNCONFIRMED = {
    Category.CURRENT_SUPPORTING: "no value of this instance was seen to be needed for the prediction",
    Category.CURRENT_CONTRADICTING: _NOT_CONFIRMED,
    Category.HYPOTHETICAL_SUPPORTING: _NOT_CONFIRMED,
}

_UNKNOWN = "the model gives labels only, which do not tell how certain it is"

_REQUIRED = {
    Filter.NONE: "in at least {min_count} rows",
    Filter.NONREDUNDANT: "in at least {min_count} rows without being redundant",
    Filter.PRODUCTIVE: "in at least {min_count} rows, and more often than with some of the conditions alone",
    Filter.SIGNIFICANT: "in at least {min_count} rows, and so much more often than with some of the conditions alone "
    "that it is no accident of the sample",
}


def about_instance(background: Background, identifiers: Container[int], instance: np.ndarray) -> Iterator[str]:
    """Values of the instance that the background does not have; those of identifiers are all new."""
    for f, (feature, value) in enumerate(zip(background.schema.features, instance.tolist(), strict=True)):
        observed = background.observed(f)
        if math.isnan(value):
            if len(observed) == len(background.distinct[f]):
                yield f"{feature.name} is missing here but never in the background, so that no similar row lacks it."
        elif not feature.is_numeric:
            if value not in observed and f not in identifiers:
                yield _about_unseen(feature, value)
        elif len(observed) and not observed[0] <= value <= observed[-1]:
            span = f"{format_number(observed[0])} to {format_number(observed[-1])}"
            yield f"{feature.name} = {format_number(value)} lies outside the background, which goes from {span}."


def _about_unseen(feature: Feature, value: float) -> str:
    """What to know of a category that no row of the background has; perhaps it is but written in another way."""
    own = feature.decode(value)
    alike = [known for known in feature.categories or () if known != own and _bare(known) == _bare(own)]
    hint = f" It has {format_value(alike[0])}, which differs in capitals or blanks alone." if alike else ""
    return (
        f"{feature.name} = {format_value(own)} was not seen in the background, so that no similar row has it; the "
        f"model was asked about it as it is, and may not know it either.{hint}"
    )


def _bare(value: Scalar | None) -> str:
    return "".join(str(value).split()).casefold()


def about_neighbourhood(neighbours: int, n_rows: int) -> Iterator[str]:
    """A neighbourhood that is no neighbourhood."""
    if 2 * neighbours > n_rows:
        yield (
            f"The similar rows take in {neighbours:,} of the {n_rows:,} rows of the background, so the rules say more "
            "about all of it than about this instance; a smaller min_neighbours or a larger background keeps them near."
        )


def about_model(model: Model, repeats: bool, known: np.ndarray, sample: Sample) -> Iterator[str]:
    """Signs that the model decides by a threshold, or is not a fixed function of the row."""
    if model.decide is not None and not model.scores:
        yield "The model decides by a rule or threshold of its own: its label need not be its most probable class."
    changed = int((known != sample.labels[sample.real]).sum())
    if changed:
        yield (
            f"The model labels {changed} of the {len(known)} real rows otherwise than in the background: it is not "
            "deterministic, or the labels given for the background are not its own."
        )
    if not repeats:
        yield "Asked twice about this instance, the model did not answer the same: it is not deterministic."


def about_rules(
    rules: Sequence[Rule], sample: Sample, prediction: Scalar, options: SearchOptions, unit: Unit
) -> Iterator[str]:
    """Why a kind of rule is empty."""
    labels = np.unique(sample.labels)
    if len(labels) == 1:
        only = format_value(sample.classes[labels[0]])
        yield f"The model labels every similar row {only}, so there is nothing that tells one class from another."
        return
    found = {rule.category for rule in rules}
    for category, reason in _EMPTY.items():
        if category in found or (options.confirm and category == Category.COUNTERFACTUAL):
            continue
        kind = category.value.replace("_", " ")
        if options.per == "overall":
            yield f"No {kind} rule is among the {options.k} best overall."
            continue
        if options.confirm:
            is_unknown = unit == "label" and category != Category.CURRENT_SUPPORTING
            yield f"No {kind} rule: {_UNKNOWN if is_unknown else _UNCONFIRMED[category]}."
            continue
        why = reason.format(prediction=format_value(prediction))
        yield f"No {kind} rule: {why} {_REQUIRED[Filter(options.filter)].format(min_count=options.min_count)}."


def about_codes(rules: Sequence[Rule], background: Background, codes: Iterable[int]) -> Iterator[str]:
    """Numbers in the rules that may be codes: whether their order means anything, only the user knows."""
    told = {condition.feature for rule in rules for condition in rule.conditions}
    for f in sorted(codes):
        name, observed = background.schema.names[f], background.observed(f)
        if name in told:
            span = f"from {format_number(observed[0])} to {format_number(observed[-1])}"
            yield (
                f"{name} is taken for an amount; it has {len(observed)} different whole numbers, {span}. Are they "
                "codes, whose order means nothing? Then name it in categorical (--categorical), and rules say which."
            )


def about_trials(rules: Sequence[Rule], trials: Trials | None, options: SearchOptions) -> Iterator[str]:
    """What was tried without success."""
    if trials is None or not options.confirm:
        return
    if not trials.ways:
        yield "No hypothetical contradicting rule: no change that was tried turns the prediction."
    elif trials.from_unlike:
        yield (
            "No change of up to three features that was tried turns the prediction; the one shown was made from the "
            "nearest real row with another label, by taking back as many of its values as possible."
        )
