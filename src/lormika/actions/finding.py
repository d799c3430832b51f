"""Finding group actions: candidates are learned from changes that turned single rows, and tried on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lormika.actions.coverage import Cover, choose_greedily, find_optimum
from lormika.actions.moves import Action, Actions, Move, pair_up, propose
from lormika.actions.result import Change, GroupAction, GroupActions
from lormika.actions.rows import AskedRows, Attempts, portions, try_actions
from lormika.case import Case, locate_together
from lormika.checks import check_integer
from lormika.errors import InputError
from lormika.explanation import Failure
from lormika.frames.instances import Instances
from lormika.frames.schema import Schema
from lormika.frames.values import Scalar
from lormika.goals import Aim, find_class, read_aim
from lormika.many import ROWS_PER_CALL, attempt
from lormika.options import SearchOptions
from lormika.parts import Parts

_LEARNED = 3 / 4  # of the candidates; the rest is for pairs of the best actions of one feature
_MOST_ACTIONS, _MOST_CANDIDATES = 10, 2000


@dataclass(frozen=True, slots=True)
class Limits:
    """How many actions, and how much is tried to find them."""

    most: int = 3  # actions
    candidates: int = 200
    rows: int = 10_000  # of the class that candidates are tried on
    learned: int = 200  # rows of the class whose own changes are looked for

    def __post_init__(self) -> None:
        check_integer("most", self.most, 1, _MOST_ACTIONS)
        check_integer("candidates", self.candidates, 1, _MOST_CANDIDATES)
        check_integer("max_rows", self.rows, 1)
        check_integer("learn_from", self.learned, 1)


@dataclass(frozen=True, slots=True)
class Wish:
    """Which class to turn, and into what."""

    label: int
    aim: Aim

    @classmethod
    def of(cls, parts: Parts, label: Scalar, options: SearchOptions) -> Wish:
        """Checked beside the model's classes; only what options say of changes matters."""
        if parts.model.bands is not None and parts.model.bands.is_around:
            raise InputError("group actions need bands that are the same for all rows: give the explainer their edges")
        aim = read_aim(parts, options)
        position = find_class("of", parts.model.names, label)
        if options.target is not None and find_class("target", parts.model.names, options.target) == position:
            raise InputError(f"target={options.target!r} is the class of the rows: give another, or leave it out")
        return cls(position, aim)


def learn_moves(parts: Parts, rows: AskedRows, wish: Wish, most: int) -> list[list[Move]]:
    """Changes that turn single rows of a class, from up to so many of them, evenly chosen."""
    if not parts.settings.n_asked:
        raise InputError("group actions are learned from changes of rows: give the explainer n_asked above 0")
    some = rows.of_class(wish.label).evenly(most)
    results: list[list[list[Move]] | Failure] = []
    for numbers in portions(len(some), ROWS_PER_CALL // parts.rows_asked):
        results += attempt(lambda few: _moves(parts, few, wish.aim), some, numbers, "record")
    failures = [result for result in results if isinstance(result, Failure)]
    if failures and len(failures) == len(results):
        raise InputError(f"no change of any of {len(results):,} rows can be tried: {failures[0].reason}")
    return [moves for result in results if not isinstance(result, Failure) for moves in result]


def _moves(parts: Parts, rows: Instances, aim: Aim) -> list[list[list[Move]]]:
    return [_moves_of(case) for case in locate_together(parts, rows, aim)]


def _moves_of(case: Case) -> list[list[Move]]:
    """All changes that were seen to turn one row."""
    assert case.ways is not None
    own = case.instance
    return [[Move(f, float(own[f]), float(way.row[f])) for f in way.features] for way in case.ways.ways]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Candidates, in their order, and what came of each on every row that could be tried."""

    actions: tuple[Action, ...]
    attempts: Attempts
    members: int  # rows of the class
    failed: int  # rows of any class that could not be asked about, or tried

    @property
    def rows(self) -> int:
        """Rows that every candidate was tried on."""
        return int(self.attempts.turned.shape[1])


def find_actions(
    parts: Parts, asked: AskedRows, wish: Wish, changes: Iterable[Sequence[Move]], limits: Limits
) -> GroupActions:
    """The actions that together turn most rows of a class; candidates are made from changes that turned single rows."""
    return choose_actions(parts, wish, try_candidates(parts, asked, wish, changes, limits), limits.most)


def try_candidates(
    parts: Parts, asked: AskedRows, wish: Wish, changes: Iterable[Sequence[Move]], limits: Limits
) -> Tried:
    """Try actions made from changes, then pairs of those of one feature that turned most rows."""
    if wish.aim.at_least is not None and asked.answer.probabilities is None:
        raise InputError("at_least is about probabilities, which this model does not give")
    members = asked.of_class(wish.label)
    rows = members.evenly(limits.rows)
    actions = propose(parts.background, changes, max(1, int(limits.candidates * _LEARNED))) if len(rows) else []
    attempts, done = try_actions(parts, Actions(tuple(actions)), rows, wish.aim)
    known = set(actions)
    pairs = [pair for pair in pair_up(_best_singles(actions, attempts)) if pair not in known]
    more = pairs[: limits.candidates - len(actions)]
    if more:
        further, also_done = try_actions(parts, Actions(tuple(more)), rows, wish.aim)
        actions, attempts, done = actions + more, attempts.with_more(further), done & also_done
    order = sorted(range(len(actions)), key=lambda place: actions[place])
    return Tried(
        tuple(actions[place] for place in order),
        attempts.of_rows(done).of_actions(np.array(order, dtype=np.intp)),
        len(members),
        asked.failed + int((~done).sum()),
    )


def _best_singles(actions: Sequence[Action], attempts: Attempts) -> list[Action]:
    """Of each feature, the action that turns most rows; those that turn most first."""
    turned, costs = attempts.turned.sum(axis=1), attempts.mean_costs()
    ranked = sorted(
        (-int(turned[place]), float(costs[place]), action)
        for place, action in enumerate(actions)
        if action.size == 1 and turned[place]
    )
    best: dict[int, Action] = {}
    for _, _, action in ranked:
        best.setdefault(action.features[0], action)
    return list(best.values())


def choose_actions(parts: Parts, wish: Wish, tried: Tried, most: int) -> GroupActions:
    """The candidates that together turn most rows, and what no choice of them could exceed."""
    turned, costs = tried.attempts.turned, tried.attempts.mean_costs()
    cover = Cover.of(turned)
    chosen, bound = choose_greedily(cover, costs, most)
    total = int(turned[chosen].any(axis=0).sum())
    optimum = total if bound == total else find_optimum(cover, most, total)
    names, target = parts.model.names, wish.aim.target
    return GroupActions(
        of=names[wish.label],
        target=_target(names, wish.label, target),
        at_least=wish.aim.at_least,
        most=most,
        rows=tried.members,
        tried=tried.rows,
        failed=tried.failed,
        candidates=len(tried.actions),
        actions=tuple(
            _described(parts.schema, tried, place, chosen[:before], float(costs[place]))
            for before, place in enumerate(chosen)
        ),
        turned=total,
        bound=bound if optimum is None else optimum,
        exact=optimum is not None,
        labels=parts.labels,
    )


def _target(names: tuple[Scalar, ...], label: int, target: Scalar | None) -> Scalar | None:
    """The class to reach; of two classes, it is the other one in any case."""
    if target is None:
        return names[1 - label] if len(names) == 2 else None
    return names[find_class("target", names, target)]


def _described(schema: Schema, tried: Tried, place: int, earlier: list[int], cost: float) -> GroupAction:
    """A chosen candidate, beside those that were chosen before it."""
    action, turned = tried.actions[place], tried.attempts.turned
    own, before = turned[place], turned[earlier].any(axis=0)
    changes = []
    for f, value in zip(action.features, action.values, strict=True):
        decoded = schema.features[f].decode(value)
        assert decoded is not None  # a missing value is never proposed
        changes.append(Change(schema.names[f], decoded))
    permitted, newly = int(tried.attempts.permitted[place].sum()), int((own & ~before).sum())
    return GroupAction(tuple(changes), permitted, int(own.sum()), newly, float(own.mean()), cost)
