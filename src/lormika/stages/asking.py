"""Asking: generators that yield rows and get the model's answer, run together so that they share every call."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from lormika.models import Answer, Model
from lormika.sample import distinct_rows
from lormika.schema import Schema

T = TypeVar("T")
Asking = Generator[np.ndarray, Answer, T]
"""Yields encoded rows, gets the model's answer about them, and returns a result."""

Spread = Callable[..., Iterable[Any]]
"""Like `map`; one of threads works on several things at a time."""


def run_together(model: Model, schema: Schema, ways: Sequence[Asking[T]], spread: Spread = map) -> list[T]:
    """Run all to their end; in each round, one model call answers what all of them want to know.

    In the first round the model is asked twice about the first row of each, apart from all others: the last row of that
    answer tells whether the model repeats itself.
    """
    results: dict[int, T] = {}
    answers: dict[int, Answer | None] = dict.fromkeys(range(len(ways)))
    is_first = True
    while answers:
        numbers = list(answers)
        steps = list(spread(_advance, [ways[i] for i in numbers], answers.values()))
        rows = {i: step for i, (step, _) in zip(numbers, steps, strict=True) if step is not None}
        results |= {i: result for i, (step, result) in zip(numbers, steps, strict=True) if step is None}
        answers = _ask(model, schema, rows, again=is_first) if rows else {}
        is_first = False
    return [results[i] for i in range(len(ways))]


def _advance(way: Asking[Any], answer: Answer | None) -> tuple[np.ndarray | None, Any]:
    """Rows that it asks about next; or None, and its result."""
    try:
        return (next(way) if answer is None else way.send(answer)), None
    except StopIteration as stop:
        return None, stop.value


def _ask(model: Model, schema: Schema, wanted: dict[int, np.ndarray], *, again: bool) -> dict[int, Answer | None]:
    """Ask once about all rows; of rows that are the same, about one."""
    rows = np.concatenate(list(wanted.values())) if len(wanted) > 1 else next(iter(wanted.values()))
    first, copies = distinct_rows(rows)
    firsts = [own[:1] for own in wanted.values()] if again else []
    asked = np.concatenate([rows[first], *firsts])
    answer = model(schema.restore(asked), len(asked))
    own: dict[int, Answer | None] = {}
    start = 0
    for number, (i, part) in enumerate(wanted.items()):
        places = copies[start : start + len(part)]
        own[i] = answer[np.append(places, len(first) + number) if again else places]
        start += len(part)
    return own
