"""Notes: plain sentences about what a user might wonder about."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lormika.frames.feature import Feature
from lormika.frames.values import Scalar, format_value
from lormika.labels import Labels
from lormika.models import Model, Unit
from lormika.options import Filter, SearchOptions
from lormika.rule import Category, Edit, Rule
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

_LACKING = {
    Category.CURRENT_SUPPORTING: "No rule says why",
    Category.CURRENT_CONTRADICTING: "No rule speaks against the prediction",
    Category.HYPOTHETICAL_SUPPORTING: "No rule says what would make the prediction more certain",
    Category.HYPOTHETICAL_CONTRADICTING: "No rule says what would turn the prediction",
}

_NOT_CONFIRMED = "of those that hold among similar rows, the model confirmed none for this instance"

_UNCONFIRMED = {
    Category.CURRENT_SUPPORTING: "no value of this instance was seen to be needed for the prediction",
    Category.CURRENT_CONTRADICTING: _NOT_CONFIRMED,
    Category.HYPOTHETICAL_SUPPORTING: _NOT_CONFIRMED,
}

_NOT_PERMITTED = "of those that hold among similar rows, none is both permitted and confirmed by the model"

_UNKNOWN = "the model gives labels only, which do not tell how certain it is"

_FEW = 3  # features of the changes that are looked for first
_RESORTS = {
    "row": "the nearest real row with another label",
    "changes": "changes of more features, one after the other",
}

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
    category: Category | None = None  #: kind of rule that it says there is none of; None: it is about something else

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """What there is to note about one explanation, in the words of the labels."""

    background: Background
    sample: Sample
    rules: Sequence[Rule]
    options: SearchOptions
    unit: Unit
    goal: Goal
    labels: Labels

    def about_instance(self, identifiers: Container[int], instance: np.ndarray) -> Iterator[Note]:
        """Values of the instance that do not occur in the background; those of identifiers are always new."""
        for f in np.flatnonzero(~self.background.has(instance)).tolist():
            feature, value = self.background.schema.features[f], float(instance[f])
            name, observed = self.labels.name(feature.name), self.background.observed(f)
            if math.isnan(value):
                if len(observed) == len(self.background.distinct[f]):
                    yield Note(f"{name} is missing here but never in the background, so that no similar row lacks it.")
            elif not feature.is_numeric:
                if f not in identifiers:
                    yield self._about_unseen(feature, value)
            elif len(observed) and not observed[0] <= value <= observed[-1]:
                own, least, most = self._numbers(feature.name, value, observed[0], observed[-1])
                yield Note(f"{name} = {own} lies outside the background, which goes from {least} to {most}.")

    def _numbers(self, name: str, *values: float) -> list[str]:
        """Numbers of a feature in words, with all their digits, since they are compared."""
        return [self.labels.write(name, float(value), exactly=True) for value in values]

    def _about_unseen(self, feature: Feature, value: float) -> Note:
        """What to know about a category that no row of the background has; it may only be spelt differently."""
        own = feature.decode(value)
        alike = [category for category in feature.categories or () if category != own and _bare(category) == _bare(own)]
        hint = f" It has {format_value(alike[0])}, which differs in capitals or blanks alone." if alike else ""
        return Note(
            f"{self.labels.name(feature.name)} = {self.labels.write(feature.name, own)} was not seen in the "
            "background, so that no similar row has it; the model was asked about it as it is, and may not know it "
            f"either.{hint}"
        )

    def about_neighbourhood(self, neighbours: int) -> Iterator[Note]:
        """A neighbourhood that is not really one."""
        n_rows = len(self.background)
        if 2 * neighbours > n_rows:
            yield Note(
                f"{neighbours:,} of the {n_rows:,} rows of the background count as similar, so shares and counts "
                "describe all of them rather than cases like this one. More rows, or a smaller min_neighbours, would "
                "change that."
            )

    def about_model(self, model: Model, repeats: bool, predictions: np.ndarray) -> Iterator[Note]:
        """Signs that the model decides by a threshold, or is not a fixed function of the row.

        `predictions` are those that the real rows of the sample have in the background.
        """
        if model.threshold is not None:
            first, second = map(self._outcome, model.names)
            yield Note(f"The prediction is {second} if its probability is at least {model.threshold:g}, else {first}.")
        if model.decide is not None and not model.scores:
            yield Note(
                "The model decides by a rule or threshold of its own: its label need not be its most probable class."
            )
        changed = int((predictions != self.sample.labels[self.sample.real]).sum())
        if changed:
            yield Note(
                f"The model labels {changed} of the {len(predictions)} real rows otherwise than in the background: it "
                "is not deterministic, or the predictions given for the background are not its own."
            )
        if not repeats:
            yield Note("Asked twice about this instance, the model did not answer the same: it is not deterministic.")

    def _outcome(self, label: Scalar) -> str:
        return format_value(self.labels.outcome(label))

    def about_rules(self, prediction: Scalar) -> Iterator[Note]:
        """Why a kind of rule is empty."""
        labels = np.flatnonzero(np.bincount(self.sample.labels))
        if len(labels) == 1:
            only = self._outcome(self.sample.classes[labels[0]])
            yield Note(
                f"The model labels every similar row {only}, so there is nothing that tells one class from another."
            )
            return
        present = {rule.category for rule in self.rules}
        for category in _EMPTY:
            if category not in present and not (self.options.confirm and category == Category.COUNTERFACTUAL):
                reason = self._reason(category, prediction)
                if reason.endswith(_NOT_CONFIRMED) and self.goal.permission is not None and not category.is_current:
                    reason = f": {_NOT_PERMITTED}"
                yield Note(f"{_LACKING[category]}{reason}.", category)

    def _reason(self, category: Category, prediction: Scalar) -> str:
        """The rest of a sentence saying that there is no rule of a kind."""
        options = self.options
        if options.per == "overall":
            return f": none is among the {options.k} best overall"
        if options.confirm:
            is_unknown = self.unit == "label" and category != Category.CURRENT_SUPPORTING
            return f": {_UNKNOWN if is_unknown else _UNCONFIRMED[category]}"
        why = _EMPTY[category].format(prediction=self._outcome(prediction))
        return f": {why} {_REQUIRED[Filter(options.filter)].format(min_count=options.min_count)}"

    def about_codes(self, codes: Iterable[int]) -> Iterator[Note]:
        """Numbers in the rules that may be codes: only the user knows whether their order means anything."""
        used = {condition.feature for rule in self.rules for condition in rule.conditions}
        for f in sorted(codes):
            name, observed = self.background.schema.names[f], self.background.observed(f)
            if name in used and name not in self.labels.features:
                least, most = self._numbers(name, observed[0], observed[-1])
                yield Note(
                    f"{self.labels.name(name)} is taken for an amount; it has {len(observed)} different whole numbers, "
                    f"from {least} to {most}. Are they codes, whose order means nothing? Then name it in categorical "
                    "(--categorical), and rules say which."
                )

    def about_ways(self, trials: Trials | None, ways: Ways | None) -> Iterator[Note]:
        """What was tried without success."""
        goal = self.goal
        if trials is None or ways is None or not self.options.confirm:
            return
        if goal.target == int(trials.own.labels[0]):
            yield Note("The prediction is the target already: nothing needs to change.", Category.COUNTERFACTUAL)
            return
        permitted = "permitted " if goal.permission is not None else ""
        aim = "turns the prediction" if goal.target is None and goal.at_least is None else "reaches what was asked for"
        if not ways.ways:
            text = f"No {permitted}change that was tried {aim}."
            yield Note(text + self._best_move(trials, ways), Category.COUNTERFACTUAL)
        elif ways.resort is not None and len(ways.ways[0].features) > _FEW:
            yield Note(
                f"No {permitted}change of up to three features that was tried {aim}; the one shown was made from "
                f"{_RESORTS[ways.resort]}, by taking back as many of its values as possible."
            )

    def _best_move(self, trials: Trials, ways: Ways) -> str:
        """How far the best permitted change moves the model, as a sentence; none, if everything is permitted."""
        if self.goal is ANY or self.unit == "label":
            return ""
        if ways.best is None:
            lowers = (
                "takes the value nearer to an edge"
                if self.unit == "value"
                else "lowers the certainty of the prediction"
            )
            return f" None that is permitted {lowers}."
        row, certainty = ways.best
        before = float(trials.own.certainty(int(trials.own.labels[0]))[0])
        changes = " and ".join(map(self._edit, describe(self.background, trials.edits.instance, row)))
        if trials.own.bands is not None:
            before, certainty = (trials.own.bands.spread * depth for depth in (before, certainty))
            far = f"{abs(certainty):.3g} {'inside' if certainty >= 0 else 'outside'}"
            return f" The best of them, {changes}, takes the value from {before:.3g} inside its band to {far}."
        what = "probability" if self.unit == "probability" else "margin"
        ends = f"{before:.1%} to {certainty:.1%}" if what == "probability" else f"{before:.3g} to {certainty:.3g}"
        return f" The best of them, {changes}, takes the {what} of the prediction from {ends}."

    def _edit(self, edit: Edit) -> str:
        values = (self.labels.value(edit.feature, value, exactly=True) for value in (edit.before, edit.after))
        return str(Edit(self.labels.name(edit.feature), *values))


def _bare(value: Scalar | None) -> str:
    return "".join(str(value).split()).casefold()
