"""What was found: actions with what they do for the rows of a class, and what no such choice could exceed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from lormika.frames.values import Scalar, format_value
from lormika.labels import NO_LABELS, Labels
from lormika.types import JsonObject


@dataclass(frozen=True, slots=True)
class Change:
    """A feature, and the value that it is given.

    >>> print(Change("savings", 6.1))
    savings → 6.1
    """

    feature: str
    value: Scalar

    def __str__(self) -> str:
        return f"{self.feature} → {format_value(self.value)}"


@dataclass(frozen=True, slots=True)
class GroupAction:
    """One or two changes, made to every row alike.

    A row counts as permitted if the action changes it, and its constraints permit that; as turned if the model then
    also says what is wanted.

    >>> changes = Change("savings", 6.1), Change("debt_ratio", 0.35)
    >>> action = GroupAction(changes, permitted=464, turned=238, newly=118, share=0.27, mean_cost=1.39)
    >>> print(action, action.turned)
    savings → 6.1 and debt_ratio → 0.35 238
    """

    changes: tuple[Change, ...]
    permitted: int
    turned: int  #: by this action alone
    newly: int  #: those of them that no earlier action turns
    share: float  #: turned, of all rows that were tried
    mean_cost: float  #: over the rows that it turns

    def __str__(self) -> str:
        return " and ".join(map(str, self.changes))

    def to_dict(self) -> JsonObject:
        """Plain data."""
        return {
            "changes": [{"feature": change.feature, "value": change.value} for change in self.changes],
            "permitted": self.permitted,
            "turned": self.turned,
            "newly": self.newly,
            "share": self.share,
            "mean_cost": self.mean_cost if math.isfinite(self.mean_cost) else None,
        }


@dataclass(frozen=True, slots=True)
class GroupActions:
    """The actions that together turn most rows of a class, the one that turns most of the remaining rows first.

    `bound` is proven: no choice of as many (`most`) of the candidates turns more rows. If it is `exact`, some choice
    does turn as many.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(300)
    >>> numbers = X[["income", "debt_ratio", "missed_payments"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, y), numbers)
    >>> found = explainer.group_actions(numbers, of="rejected", most=1, learn_from=20)
    >>> print(found.actions[0], f"turns {found.turned} of {found.rows}")
    income → 45 and missed_payments → 1 turns 126 of 126
    """

    of: Scalar  #: the class that the model predicts
    target: Scalar | None  #: the class to reach; None: any other
    at_least: float | None  #: the least probability of the class that is reached
    most: int  #: actions that were asked for, at most
    rows: int  #: that the model puts into the class
    tried: int  #: those of them that every candidate was tried on
    failed: int  #: rows, of any class, about which the model could not be asked
    candidates: int
    actions: tuple[GroupAction, ...]
    turned: int  #: by at least one of the actions
    bound: int
    exact: bool
    labels: Labels = field(default=NO_LABELS, compare=False)  #: words for people

    @property
    def share(self) -> float:
        """Rows that at least one of the actions turns, of those that were tried."""
        return self.turned / self.tried if self.tried else 0.0

    @property
    def bound_share(self) -> float:
        """What no choice of the candidates exceeds, as a share of the rows that were tried."""
        return self.bound / self.tried if self.tried else 0.0

    def __str__(self) -> str:
        return "\n".join([self._heading(), *self._lines(), *self._remarks()])

    def _heading(self) -> str:
        target = "another class" if self.target is None else self._outcome(self.target)
        chance = "" if self.at_least is None else f" with a probability of at least {self.at_least:g}"
        rows = f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}"
        return f"What turns {rows} predicted {self._outcome(self.of)} to {target}{chance}"

    def _outcome(self, label: Scalar) -> str:
        return format_value(self.labels.outcome(label))

    def _said(self, action: GroupAction) -> str:
        """An action in the words of the labels."""
        return " and ".join(
            f"{self.labels.name(one.feature)} → {self.labels.write(one.feature, one.value, exactly=True)}"
            for one in action.changes
        )

    def _lines(self) -> list[str]:
        return [
            f"{place}. {self._said(action)}: turns {action.turned:,} of {self.tried:,} rows ({action.share:.0%}), "
            f"{action.newly:,} of them newly; permitted for {action.permitted:,}; mean cost {action.mean_cost:.3g}"
            for place, action in enumerate(self.actions, 1)
        ]

    def _remarks(self) -> list[str]:
        remarks = []
        if 0 < self.tried < self.rows:
            remarks.append(f"Tried on {self.tried:,} of these rows.")
        if self.actions:
            remarks.append(f"Together they turn {self.turned:,} ({self.share:.1%}); {self._limit()}.")
        elif self.candidates:
            remarks.append(f"None of {self.candidates:,} candidates turns one of them.")
        elif self.tried:
            remarks.append("No change of one or two features was seen to turn one of them.")
        if self.failed:
            remarks.append(f"{self.failed:,} {'row' if self.failed == 1 else 'rows'} could not be asked about.")
        return remarks

    def _limit(self) -> str:
        some = f"any {self.most} of {self.candidates:,} candidates"
        if self.candidates <= self.most:
            some = "the only candidate" if self.candidates == 1 else f"all {self.candidates:,} candidates"
        if self.exact:
            return f"{some} can turn {self.bound:,} ({self.bound_share:.1%}) at most"
        return f"{some} cannot turn more than {self.bound:,} ({self.bound_share:.1%}), and perhaps fewer"

    def to_dict(self) -> JsonObject:
        """Plain data."""
        return {
            "of": self.of,
            "target": self.target,
            "at_least": self.at_least,
            "most": self.most,
            "rows": self.rows,
            "tried": self.tried,
            "failed": self.failed,
            "candidates": self.candidates,
            "actions": [action.to_dict() for action in self.actions],
            "turned": self.turned,
            "share": self.share,
            "bound": self.bound,
            "bound_share": self.bound_share,
            "exact": self.exact,
        }
