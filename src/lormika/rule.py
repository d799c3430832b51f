"""Rules: conditions, counts and the four categories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from lormika import frames
from lormika.condition import Condition, Equals, Interval, Missing
from lormika.frames.values import Scalar, format_exact, format_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lormika.types import UserTable

__all__ = ["Category", "Check", "Condition", "Counts", "Edit", "Equals", "Interval", "Missing", "Rerun", "Rule"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows that match a rule's conditions, its consequent, and both.

    >>> counts = Counts(rows=200, antecedent=100, consequent=150, both=90)
    >>> counts.support, counts.coverage, counts.confidence, counts.lift, counts.leverage
    (0.45, 0.5, 0.9, 1.2, 0.075)
    """

    rows: int
    antecedent: int
    consequent: int
    both: int

    @property
    def support(self) -> float:
        """Share of the rows that match both sides."""
        return _divide(self.both, self.rows)

    @property
    def coverage(self) -> float:
        """Share of the rows that match the conditions."""
        return _divide(self.antecedent, self.rows)

    @property
    def confidence(self) -> float:
        """Share of the matching rows that have the consequent."""
        return _divide(self.both, self.antecedent)

    @property
    def lift(self) -> float:
        """How many times as frequent the consequent is among the matching rows as among all rows."""
        return _divide(self.rows * self.both, self.antecedent * self.consequent)

    @property
    def leverage(self) -> float:
        """Support minus the support expected if both sides were independent (definition 6 of the paper)."""
        # Integers up to the single division, so that tied rules compare equal.
        return _divide(self.rows * self.both - self.antecedent * self.consequent, self.rows * self.rows)

    def score(self, objective: str, m: float) -> float:
        """The measure that a search ranks by, with the m-estimate of confidence and lift."""
        n, n_p, n_q, a = self.rows, self.antecedent, self.consequent, self.both
        match objective:
            case "confidence":
                return _divide(n * a + m * n_q, n * (n_p + m))
            case "lift":
                return _divide(n * a + m * n_q, n_q * (n_p + m))
            case _:
                return float(getattr(self, objective))

    @property
    def share_without(self) -> float:
        """Share of the consequent among all rows: the confidence of the rule without conditions."""
        return _divide(self.consequent, self.rows)


def _divide(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan


class Category(StrEnum):
    """What a rule says about the instance: whether it holds now, and whether it leads to the model's prediction.

    >>> Category.of(current=False, supporting=False)
    <Category.HYPOTHETICAL_CONTRADICTING: 'hypothetical_contradicting'>
    >>> Category.COUNTERFACTUAL is Category.HYPOTHETICAL_CONTRADICTING, Category.CURRENT_SUPPORTING.is_current
    (True, True)
    """

    CURRENT_SUPPORTING = "current_supporting"
    CURRENT_CONTRADICTING = "current_contradicting"
    HYPOTHETICAL_SUPPORTING = "hypothetical_supporting"
    HYPOTHETICAL_CONTRADICTING = "hypothetical_contradicting"
    COUNTERFACTUAL = "hypothetical_contradicting"

    @classmethod
    def of(cls, *, current: bool, supporting: bool) -> Category:
        """The category of a rule, by whether it is true of the instance and whether it leads to the prediction."""
        if current:
            return cls.CURRENT_SUPPORTING if supporting else cls.CURRENT_CONTRADICTING
        return cls.HYPOTHETICAL_SUPPORTING if supporting else cls.HYPOTHETICAL_CONTRADICTING

    @property
    def is_current(self) -> bool:
        """All conditions are true of the instance."""
        return self in (Category.CURRENT_SUPPORTING, Category.CURRENT_CONTRADICTING)

    @property
    def is_supporting(self) -> bool:
        """The consequent is the model's prediction for the instance."""
        return self in (Category.CURRENT_SUPPORTING, Category.HYPOTHETICAL_SUPPORTING)


@dataclass(frozen=True, slots=True)
class Edit:
    """One changed value of the instance.

    >>> str(Edit("age", 25, 28))
    'age 25 → 28'
    """

    feature: str
    before: Scalar | None
    after: Scalar | None

    @property
    def texts(self) -> tuple[str, str]:
        """Both values as texts, with enough digits to differ.

        >>> Edit("rate", 0.123456789, 0.123456788).texts
        ('0.123456789', '0.123456788')
        """
        before, after = format_value(self.before), format_value(self.after)
        if type(self.before) is float and type(self.after) is float and float(after) != self.after:
            after = _beyond(self.after, upwards=self.after > self.before)
        if before == after and isinstance(self.before, float) and isinstance(self.after, float):
            before, after = format_exact(self.before), format_exact(self.after)  # they differ in later digits
        return before, after

    def __str__(self) -> str:
        return f"{self.feature} {' → '.join(self.texts)}"


def _beyond(value: float, upwards: bool) -> str:
    """A number to a few digits, rounded away from where it comes from: what is suggested goes as far as was tried.

    >>> _beyond(0.12345612345, upwards=True), _beyond(0.12345678912, upwards=False)
    ('0.123457', '0.123456')
    """
    if value == 0 or not 1e-9 < abs(value) < 1e9:
        return format_exact(value)
    places = max(0, 5 - math.floor(math.log10(abs(value))))
    step = Decimal(1).scaleb(-places)
    rounded = Decimal(repr(value)).quantize(step, rounding=ROUND_CEILING if upwards else ROUND_FLOOR)
    return format_exact(float(rounded))


@dataclass(frozen=True, slots=True)
class Rerun:
    """What the model says about the instance after the smallest edit that satisfies a hypothetical rule.

    >>> print(Rerun((Edit("age", 25, 28), Edit("job", "none", "clerk")), "accepted", probability=0.2, turned=True))
    age 25 → 28, job none → clerk
    """

    edits: tuple[Edit, ...]
    label: Scalar
    probability: float | None  #: of the class predicted before the edit; None: the model gives no probabilities
    turned: bool  #: the label is no longer the prediction
    reached: float | None = None  #: probability of a new label, of more than two classes
    value: float | None = None  #: that a regressor then predicts
    margin: float | None = None  #: of the class predicted before the edit, if the model has a decision function instead

    def __str__(self) -> str:
        return ", ".join(map(str, self.edits))


@dataclass(frozen=True, slots=True)
class Check:
    """What the model said about this instance when the rule was tested on it.

    A current rule is tested by making it false, a hypothetical one by making it true, leaving all other values
    as they are. `before` and `after` are the model's certainty of its prediction, in the explanation's `unit`: for the
    instance as it is, and on average over the changed instances. Of a regressor, it is how far its value lies inside
    the band of the prediction; negative: outside.

    >>> str(Check(asked=8, agreed=7, before=0.74, after=0.17))
    '7 of 8'
    """

    asked: int  #: changed instances
    agreed: int  #: those for which the model did what the rule says
    before: float
    after: float
    value: float | None = None  # mean of what a regressor predicts for the changed instances

    def __str__(self) -> str:
        return f"{self.agreed} of {self.asked}"


@dataclass(frozen=True, slots=True)
class Rule:
    """If all conditions hold, then the consequent follows, in as many rows as `counts` says.

    >>> counts = Counts(rows=200, antecedent=100, consequent=150, both=90)
    >>> rule = Rule((Interval("age", 25.5, 29.5, integer=True), Equals("violent", 1)), "High", counts, score=0.075)
    >>> print(rule, rule.confidence)
    26 ≤ age ≤ 29 and violent = 1 ⇒ High 0.9
    """

    conditions: tuple[Condition, ...]
    consequent: Scalar
    counts: Counts
    score: float  #: the objective that was searched for, m-estimate included
    p_value: float = math.nan  #: largest of Fisher's tests against the rule's generalisations
    category: Category | None = None
    real: Counts | None = None  #: the same counts on the real rows of the sample alone
    rerun: Rerun | None = None
    check: Check | None = None  #: None: the rule was not confirmed by asking the model
    weak: bool = False  #: only the model's answers support it, and no rule of similar rows

    @property
    def support(self) -> float:
        """See `Counts.support`."""
        return self.counts.support

    @property
    def coverage(self) -> float:
        """See `Counts.coverage`."""
        return self.counts.coverage

    @property
    def confidence(self) -> float:
        """See `Counts.confidence`."""
        return self.counts.confidence

    @property
    def lift(self) -> float:
        """See `Counts.lift`."""
        return self.counts.lift

    @property
    def leverage(self) -> float:
        """See `Counts.leverage`."""
        return self.counts.leverage

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features in the conditions."""
        return tuple(condition.feature for condition in self.conditions)

    def holds(self, table: UserTable, feature_names: Sequence[str] | None = None) -> np.ndarray:
        """Which rows of a table (frame, or 2-D array with names) match the conditions.

        >>> Rule((Equals("job", "none"),), "bad", Counts(4, 2, 2, 1), 0.0).holds({"job": ["none", "clerk", None]})
        array([ True, False, False])
        """
        columns = frames.read(table, feature_names)
        mask = np.ones(columns.n_rows, dtype=bool)
        for condition in self.conditions:
            mask &= condition.holds(columns[condition.feature])
        return mask

    def to_sql(self) -> str:
        """The conditions as standard SQL, for use after WHERE: true for the rows that `holds` selects.

        Missing values must be NULL, and text must compare exactly: beware of databases with a separate NaN, or with a
        collation that ignores case.

        >>> rule = Rule((Interval("age", 25.5, 29.5), Equals("job", "clerk")), "bad", Counts(4, 2, 2, 1), 0.0)
        >>> print(rule.to_sql())
        "age" >= 25.5e0 AND "age" < 29.5e0 AND "job" = 'clerk'
        """
        return " AND ".join(condition.to_sql() for condition in self.conditions) or "1 = 1"

    def to_query(self) -> str:
        """The conditions for `pandas.DataFrame.query`: true for the rows that `holds` selects.

        >>> rule = Rule((Interval("age", 25.5, 29.5), Equals("job", "clerk")), "bad", Counts(4, 2, 2, 1), 0.0)
        >>> print(rule.to_query())
        25.5 <= `age`.astype('float64') < 29.5 and `job` in ['clerk']
        """
        return " and ".join(condition.to_query() for condition in self.conditions) or "index in index"

    def __str__(self) -> str:
        return f"{' and '.join(map(str, self.conditions))} ⇒ {format_value(self.consequent)}"
