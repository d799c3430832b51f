"""Case: an instance, its neighbourhood, its items and edits, and everything the model said about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, Unpack

import numpy as np

from lormika.errors import InputError
from lormika.explanation import Explanation
from lormika.frames.instances import Instances, Unseen
from lormika.goals import Aim, make_goal, read_aim
from lormika.models import Answer
from lormika.options import SearchKeywords, SearchOptions
from lormika.parts import Parts
from lormika.session import is_interactive
from lormika.stages import neighbourhood
from lormika.stages.asking import Asking, Count, Spread, ask_once, run_together
from lormika.stages.choose import Choice
from lormika.stages.edits import make_edits
from lormika.stages.goal import Goal
from lormika.stages.items import Items, itemise
from lormika.stages.memory import Memory
from lormika.stages.neighbourhood import Neighbourhood
from lormika.stages.rerun import find_rules, rerun
from lormika.stages.sample import Sample
from lormika.stages.search import Space
from lormika.stages.sides import Sides
from lormika.stages.trials import Plan, Trials, Unlike, try_edits
from lormika.stages.ways import Ways, find_ways
from lormika.summarising import summarise

T = TypeVar("T")

_TOLERANCE = 1e-6  # two answers of a model that repeats itself may differ in the last digits


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Case:
    """One instance with all of the model's answers about it; it can be explained in many ways.

    Examples
    --------
    >>> from lormika import Explainer, datasets
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = datasets.make_loans(500)
    >>> numbers = X[["income", "debt_ratio", "missed_payments", "age"]]
    >>> explainer = Explainer(DecisionTreeClassifier(max_depth=5, random_state=0).fit(numbers, y), numbers)
    >>> case = explainer.locate(numbers.iloc[[1]])
    >>> print(case.explain(objective="leverage").current_supporting[0])
    income ≥ 45 and missed_payments ≤ 1 ⇒ accepted
    >>> print(case.explain(objective="coverage").current_supporting[0])
    missed_payments ≤ 1 ⇒ accepted
    """

    parts: Parts
    instance: np.ndarray  #: encoded
    unseen: Unseen  #: categories of the instance that do not occur in the background
    near: Neighbourhood
    sample: Sample
    items: Items
    answer: Answer  #: about the instance
    repeats: bool  #: the model gave the same answer when asked twice about the instance
    trials: Trials | None  #: None: no edits were tried
    aim: Aim  #: of the ways
    goal: Goal  #: of the aim, for this instance
    ways: Ways | None  #: changes that lead there
    calls: int  #: of the model
    rows: int  #: in these calls

    def explain(self, **options: Unpack[SearchKeywords]) -> Explanation:
        """Explain the prediction without asking the model again; see `SearchOptions` for the options.

        The exception is `confirm=False`: then the model is called once more, to re-run the rules that were found.
        """
        chosen = self.parts.search.but(options)
        return explain_together([self], chosen, read_aim(self.parts, chosen), keeps=is_interactive())[0]

    def __repr__(self) -> str:
        prediction = self.sample.classes[self.prediction]
        return f"<Case of {prediction!r}: {len(self.near.rows):,} similar rows; model calls: {self.calls}>"

    @property
    def prediction(self) -> int:
        """Position of the predicted class."""
        return int(self.answer.labels[0])


def locate_together(
    parts: Parts, instances: Instances, aim: Aim, spread: Spread = map, memory: Memory | None = None
) -> list[Case]:
    """Locate encoded instances, with shared model calls; explanations with this aim need no more of them."""
    if parts.model.bands is not None and parts.model.bands.is_around:
        return _locate_around(parts, instances, aim, spread, memory)
    find = partial(neighbourhood.find, parts.background, parts.predictions, settings=parts.settings)
    near = [one for some in spread(find, instances.blocks()) for one in some]
    ways = [locate(parts, *one, aim) for one in zip(instances.rows, instances.unseen, near, strict=True)]
    return run_together(parts.model, parts.schema, ways, instances.unseen, spread, again=True, memory=memory)


def _locate_around(parts: Parts, instances: Instances, aim: Aim, spread: Spread, memory: Memory | None) -> list[Case]:
    """The same, if every instance has bands of its own: the model is asked for their values first."""
    questions = [ask_once(row) for row in instances.rows]
    answers = run_together(parts.model, parts.schema, questions, instances.unseen, spread)
    own = [parts.at(float(answer.values[0])) for answer in answers if answer.values is not None]

    def find(place: int) -> Neighbourhood:
        rows = instances.rows[place : place + 1]
        return next(neighbourhood.find(parts.background, own[place].predictions, rows, parts.settings))

    found = zip(own, instances.rows, instances.unseen, spread(find, range(len(own))), strict=True)
    ways = [_in_bands(one[0], locate(*one, aim, asked=1)) for one in found]
    return run_together(parts.model, parts.schema, ways, instances.unseen, spread, again=True, memory=memory)


def _in_bands(parts: Parts, asking: Asking[T]) -> Asking[T]:
    """The same questions; answers are in the bands of one instance."""
    bands = parts.model.bands
    if bands is None or not bands.is_around:
        return (yield from asking)
    try:
        rows = next(asking)
        while True:
            answer = yield rows
            rows = asking.send(answer.by(bands))
    except StopIteration as stop:
        result: T = stop.value
        return result


def explain_together(
    cases: Sequence[Case],
    options: SearchOptions,
    aim: Aim,
    spread: Spread = map,
    memory: Memory | None = None,
    *,
    keeps: bool = False,
) -> list[Explanation]:
    """Explain cases of one explainer; model calls, if any are needed, are shared.

    With `keeps`, a search that the user interrupts gives the rules so far.
    """
    if not cases:
        return []
    parts = cases[0].parts
    ways = [_in_bands(case.parts, explain(case, options, aim, keeps=keeps)) for case in cases]
    return run_together(parts.model, parts.schema, ways, [case.unseen for case in cases], spread, memory=memory)


def locate(
    parts: Parts, instance: np.ndarray, unseen: Unseen, near: Neighbourhood, aim: Aim, asked: int = 0
) -> Asking[Case]:
    """Ask the model about an encoded instance, its neighbourhood and its edits; it was `asked` about it before."""
    parts = parts.with_unseen(unseen)
    background, settings = parts.background, parts.settings
    left_out = parts.spread.identifiers
    items = itemise(
        background.schema,
        near.rows,
        instance,
        bins=settings.bins,
        cuts=parts.cuts,
        without=left_out,
        ordered=near.ordered,
    )
    parts_of_call = [instance[None], near.rows]
    plan = None
    if settings.n_asked:
        edits = make_edits(background, parts.spread, items, near.rows, instance, settings.n_asked)
        plan = Plan.of(edits, settings.n_asked)
        parts_of_call.append(plan.rows())
    rows = np.concatenate(parts_of_call)
    answer = yield rows
    own, end = answer[:1], 1 + len(near.rows)
    labels = answer.labels[1:end].astype(np.int32)
    labels.setflags(write=False)
    sample = Sample(parts.schema, near.rows, labels, near.n_real, parts.model.names)
    count = Count(1 + asked, len(rows) + asked)
    trials = ways = None
    goal = make_goal(parts, instance, own, aim)
    if plan is not None:
        other = np.flatnonzero(labels[: near.n_real] != own.labels[0])
        nearest = other[np.argsort(near.squared[other], kind="stable")]
        unlike = Unlike(near.rows[nearest], labels[nearest])
        trying = try_edits(background, plan, own, answer[end : len(rows)], unlike, settings.n_asked)
        trials = yield from count.through(trying)
        ways = yield from count.through(find_ways(parts.spread, trials, goal))
    repeats = _agree(own, answer[len(rows) :])
    found = trials, aim, goal, ways
    return Case(parts, instance, unseen, near, sample, items, own, repeats, *found, count.calls, count.rows)


def _agree(first: Answer, second: Answer) -> bool:
    """Whether two answers about the instance are the same."""
    if first.labels[0] != second.labels[0]:
        return False
    for one, other in ((first.probabilities, second.probabilities), (first.scores, second.scores)):
        if one is not None and other is not None and not _are_close(one, other):
            return False
    if first.values is None or second.values is None or first.bands is None:
        return True
    return bool(np.abs(first.bands.in_spreads(first.values - second.values)).max() <= _TOLERANCE)


def _are_close(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((np.abs(one - other) <= _TOLERANCE + _TOLERANCE * np.abs(other)).all())


def explain(case: Case, options: SearchOptions, aim: Aim, *, keeps: bool = False) -> Asking[Explanation]:
    """Find the rules of a case, and collect everything needed to read them."""
    sample = case.sample
    present = np.flatnonzero(np.bincount(sample.labels, minlength=len(sample.classes))).tolist()
    space = Space(case.items, sample.labels, sample.classes, present, sample.n_real, case.prediction, keeps)
    if options.confirm:
        if aim != case.aim:
            case = yield from _with_aim(case, aim)
        rules = _choice(case, space).rules(options)
        return summarise(case, rules, options, space.incomplete)
    weights = None
    if options.weight == "effect":
        weights = _trials(case, 'weight="effect"').weights[list(case.items.features)]
    found = find_rules(space, options, weights, to_missing=case.trials is None)
    rules = yield from rerun(case.parts.background, sample, case.instance, case.prediction, found)
    return summarise(case, rules, options, space.incomplete)


def _with_aim(case: Case, aim: Aim) -> Asking[Case]:
    """The same case with ways that lead elsewhere; the model is asked only where the values asked about do not do."""
    goal, count = make_goal(case.parts, case.instance, case.answer, aim), Count(case.calls, case.rows)
    ways = yield from count.through(find_ways(case.parts.spread, _trials(case, "confirm=True"), goal))
    return replace(case, aim=aim, goal=goal, ways=ways, calls=count.calls, rows=count.rows)


def _trials(case: Case, wanted: str) -> Trials:
    if case.trials is None:
        raise InputError(f"{wanted} needs edits that the model was asked about: give the explainer n_asked above 0")
    return case.trials


def _choice(case: Case, space: Space) -> Choice:
    trials, goal, ways = _trials(case, "confirm=True"), case.goal, case.ways
    assert ways is not None
    unit, before = case.answer.unit, float(case.answer.certainty(case.prediction)[0])
    background, encoded = case.parts.background, case.sample.encoded
    sides = Sides.of(case.parts.spread, space, encoded, trials, unit, before, goal)
    return Choice(background, space, encoded, trials, ways, goal, sides, unit, before)
