"""Asking: generators that yield rows and receive the model's answer, run together so that they share every call."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames.instances import Unseen
from lormika.frames.schema import Schema
from lormika.models import Answer, Model
from lormika.stages.joining import describe_unseen, groups, joined, without_unseen
from lormika.stages.sample import distinct_rows

T = TypeVar("T")
Asking = Generator[np.ndarray, Answer, T]
"""Yields encoded rows, receives the model's answer about them, and returns a result."""

Spread = Callable[..., Iterable[Any]]
"""Like `map`; the `map` of a thread pool works on several things at a time."""


def run_together(
    model: Model, schema: Schema, ways: Sequence[Asking[T]], unseen: Sequence[Unseen], spread: Spread = map
) -> list[T]:
    """Run all of them to the end; in each round, one model call answers what all of them ask.

    For each, `unseen` says which categories only its instance has: where the columns' types list their categories,
    instances with the same ones share a call. In the first round the model is asked a second time about the first row
    of each, apart from all others: the last row of that answer shows whether the model repeats itself.
    """
    results: dict[int, T] = {}
    answers: dict[int, Answer | None] = dict.fromkeys(range(len(ways)))
    is_first = True
    while answers:
        numbers = list(answers)
        steps = list(spread(_advance, [ways[i] for i in numbers], answers.values()))
        rows = {i: step for i, (step, _) in zip(numbers, steps, strict=True) if step is not None}
        results |= {i: result for i, (step, result) in zip(numbers, steps, strict=True) if step is None}
        told: dict[int, Answer | None] = {}
        for some in groups(schema, {i: unseen[i] for i in rows}):
            told |= _ask(model, schema, {i: rows[i] for i in some}, [unseen[i] for i in some], again=is_first)
        answers = {i: told[i] for i in rows}
        is_first = False
    return [results[i] for i in range(len(ways))]


def _advance(way: Asking[Any], answer: Answer | None) -> tuple[np.ndarray | None, Any]:
    """The rows that it asks about next; or None, and its result."""
    try:
        return (next(way) if answer is None else way.send(answer)), None
    except StopIteration as stop:
        return None, stop.value


def _ask(
    model: Model, schema: Schema, wanted: dict[int, np.ndarray], unseen: Sequence[Unseen], *, again: bool
) -> dict[int, Answer]:
    """Ask once about all rows; duplicate rows are asked about only once."""
    wide, parts = joined(schema, list(wanted.values()), unseen)
    rows = np.concatenate(parts) if len(parts) > 1 else parts[0]
    first, copies = distinct_rows(rows)
    firsts = [part[:1] for part in parts] if again else []
    asked = np.concatenate([rows[first], *firsts])
    try:
        answer = model(wide.restore(asked))
    except (InputError, ModelError) as error:
        if any(unseen) and _answers(model, schema, without_unseen(schema, asked)):
            told = f"{describe_unseen(schema, unseen)}: give one of these, or a model that takes others"
            raise type(error)(f"{error}; the cause: {told}") from error
        raise
    own: dict[int, Answer] = {}
    start = 0
    for number, (i, part) in enumerate(zip(wanted, parts, strict=True)):
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
