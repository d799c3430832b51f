"""What the model says about many rows: first as they are, then after each action that their constraints permit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lormika.actions.moves import Actions
from lormika.errors import InputError
from lormika.explanation import Failure
from lormika.frames.instances import Instances, Unseen
from lormika.goals import Aim, make_goal
from lormika.many import ROWS_PER_CALL, attempt, read_rows
from lormika.models import Answer
from lormika.parts import Parts
from lormika.stages.asking import Asking, ask_once, run_together
from lormika.stages.responses import respond
from lormika.stages.turning import steps_of
from lormika.types import UserTable


@dataclass(frozen=True, slots=True, eq=False)
class AskedRows(Instances):
    """Encoded rows with the model's answers about them."""

    answer: Answer  # one for each row
    failed: int  # further rows, about which it could not be asked

    def __getitem__(self, numbers: np.ndarray) -> Self:
        return replace(Instances.__getitem__(self, numbers), answer=self.answer[numbers])

    def of_class(self, label: int) -> Self:
        """The rows with a label."""
        return self[np.flatnonzero(self.answer.labels == label)]

    def evenly(self, most: int) -> Self:
        """All rows; of more than so many, that many from the first on, evenly chosen."""
        return self if len(self) <= most else self[np.arange(most) * len(self) // most]


def ask_rows(parts: Parts, table: UserTable) -> AskedRows:
    """Ask the model about the rows of a table; those that cannot be read, or asked about, are counted as failed."""
    instances, failures = read_rows(parts.schema, table, "record")
    sound = np.array([row for row in range(len(instances)) if row not in failures], dtype=np.intp)
    numbers: list[int] = []
    answers: list[Answer] = []
    reasons = list(failures.values())
    for places in portions(len(sound), ROWS_PER_CALL):
        some = sound[places]
        results = attempt(lambda few: _ask(parts, few), instances, some, "record")
        for row, result in zip(some.tolist(), results, strict=True):
            if isinstance(result, Failure):
                reasons.append(result.reason)
            else:
                numbers.append(row)
                answers.append(result)
    if not answers:
        reason = f"the model cannot be asked about any of them: {reasons[0]}" if reasons else "there are none"
        raise InputError(f"no rows to find actions for: {reason}")
    kept = instances[np.array(numbers, dtype=np.intp)]
    return AskedRows(kept.rows, kept.unseen, Answer.joined(answers), len(instances) - len(kept))


def portions(rows: int, size: int) -> Iterator[np.ndarray]:
    """Numbers of rows, from 0, at most so many at a time (but at least one)."""
    size = max(1, size)
    return (np.arange(start, min(start + size, rows)) for start in range(0, rows, size))


def _ask(parts: Parts, instances: Instances) -> list[Answer]:
    return run_together(parts.model, parts.schema, [ask_once(row) for row in instances.rows], instances.unseen)


@dataclass(frozen=True, slots=True, eq=False)
class Attempts:
    """What came of actions (rows of the arrays) on rows (columns)."""

    permitted: np.ndarray  # it changes the row, and may do so
    turned: np.ndarray  # and the model says what is wanted
    cost: np.ndarray  # of the change

    def of_rows(self, which: np.ndarray) -> Attempts:
        """On some rows alone."""
        return Attempts(self.permitted[:, which], self.turned[:, which], self.cost[:, which])

    def of_actions(self, which: np.ndarray) -> Attempts:
        """Of some actions alone, in this order."""
        return Attempts(self.permitted[which], self.turned[which], self.cost[which])

    def with_more(self, more: Attempts) -> Attempts:
        """With further actions on the same rows."""
        return Attempts(
            np.concatenate([self.permitted, more.permitted]),
            np.concatenate([self.turned, more.turned]),
            np.concatenate([self.cost, more.cost]),
        )

    def mean_costs(self) -> np.ndarray:
        """Of each action, over the rows that it turns; 0 if there are none."""
        sums = np.where(self.turned, self.cost, 0.0).sum(axis=1)
        return np.asarray(sums / np.maximum(self.turned.sum(axis=1), 1))


def try_actions(parts: Parts, actions: Actions, rows: AskedRows, aim: Aim) -> tuple[Attempts, np.ndarray]:
    """Try every action on every row; and which of the rows that worked for. If it did for none, that is an error."""
    table, done = np.zeros((3, len(actions), len(rows))), np.ones(len(rows), dtype=bool)
    column, reason = 0, ""
    for some in portions(len(rows), ROWS_PER_CALL // max(1, len(actions))):
        for result in attempt(lambda few: _try(parts, actions, few, aim), rows, some, "record"):
            if isinstance(result, Failure):
                done[column], reason = False, reason or result.reason
            else:
                table[:, :, column] = result
            column += 1
    if len(rows) and not done.any():
        raise InputError(f"no action can be tried on any of {len(rows):,} rows: {reason}")
    return Attempts(table[0] > 0, table[1] > 0, table[2]), done


def _try(parts: Parts, actions: Actions, rows: AskedRows, aim: Aim) -> list[np.ndarray]:
    own = [rows.answer[row : row + 1] for row in range(len(rows))]
    ways = [_try_row(parts, actions, *one, aim) for one in zip(rows.rows, rows.unseen, own, strict=True)]
    return run_together(parts.model, parts.schema, ways, rows.unseen)


def _try_row(
    parts: Parts, actions: Actions, instance: np.ndarray, unseen: Unseen, own: Answer, aim: Aim
) -> Asking[np.ndarray]:
    """Of each action (columns): whether it is permitted, whether it turns the row, and what it costs."""
    parts = parts.with_unseen(unseen)
    goal = make_goal(parts, instance, own, aim)
    rows = actions.applied(instance)
    changed = ~((rows == instance) | (np.isnan(rows) & np.isnan(instance)))
    permitted, turned = changed.any(axis=1), np.zeros(len(actions), dtype=bool)
    permitted[permitted] = goal.permits(rows[permitted])
    if permitted.any():
        turned[permitted] = goal.reached(respond(own, (yield rows[permitted])))
    return np.stack([permitted, turned, _costs(parts, actions, instance, changed, goal.costs)])


def _costs(
    parts: Parts, actions: Actions, instance: np.ndarray, changed: np.ndarray, weights: np.ndarray | None
) -> np.ndarray:
    """Of each action, the distances of the features that it changes, squared as everywhere, times their weights."""
    costs = np.zeros(len(actions))
    both = actions.features[:, 0] != actions.features[:, 1]
    for column, counts in ((0, np.ones(len(actions), dtype=bool)), (1, both)):
        features = actions.features[:, column]
        steps = steps_of(parts.background, instance, features, actions.values[:, column])
        steps = steps if weights is None else steps * weights[features]
        costs += np.where(counts & changed[np.arange(len(actions)), features], steps, 0.0)
    return costs
