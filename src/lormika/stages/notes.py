"""Notes: plain sentences about what a user might wonder about."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lormika.frames.feature import Feature
from lormika.frames.values import Scalar, format_number, format_value
from lormika.models import Model, Unit
from lormika.options import Filter, SearchOptions
from lormika.rule import Category, Rule
from lormika.stages.background import Background
from lormika.stages.edits import describe
from lormika.stages.goal import ANY, Goal
from lormika.stages.sample import Sample
from lormika.stages.trials import Trials
from lormika.stages.ways import Ways

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

_NOT_PERMITTED = "of those found among similar rows, none is permitted, and confirmed by the model for this instance"

_UNKNOWN = "the model gives labels only, which do not tell how certain it is"

_REQUIRED = {
    Filter.NONE: "in at least {min_count} rows",
    Filter.NONREDUNDANT: "in at least {min_count} rows without being redundant",
    Filter.PRODUCTIVE: "in at least {min_count} rows, and more often than with some of the conditions alone",
    Filter.SIGNIFICANT: "in at least {min_count} rows, and so much more often than with some of the conditions alone "
    "that it is no accident of the sample",
}


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence that comes with an explanation.

    >>> print(Note("age = 7 lies outside the background, which goes from 18 to 80."))
    age = 7 lies outside the background, which goes from 18 to 80.
    """

    text: str
    category: Category | None = None  # the kind of rule that it says there is none of; None: it is about something else

    def __str__(self) -> str:
        return self.text


def about_instance(background: Background, identifiers: Container[int], instance: np.ndarray) -> Iterator[Note]:
    """Values of the instance that do not occur in the background; those of identifiers are always new."""
    for f, (feature, value) in enumerate(zip(background.schema.features, instance.tolist(), strict=True)):
        observed = background.observed(f)
        if math.isnan(value):
            if len(observed) == len(background.distinct[f]):
                never = "is missing here but never in the background, so that no similar row lacks it"
                yield Note(f"{feature.name} {never}.")
        elif not feature.is_numeric:
            if value not in observed and f not in identifiers:
                yield _about_unseen(feature, value)
        elif len(observed) and not observed[0] <= value <= observed[-1]:
            span = f"{format_number(observed[0])} to {format_number(observed[-1])}"
            yield Note(f"{feature.name} = {format_number(value)} lies outside the background, which goes from {span}.")


def _about_unseen(feature: Feature, value: float) -> Note:
    """What to know about a category that no row of the background has; it may only be spelt differently."""
    own = feature.decode(value)
    alike = [category for category in feature.categories or () if category != own and _bare(category) == _bare(own)]
    hint = f" It has {format_value(alike[0])}, which differs in capitals or blanks alone." if alike else ""
    return Note(
        f"{feature.name} = {format_value(own)} was not seen in the background, so that no similar row has it; the "
        f"model was asked about it as it is, and may not know it either.{hint}"
    )


def _bare(value: Scalar | None) -> str:
    return "".join(str(value).split()).casefold()


def about_neighbourhood(neighbours: int, n_rows: int) -> Iterator[Note]:
    """A neighbourhood that is not really one."""
    if 2 * neighbours > n_rows:
        yield Note(
            f"The similar rows take in {neighbours:,} of the {n_rows:,} rows of the background, so the rules say more "
            "about all of it than about this instance; a smaller min_neighbours or a larger background keeps them near."
        )


def about_model(model: Model, repeats: bool, labels: np.ndarray, sample: Sample) -> Iterator[Note]:
    """Signs that the model decides by a threshold, or is not a fixed function of the row.

    `labels` are those that the real rows of the sample have in the background.
    """
    if model.threshold is not None:
        first, second = map(format_value, model.names)
        yield Note(f"The prediction is {second} if its probability is at least {model.threshold:g}, else {first}.")
    if model.decide is not None and not model.scores:
        yield Note(
            "The model decides by a rule or threshold of its own: its label need not be its most probable class."
        )
    changed = int((labels != sample.labels[sample.real]).sum())
    if changed:
        yield Note(
            f"The model labels {changed} of the {len(labels)} real rows otherwise than in the background: it is not "
            "deterministic, or the labels given for the background are not its own."
        )
    if not repeats:
        yield Note("Asked twice about this instance, the model did not answer the same: it is not deterministic.")


def about_rules(
    rules: Sequence[Rule], sample: Sample, prediction: Scalar, options: SearchOptions, unit: Unit, goal: Goal
) -> Iterator[Note]:
    """Why a kind of rule is empty."""
    labels = np.unique(sample.labels)
    if len(labels) == 1:
        only = format_value(sample.classes[labels[0]])
        yield Note(f"The model labels every similar row {only}, so there is nothing that tells one class from another.")
        return
    present = {rule.category for rule in rules}
    for category in _EMPTY:
        if category not in present and not (options.confirm and category == Category.COUNTERFACTUAL):
            reason = _reason(category, prediction, options, unit)
            if reason.endswith(_NOT_CONFIRMED) and goal.permission is not None and not category.is_current:
                reason = f": {_NOT_PERMITTED}"
            yield Note(f"No {category.value.replace('_', ' ')} rule{reason}.", category)


def _reason(category: Category, prediction: Scalar, options: SearchOptions, unit: Unit) -> str:
    """The rest of a sentence saying that there is no rule of a kind."""
    if options.per == "overall":
        return f" is among the {options.k} best overall"
    if options.confirm:
        is_unknown = unit == "label" and category != Category.CURRENT_SUPPORTING
        return f": {_UNKNOWN if is_unknown else _UNCONFIRMED[category]}"
    why = _EMPTY[category].format(prediction=format_value(prediction))
    return f": {why} {_REQUIRED[Filter(options.filter)].format(min_count=options.min_count)}"


def about_codes(rules: Sequence[Rule], background: Background, codes: Iterable[int]) -> Iterator[Note]:
    """Numbers in the rules that may be codes: only the user knows whether their order means anything."""
    used = {condition.feature for rule in rules for condition in rule.conditions}
    for f in sorted(codes):
        name, observed = background.schema.names[f], background.observed(f)
        if name in used:
            span = f"from {format_number(observed[0])} to {format_number(observed[-1])}"
            yield Note(
                f"{name} is taken for an amount; it has {len(observed)} different whole numbers, {span}. Are they "
                "codes, whose order means nothing? Then name it in categorical (--categorical), and rules say which."
            )


def about_ways(
    background: Background, trials: Trials | None, ways: Ways | None, goal: Goal, unit: Unit, options: SearchOptions
) -> Iterator[Note]:
    """What was tried without success."""
    if trials is None or ways is None or not options.confirm:
        return
    if goal.target == int(trials.own.labels[0]):
        yield Note("The prediction is the target already: nothing needs to change.", Category.COUNTERFACTUAL)
        return
    permitted = "permitted " if goal.permission is not None else ""
    aim = "turns the prediction" if goal.target is None and goal.at_least is None else "reaches what was asked for"
    if not ways.ways:
        text = f"No hypothetical contradicting rule: no {permitted}change that was tried {aim}."
        yield Note(text + _best_move(background, trials, ways, goal, unit), Category.COUNTERFACTUAL)
    elif ways.from_unlike:
        yield Note(
            f"No {permitted}change of up to three features that was tried {aim}; the one shown was made from the "
            "nearest real row with another label, by taking back as many of its values as possible."
        )


def _best_move(background: Background, trials: Trials, ways: Ways, goal: Goal, unit: Unit) -> str:
    """How far the best permitted change moves the model, as a sentence; none, if everything is permitted."""
    if goal is ANY or unit == "label":
        return ""
    if ways.best is None:
        return " None that is permitted lowers the certainty of the prediction."
    row, certainty = ways.best
    before = float(trials.own.certainty(int(trials.own.labels[0]))[0])
    changes = " and ".join(map(str, describe(background, trials.edits.instance, row)))
    what = "probability" if unit == "probability" else "margin"
    ends = f"{before:.1%} to {certainty:.1%}" if unit == "probability" else f"{before:.3g} to {certainty:.3g}"
    return f" The best of them, {changes}, takes the {what} of the prediction from {ends}."
