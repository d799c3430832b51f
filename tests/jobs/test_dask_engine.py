"""The Dask engine alone, with a cluster that is not there."""

from __future__ import annotations

import pytest

from lormika import ModelError
from lormika.jobs.dask_engine import DaskEngine
from lormika.jobs.driver import Task
from lormika.jobs.run_file import Run

RUN = Run({"source": "m", "sha256": None}, "b", "i", 10_000, 1, {}, {}, ["a"], None, None)


class FakeFuture:
    """Done when it is told so; counts how often anybody looks."""

    looks = 0

    def __init__(self) -> None:
        self.status, self._tell = "pending", []

    def add_done_callback(self, tell) -> None:
        self._tell.append(tell)

    def done(self) -> bool:
        FakeFuture.looks += 1
        return self.status == "finished"

    def finish(self) -> None:
        self.status = "finished"
        self.tell()

    def tell(self) -> None:
        tell, self._tell = self._tell, []
        for one in tell:
            one(self)

    def result(self, timeout):
        return {"failed": 0, "error": None, "died": None, "late": False}

    def cancel(self, force) -> None:
        self.status = "cancelled"


class FakeClient:
    """Of a cluster with a thousand workers."""

    def __init__(self, *_, **__) -> None:
        self.futures: list[FakeFuture] = []
        self.scheduler, self.counts = self, 0

    def ncores(self, workers):
        return dict.fromkeys(range(1000), 1)

    def sync(self, ask, workers, callback_timeout):
        self.counts += 1
        return ask(workers)

    def submit(self, *_, **__) -> FakeFuture:
        self.futures.append(FakeFuture())
        return self.futures[-1]

    def close(self, timeout) -> None:
        pass


@pytest.fixture
def engine(tmp_path, monkeypatch):
    monkeypatch.setattr("distributed.Client", FakeClient)
    return DaskEngine(tmp_path, RUN, "tcp://nowhere:1", 600.0)


def test_an_outcome_costs_the_same_however_many_are_in_flight(engine):
    assert engine.capacity == 2000
    for chunk in range(2000):
        engine.submit(Task(chunk))
    FakeFuture.looks = 0
    for chunk in range(500):
        engine._client.futures[chunk].finish()
        assert [outcome.task.chunk for outcome in engine.wait(1.0)] == [chunk]
    assert FakeFuture.looks <= 1000


def test_a_result_that_is_lost_and_made_again_is_one_outcome(engine):
    engine.submit(Task(7))
    (future,) = engine._client.futures
    future.tell()  # it was done, and its worker died with the result
    assert engine.wait(0.01) == []
    future.finish()
    assert [outcome.task.chunk for outcome in engine.wait(1.0)] == [7]
    assert len(engine._client.futures) == 1


def test_what_is_overdue_is_begun_again(engine, monkeypatch):
    from lormika.jobs import dask_engine

    monkeypatch.setattr(dask_engine, "_MOMENT", -1.0)
    monkeypatch.setattr(dask_engine, "_IN_FLIGHT", 0)
    engine.submit(Task(7))
    assert engine.wait(0.01) == []
    old, new = engine._client.futures
    assert old.status == "cancelled"
    old.tell()  # nobody listens any longer
    new.finish()
    assert [outcome.task.chunk for outcome in engine.wait(1.0)] == [7]


@pytest.mark.parametrize(
    ("status", "raised"), [("connecting", ModelError), ("closed", ModelError), ("running", ValueError)]
)
def test_whatever_fails_without_a_connection_is_because_of_that(engine, monkeypatch, status, raised):
    def refuse(*_, **__) -> None:
        raise ValueError("cannot send")

    engine._client.status = status
    monkeypatch.setattr(engine._client, "submit", refuse)
    with pytest.raises(raised):
        engine.submit(Task(0))
    monkeypatch.setattr(engine, "_wait", refuse)
    with pytest.raises(raised):
        engine.wait(0)
