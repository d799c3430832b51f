"""What an explanation says about features, classes, the neighbourhood and what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from lormika.frames.values import Scalar


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """A feature as views need it: its kind, and how its numbers are distributed in the background.

    >>> FeatureSummary("age", "numeric", (18.0, 41.0, 80.0)).quantiles[1]
    41.0
    """

    name: str
    kind: str  #: "numeric" or "categorical"
    quantiles: tuple[float, ...]  #: from least to greatest, evenly spaced; empty for a categorical feature


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """How many rows of the sample the model assigns to a class.

    >>> ClassSummary("rejected", rows=760, real=40, probability=0.74).rows
    760
    """

    label: Scalar
    rows: int
    real: int
    probability: float | None  #: the model's probability of this class for the instance


@dataclass(frozen=True, slots=True)
class NeighbourhoodSummary:
    """How the neighbourhood was made.

    >>> NeighbourhoodSummary(selected=119, generated=2000, neighbours=119, cut_similarity=0.6).rows
    2119
    """

    selected: int  #: real rows in the sample
    generated: int
    neighbours: int  #: real rows that are similar enough, before classes with too many were thinned
    cut_similarity: float  #: the least similarity of a neighbour

    @property
    def rows(self) -> int:
        """Rows of the sample."""
        return self.selected + self.generated


@dataclass(frozen=True, slots=True)
class Effect:
    """What the model says when one feature changes and all others stay as they are.

    >>> effect = Effect("age", 0.7, 1.9, False, (20, 60), certainties=(0.8, 0.3), labels=("bad", "good"))
    >>> effect.turning("bad")
    (60,)
    """

    feature: str
    effect: float  #: mean change of the log-odds (or margin), whatever its direction, over values of the background
    largest: float  #: the largest change
    constant: bool  #: all similar rows have the same value, so no rule can mention the feature
    values: tuple[Scalar, ...]  #: that were asked about, in ascending order, without the instance's own
    certainties: tuple[float, ...]  #: of the prediction, with each of these values, in the explanation's unit
    labels: tuple[Scalar, ...]  #: that the model gives with each of these values
    shares: tuple[float, ...] = ()  #: of the background that have each of these values; empty for a number

    def turning(self, prediction: Scalar) -> tuple[Scalar, ...]:
        """Values that alone turn the prediction."""
        return tuple(value for value, label in zip(self.values, self.labels, strict=True) if label != prediction)


@dataclass(frozen=True, slots=True)
class AskedSummary:
    """How many changes of the instance the model was asked about, and how many there are at these cut points.

    >>> asked = AskedSummary(singles=178, all_singles=178, pairs=263, all_pairs=263, calls=1, rows=2561)
    >>> asked.singles == asked.all_singles  # so it is exact that no other feature turned the prediction alone
    True
    """

    singles: int
    all_singles: int
    pairs: int
    all_pairs: int
    calls: int  #: of the model, for this instance alone
    rows: int  #: in these calls, the sample included


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A search that was stopped before it was complete, and what may be missing from the rules it found.

    >>> print(Incomplete("time", 1.0, "leverage", 0.04097))
    The search stopped after 1 s and is not complete: no rule better than 0.041 (leverage) is missing.
    """

    why: str  #: "time": its limit was reached; "interrupt": by the user; "nodes": for a test
    seconds: float | None  #: the limit
    ranked_by: str  #: what the bound is about
    open_bound: float  #: the most that a rule which is missing can reach

    def __str__(self) -> str:
        how = "was interrupted" if self.why == "interrupt" else "stopped early"
        if self.why == "time" and self.seconds is not None:
            how = f"stopped after {self.seconds:g} s"
        most = Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(self.open_bound))  # never less than it is
        return (
            f"The search {how} and is not complete: no rule better than {float(most):g} ({self.ranked_by}) is missing."
        )
