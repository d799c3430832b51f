"""Asking: generators that yield rows and receive the model's answer, run together so that they share every call."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames.instances import Unseen
from lormika.frames.schema import Schema
from lormika.models import Answer, Model
from lormika.stages.joining import describe_unseen, groups, joined, without_unseen
from lormika.stages.memory import Memory
from lormika.stages.sample import distinct_rows

S = TypeVar("S")
T = TypeVar("T")
Asking = Generator[np.ndarray, Answer, T]
"""Yields encoded rows, receives the model's answer about them, and returns a result."""


class Spread(Protocol):
    """Like `map`; the `map` of a thread pool works on several things at a time."""

    def __call__(self, work: Callable[[S], T], things: Iterable[S], /) -> Iterable[T]:
        """What the work makes of each thing, in their order."""


@dataclass(frozen=True, slots=True)
class _Result(Generic[T]):
    """What a generator returned."""

    value: T


def run_together(
    model: Model,
    schema: Schema,
    ways: Sequence[Asking[T]],
    unseen: Sequence[Unseen],
    spread: Spread = map,
    *,
    again: bool = False,
    memory: Memory | None = None,
) -> list[T]:
    """Run all of them to the end; in each round, one model call answers what all of them ask.

    For each, `unseen` says which categories only its instance has: where the columns' types list their categories,
    instances with the same ones share a call. With `again`, in the first round, the model is asked a second time about
    the first row of each, apart from all others: the last row of that answer shows whether the model repeats itself.
    What is in the memory is not asked again.
    """
    results: dict[int, T] = {}
    answers: dict[int, Answer | None] = dict.fromkeys(range(len(ways)))
    while answers:
        turns = [(ways[i], answer) for i, answer in answers.items()]
        steps = dict(zip(answers, spread(_advance, turns), strict=True))
        rows = {i: step for i, step in steps.items() if isinstance(step, np.ndarray)}
        results |= {i: step.value for i, step in steps.items() if isinstance(step, _Result)}
        replies: dict[int, Answer | None] = {}
        for some in groups(schema, {i: unseen[i] for i in rows}):
            replies |= _ask(model, schema, {i: rows[i] for i in some}, [unseen[i] for i in some], memory, again=again)
        answers = {i: replies[i] for i in rows}
        again = False
    return [results[i] for i in range(len(ways))]


def ask_once(row: np.ndarray) -> Asking[Answer]:
    """The answer about one row."""
    return (yield row[None])


class Count:
    """Counts the calls of a generator, and their rows."""

    def __init__(self, calls: int, rows: int) -> None:
        self.calls, self.rows = calls, rows

    def through(self, asking: Asking[T]) -> Asking[T]:
        """The same questions, counted."""
        try:
            rows = next(asking)
            while True:
                self.calls += 1
                self.rows += len(rows)
                rows = asking.send((yield rows))
        except StopIteration as stop:
            result: T = stop.value
            return result


def _advance(turn: tuple[Asking[T], Answer | None]) -> np.ndarray | _Result[T]:
    """Rows that a generator asks about next, after this answer; or its result."""
    way, answer = turn
    try:
        return next(way) if answer is None else way.send(answer)
    except StopIteration as stop:
        return _Result(stop.value)


def _ask(
    model: Model,
    schema: Schema,
    questions: dict[int, np.ndarray],
    unseen: Sequence[Unseen],
    memory: Memory | None,
    *,
    again: bool,
) -> dict[int, Answer]:
    """Ask once about all rows; duplicate rows are asked about only once."""
    wide, parts = joined(schema, list(questions.values()), unseen)
    rows = np.concatenate(parts) if len(parts) > 1 else parts[0]
    first, copies = distinct_rows(rows)
    starts = np.cumsum([0, *map(len, parts[:-1])]) if again else np.empty(0, dtype=np.intp)
    all_rows = rows.take(np.concatenate([first, starts]), axis=0)

    def ask(some: np.ndarray) -> Answer:
        return model.about(schema, some) if wide is schema else model(wide.restore(some))

    try:
        # Categories that are unseen have other positions in other calls.
        answer = ask(all_rows) if memory is None or any(unseen) else memory.ask(all_rows, len(first), ask)
    except (InputError, ModelError) as error:
        if any(unseen) and _answers(model, schema, without_unseen(schema, all_rows)):
            cause = f"{describe_unseen(schema, unseen)}: give one of these, or a model that takes others"
            raise type(error)(f"{error}; the cause: {cause}") from error
        raise
    own: dict[int, Answer] = {}
    start = 0
    for number, (i, part) in enumerate(zip(questions, parts, strict=True)):
        places = copies[start : start + len(part)]
        own[i] = answer[np.append(places, len(first) + number) if again else places]
        start += len(part)
    return own


def _answers(model: Model, schema: Schema, rows: np.ndarray) -> bool:
    """Whether a model that has failed accepts these rows."""
    try:
        model(schema.restore(rows))
    except (InputError, ModelError):
        return False
    return True
