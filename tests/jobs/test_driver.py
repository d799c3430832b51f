"""The ledger alone, with an engine that dies as it is told to."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lormika.errors import ModelError
from lormika.jobs.driver import Outcome, Task, drive


class FakeEngine:
    """Dies of guilty rows; also for no reason, but never twice in a row of the same task."""

    def __init__(self, capacity: int, rows_of, guilty=frozenset(), flaky=(), late=False) -> None:
        self.capacity, self._rows_of, self._guilty, self._flaky, self._late = (
            capacity,
            rows_of,
            guilty,
            iter(flaky),
            late,
        )
        self.flying: list[Task] = []
        self.tasks: list[Task] = []
        self.written: dict[int, dict[int, str]] = {}
        self._unlucky: set[tuple] = set()

    def submit(self, task: Task) -> None:
        assert len(self.flying) < self.capacity
        self.flying.append(task)
        self.tasks.append(task)

    def wait(self, seconds: float) -> list[Outcome]:
        return [self._outcome(self.flying.pop(0))]

    def _outcome(self, task: Task) -> Outcome:
        rows = self._rows_of(task.chunk) if task.rows is None else task.rows
        if any(row in self._guilty and row not in task.skip for row in rows):
            return Outcome(task, died="crash", late=self._late)
        key = (task.chunk, task.rows)
        if next(self._flaky, False) and key not in self._unlucky:
            self._unlucky.add(key)
            return Outcome(task, died="bad luck")
        self._unlucky.discard(key)
        if task.rows is None:
            assert task.chunk not in self.written
            self.written[task.chunk] = task.skip
        return Outcome(task)


@settings(max_examples=100)
@given(st.data(), st.integers(1, 40), st.integers(1, 15), st.integers(1, 4), st.booleans())
def test_exactly_the_guilty_rows_are_skipped(data, n_rows, chunk_rows, capacity, late) -> None:
    guilty = data.draw(st.frozensets(st.integers(0, n_rows - 1)))
    flaky = iter(data.draw(st.lists(st.booleans(), max_size=6)))
    chunks = math.ceil(n_rows / chunk_rows)

    def rows_of(chunk: int) -> range:
        return range(chunk * chunk_rows, min(n_rows, (chunk + 1) * chunk_rows))

    engine, heard = FakeEngine(capacity, rows_of, guilty, flaky, late), []
    drive(engine, range(chunks), rows_of, lambda chunk, failed: heard.append(chunk))
    assert sorted(heard) == list(range(chunks)) == sorted(engine.written)
    for chunk in range(chunks):
        assert set(engine.written[chunk]) == guilty & set(rows_of(chunk))
    levels = math.ceil(math.log(chunk_rows, 8)) + 1
    assert len(engine.tasks) <= 3 * chunks + 10 * len(guilty) * levels + 6 * 2 * (2 * chunk_rows + 2)


def test_a_chunk_that_dies_only_as_a_whole_does_not_stop_the_others() -> None:
    class Whole(FakeEngine):
        def _outcome(self, task: Task) -> Outcome:
            return Outcome(task, died="no memory") if task.chunk == 1 and task.rows is None else super()._outcome(task)

    def rows_of(chunk: int) -> range:
        return range(chunk * 10, chunk * 10 + 10)

    engine = Whole(2, rows_of)
    with pytest.raises(ModelError, match=r"1 chunk.*the first is 1: no memory.*lower --chunk-rows"):
        drive(engine, range(4), rows_of, lambda chunk, failed: None)
    assert sorted(engine.written) == [0, 2, 3]
    assert len(engine.tasks) < 25


def test_an_error_ends_the_run() -> None:
    class Full(FakeEngine):
        def _outcome(self, task: Task) -> Outcome:
            return Outcome(task, error="the disk is full")

    with pytest.raises(ModelError, match="the disk is full"):
        drive(Full(1, lambda chunk: range(1)), range(3), lambda chunk: range(1), lambda chunk, failed: None)


def test_a_row_that_hangs_costs_few_limits() -> None:
    def rows_of(chunk: int) -> range:
        return range(1000)

    engine = FakeEngine(1, rows_of, frozenset({700}), late=True)
    drive(engine, [0], rows_of, lambda chunk, failed: None)
    hung = [task for task in engine.tasks if 700 in (task.rows or rows_of(0)) and 700 not in task.skip]
    assert sum(task.limits for task in hung) <= 5
    assert engine.written[0] == {700: "crash"}


class SlowEngine(FakeEngine):
    """Each row takes a second; a task may take so many, for each limit that it has."""

    def __init__(self, rows_of, limit: int) -> None:
        super().__init__(1, rows_of)
        self.limit, self.seconds = limit, 0

    def _outcome(self, task: Task) -> Outcome:
        wanted = len(self._rows_of(task.chunk) if task.rows is None else task.rows)
        late = wanted > self.limit * task.limits
        self.seconds += min(wanted, self.limit * task.limits)
        return Outcome(task, died="it took longer", late=True) if late else super()._outcome(task)


@pytest.mark.parametrize("limit", [5, 17, 30, 99])
def test_a_slow_model_gets_through(limit) -> None:
    """No row fails, the user hears how to do better, and other chunks do not waste as much."""
    said: list[str] = []

    def rows_of(chunk: int) -> range:
        return range(chunk * 100, chunk * 100 + 100)

    engine = SlowEngine(rows_of, limit)
    drive(engine, range(10), rows_of, lambda chunk, failed: None, said.append)
    assert engine.written == {chunk: {} for chunk in range(10)}
    assert engine.seconds <= 1000 + 100 + 9 * limit
    (line,) = said
    assert "chunk 0: it took longer" in line
    assert "raise --chunk-limit or lower --chunk-rows" in line


def test_a_chunk_without_a_row_to_explain_is_written_though_its_process_dies() -> None:
    class Unlucky(FakeEngine):
        def _outcome(self, task: Task) -> Outcome:
            if task.rows is None and task.skip and len([t for t in self.tasks if t.skip]) < 3:
                return Outcome(task, died="bad luck")
            return super()._outcome(task)

    engine = Unlucky(1, lambda chunk: range(1), frozenset({0}))
    drive(engine, [0], lambda chunk: range(1), lambda chunk, failed: None)
    assert engine.written == {0: {0: "crash"}}


def test_a_cluster_may_shrink_below_what_it_has_in_hand() -> None:
    class Shrinking(FakeEngine):
        @property
        def capacity(self) -> int:
            return 1 if self.tasks else 4

        @capacity.setter
        def capacity(self, _: int) -> None:
            pass

        def submit(self, task: Task) -> None:
            self.flying.append(task)
            self.tasks.append(task)

    engine = Shrinking(4, lambda chunk: range(1))
    drive(engine, range(6), lambda chunk: range(1), lambda chunk, failed: None)
    assert sorted(engine.written) == list(range(6))


def test_chunks_are_taken_as_they_are_needed() -> None:
    """A million of them are no list in memory."""
    taken: list[int] = []

    class Watching(FakeEngine):
        def wait(self, seconds: float) -> list[Outcome]:
            assert len(taken) <= len(self.tasks) + 1
            return super().wait(seconds)

    def chunks():
        for chunk in range(50):
            taken.append(chunk)
            yield chunk

    engine = Watching(3, lambda chunk: range(1))
    drive(engine, chunks(), lambda chunk: range(1), lambda chunk, failed: None)
    assert sorted(engine.written) == list(range(50))
