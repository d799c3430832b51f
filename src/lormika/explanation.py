"""Explanation: everything that was found out about one prediction."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np

from lormika.checks import check_choice, check_integer
from lormika.errors import InputError
from lormika.frames.values import Scalar, format_value
from lormika.labels import NO_LABELS, Labels
from lormika.models import Unit
from lormika.rule import Category, Rule
from lormika.stages.notes import Note
from lormika.stages.sample import Sample
from lormika.summaries import AskedSummary, ClassSummary, Effect, FeatureSummary, Incomplete, NeighbourhoodSummary

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from lormika.types import JsonObject, JsonValue, UserTable
    from lormika.views.letter import Letter, LetterKeywords
    from lormika.views.reasons import Codes, Reason

_WIDEST = 110  # columns of text


@dataclass(frozen=True, slots=True)
class Failure:
    """A row of a table that could not be explained; it takes the place of an explanation.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> rows = numbers.head(2).astype(object)
    >>> rows.loc[1, "income"] = "unknown"
    >>> print(list(explainer.explain_many(rows))[1].reason)
    column 'income': 'unknown' is not a number, but text: give a number
    """

    row: int  #: number of the row, from 0
    reason: str

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Always empty, so that code which collects rules needs no special case."""
        return ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """The k best rules of each kind about one prediction, with everything needed to read them.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> explanation = explainer.explain({"income": 28, "debt_ratio": 0.2, "missed_payments": 3})
    >>> explanation.prediction, explanation.probability, explanation.effects[0].feature
    ('rejected', 1.0, 'missed_payments')
    >>> print(explanation.counterfactual[0].rerun)
    missed_payments 3 → 1
    >>> explanation.to_frame()[["category", "rule", "turned"]].shape
    (2, 3)
    >>> [reason.text for reason in explanation.reasons({"missed_payments": "{value} missed payments"})]
    ['3 missed payments']
    """

    instance: dict[str, Scalar | None]
    prediction: Scalar
    rules: tuple[Rule, ...]
    notes: tuple[Note, ...]
    features: tuple[FeatureSummary, ...]
    classes: tuple[ClassSummary, ...]
    neighbourhood: NeighbourhoodSummary
    options: JsonObject
    versions: dict[str, str]
    unit: Unit = "probability"
    effects: tuple[Effect, ...] = ()  #: what the prediction depends on here, the largest effect first
    asked: AskedSummary | None = None  #: None: no changes were tried
    incomplete: Incomplete | None = None  #: None: the search was not stopped, and these are exactly the best rules
    sample: Sample | None = None  #: not part of the payload
    labels: Labels = NO_LABELS  #: names and texts for people, which views use
    value: float | None = None  #: that a regressor predicts; None: the model is a classifier
    bands: tuple[float, ...] = ()  #: edges of the bands of a regressor's values

    @property
    def predicted(self) -> ClassSummary:
        """The class that the model predicts."""
        return next(c for c in self.classes if c.label == self.prediction)

    @property
    def probability(self) -> float | None:
        """The model's probability of its prediction; None if it gives none."""
        return self.predicted.probability

    @property
    def probabilities(self) -> dict[Scalar, float] | None:
        """The model's probability of each class; None if it gives none."""
        if self.probability is None:
            return None
        return {c.label: c.probability for c in self.classes if c.probability is not None}

    @property
    def current_supporting(self) -> tuple[Rule, ...]:
        """Why this: rules that hold now and lead to the prediction."""
        return self.rules_of(Category.CURRENT_SUPPORTING)

    @property
    def current_contradicting(self) -> tuple[Rule, ...]:
        """What speaks against it: rules that hold now and lead elsewhere."""
        return self.rules_of(Category.CURRENT_CONTRADICTING)

    @property
    def hypothetical_supporting(self) -> tuple[Rule, ...]:
        """What would make it more certain: rules that do not hold now and lead to the prediction."""
        return self.rules_of(Category.HYPOTHETICAL_SUPPORTING)

    @property
    def hypothetical_contradicting(self) -> tuple[Rule, ...]:
        """What would turn it: rules that do not hold now and lead elsewhere."""
        return self.rules_of(Category.HYPOTHETICAL_CONTRADICTING)

    counterfactual = hypothetical_contradicting

    def rules_of(self, category: Category) -> tuple[Rule, ...]:
        """The rules of one kind, best first."""
        return tuple(rule for rule in self.rules if rule.category == category)

    def to_dict(self) -> JsonObject:
        """Plain data, described by `lormika.views.payload.json_schema()`."""
        from lormika.views.payload import dump_explanation

        return dump_explanation(self)

    @staticmethod
    def from_dict(payload: Mapping[str, JsonValue]) -> Explanation:
        """The inverse of `to_dict`; the sample is not kept.

        A payload that violates its schema, or contradicts itself, is refused; the error names the first fault's place.
        """
        from lormika.views.payload import load_explanation

        return load_explanation(payload)

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    @staticmethod
    def from_json(text: str) -> Explanation:
        """The inverse of `to_json`; see `from_dict`."""
        from lormika.views.payload import load_explanation, parse

        return load_explanation(parse(text))

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with one row per rule."""
        from lormika.views import frame

        return frame.to_frame(self.rules)

    def to_counterfactuals(self) -> UserTable:
        """A frame like the background, ready for the model: the instance, then one row per counterfactual rule.

        Each row is the instance with the changes of that rule's `rerun`, in the order of `counterfactual`.

        Examples
        --------
        >>> from lormika import Explainer, datasets
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> X, y = datasets.make_loans(300)
        >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
        >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
        >>> explanation = explainer.explain(numbers.iloc[[0]])
        >>> explainer.model(explanation.to_counterfactuals()).labels.tolist()[:2]  # the instance, and the first change
        [1, 0]
        """
        if self.sample is None:
            raise InputError(
                "this explanation was read from JSON, which does not keep the types of the background: explain the "
                "instance again to get its counterfactuals as a frame"
            )
        schema = self.sample.schema
        changes = [rule.rerun.edits for rule in self.counterfactual if rule.rerun is not None]
        rows = [self.instance, *(self.instance | {edit.feature: edit.after for edit in edits} for edits in changes)]
        instances = [schema.read_instance(row) for row in rows]
        return schema.with_unseen(instances[0].unseen[0]).restore(np.concatenate([one.rows for one in instances]))

    def to_text(self, width: int | None = None, figures: bool = False) -> str:
        """Readable text, as wide as the terminal by default; this is also what `print` shows.

        With `figures`, each rule also shows its lift, leverage, coverage and counts.
        """
        from lormika.views import text

        if width is None:
            width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
        check_integer("width", width, 40)
        return text.to_text(self, width, figures)

    def summary(self) -> str:
        """The explanation in a few sentences."""
        from lormika.views import narrative

        return narrative.to_summary(self)

    def reasons(self, codes: Codes | None = None, top: int = 4) -> tuple[Reason, ...]:
        """The principal reasons of the prediction, for letters and records, the weightiest first.

        A feature is a reason if the model is less certain of its prediction with other values of it; the more so, the
        weightier.

        Parameters
        ----------
        codes
            What to say: by feature, a text, or a code and a text, `{"income": ("R07", "Income too low")}`; rows with
            `features` (several: `"income+debt"`), `condition` (where it applies), `code` and `text`; or a CSV or TOML
            file of these. Of reasons with the same code, only the first is given.
        top
            Most reasons.
        """
        from lormika.views.reasons import find_reasons

        check_integer("top", top, 1)
        return find_reasons(self, codes, top)

    def letter(self, template: str | Path = "adverse-action", **options: Unpack[LetterKeywords]) -> Letter:
        """A letter to the person whom the prediction is about, and a record of it: see `lormika.views.letter`."""
        from lormika.views.letter import write_letter

        return write_letter(self, template, **options)

    def to_html(self, page: bool = True) -> str:
        """A self-contained page, or just the fragment that notebooks show; neither needs scripts or the network."""
        from lormika.views import html

        return html.to_report(self) if page else html.to_html(self)

    def plot(self, kind: Literal["matrix", "scatter", "effects"] = "matrix") -> Figure:
        """A matplotlib figure.

        `matrix`: the rules; `scatter`: their confidence over their coverage; `effects`: what the prediction depends on.
        """
        from lormika.views import plot

        drawings = {"matrix": plot.matrix, "scatter": plot.scatter, "effects": plot.effects}
        check_choice("kind", kind, list(drawings))
        return drawings[kind](self)

    def save(self, path: str | Path) -> Path:
        """Write to a file in the format given by its suffix: html, json, csv, parquet, txt, png, svg or pdf."""
        from lormika.views import saving

        return saving.save(self, Path(path))

    def _repr_html_(self) -> str:
        return self.to_html(page=False)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": self.to_text()}

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.rules_of(c))} {c.value.replace('_', ' ')}" for c in Category)
        return f"<Explanation of {format_value(self.prediction)!r}: {counts}>"
