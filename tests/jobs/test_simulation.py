"""The driver with a cluster on a virtual clock, which loses workers: a small run of the benchmark."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "driver_simulation.py"


@pytest.fixture(scope="module")
def simulation():
    spec = importlib.util.spec_from_file_location("driver_simulation", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_or_repeated_without_need(simulation, seed):
    """Each worker is lost once in a few chunks, so that chunks are hit twice, and pieces of chunks."""
    cluster = simulation.Cluster(chunks=3000, workers=100, rows=50, hours=0.05, killers=20, seed=seed)
    came = simulation.simulate(cluster)
    assert not [*came.faults()]
    assert came.engine.losses > 100
    assert came.engine.tasks["pieces"] > 200


def test_the_simulation_notices_what_must_not_be(simulation, monkeypatch):
    """A driver that forgets a chunk, and one that does everything twice."""
    cluster = simulation.Cluster(chunks=200, workers=10, rows=5, killers=0)
    real = simulation.drive
    monkeypatch.setattr(simulation, "drive", lambda engine, chunks, *more: real(engine, chunks[1:], *more))
    assert "1 chunks are lost" in [*simulation.simulate(cluster).faults()]
    monkeypatch.setattr(simulation, "drive", lambda engine, chunks, *more: real(engine, [*chunks] * 2, *more))
    assert "a chunk was written twice" in [*simulation.simulate(cluster).faults()]
