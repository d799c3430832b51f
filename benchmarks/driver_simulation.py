"""The driver of `lormika batch` with a cluster that is not there: `python benchmarks/driver_simulation.py`.

The driver is the real one; its engine has a clock of its own, on which workers take time, are lost and start again, and
rows kill whoever works on them. Prints what the driver costs beside the work, and what was done more than once. Fails
if anything was lost, was written twice, or was repeated without need.
"""

from __future__ import annotations

import argparse
import heapq
import random
import resource
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from lormika.jobs.driver import Outcome, Task, drive

CHUNK_SECONDS = 20.0  # what chunks are sized to take
START_SECONDS = 2.0  # of a new worker
AWAY_SECONDS = 60.0  # until there is one in place of a lost one
PIECES = 8  # into which the driver divides rows that kill


@dataclass(frozen=True)
class Cluster:
    """What there is to do, and who does it."""

    chunks: int = 1_000_000
    workers: int = 1_000
    rows: int = 100  # of a chunk
    hours: float = 6.0  # after which a worker is lost, on average
    killers: int = 100  # rows that kill every worker
    seed: int = 0

    def rows_of(self, chunk: int) -> range:
        return range(chunk * self.rows, (chunk + 1) * self.rows)

    def killing(self) -> frozenset[int]:
        return frozenset(random.Random(self.seed).sample(range(self.chunks * self.rows), self.killers))


@dataclass
class VirtualEngine:
    """Runs tasks on a virtual clock."""

    cluster: Cluster
    clock: float = 0.0
    busy: float = 0.0  # seconds of all workers
    losses: int = 0  # of workers that were at work
    kills: int = 0  # by rows
    waits: int = 0
    tasks: Counter[str] = field(default_factory=Counter)
    written: Counter[int] = field(default_factory=Counter)
    skipped: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._killing, self._random = self.cluster.killing(), random.Random(self.cluster.seed + 1)
        self._killing_chunks = {row // self.cluster.rows for row in self._killing}
        self._flying: list[tuple[float, int, Outcome]] = []
        self._number, self._starting = 0, self.cluster.workers  # workers that have yet to start
        self._away: deque[float] = deque()  # when a worker that was lost has another in its place

    @property
    def capacity(self) -> int:
        while self._away and self._away[0] <= self.clock:
            self._away.popleft()
        return self.cluster.workers - len(self._away)

    def submit(self, task: Task) -> None:
        assert len(self._flying) < self.capacity, "more tasks than workers"
        rows = self.cluster.rows_of(task.chunk) if task.rows is None else task.rows
        seconds = CHUNK_SECONDS * len(rows) / self.cluster.rows * self._random.uniform(0.5, 1.5)
        if self._starting:
            self._starting, seconds = self._starting - 1, seconds + START_SECONDS
        lost = self._random.expovariate(1 / (3600 * self.cluster.hours))
        kills = task.chunk in self._killing_chunks and any(r in self._killing and r not in task.skip for r in rows)
        died = "lost" if lost < seconds else "killed" if kills else None
        seconds = min(lost, seconds) * (self._random.random() if died == "killed" else 1)
        self._number += 1
        self.tasks["whole chunks" if task.rows is None else "pieces"] += 1
        self.busy += seconds
        heapq.heappush(self._flying, (self.clock + seconds, self._number, Outcome(task, died=died)))

    def wait(self, seconds: float) -> list[Outcome]:
        self.waits += 1
        self.clock, _, outcome = heapq.heappop(self._flying)
        if outcome.died is not None:
            self._starting += 1
            self._away.append(self.clock + AWAY_SECONDS)
            self.losses += outcome.died == "lost"
            self.kills += outcome.died == "killed"
        elif outcome.task.rows is None:
            self.written[outcome.task.chunk] += 1
            self.skipped |= outcome.task.skip.keys()
        return [outcome]

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Simulation:
    """What came of it."""

    cluster: Cluster
    engine: VirtualEngine
    cpu: float  # seconds of the driver, and of the simulation around it
    told: Counter[int]

    @property
    def repeated(self) -> int:
        """Whole chunks that were begun more than once."""
        return self.engine.tasks["whole chunks"] - self.cluster.chunks

    def faults(self) -> Iterable[str]:
        """What must not be."""
        cluster, engine = self.cluster, self.engine
        everything = set(range(cluster.chunks))
        if engine.written.keys() != everything or self.told.keys() != everything:
            yield f"{len(everything - engine.written.keys()):,} chunks are lost"
        if max(engine.written.values()) > 1 or max(self.told.values()) > 1:
            yield "a chunk was written twice"
        if engine.skipped != cluster.killing():
            yield f"{len(engine.skipped ^ cluster.killing()):,} rows were skipped, or not, against the truth"
        deaths = engine.losses + engine.kills
        # A death costs one more try of the same; or, of rows that killed before, pieces and the chunk without them.
        if self.repeated > deaths:
            yield f"{self.repeated:,} chunks were begun again, for {deaths:,} deaths"
        if engine.tasks["pieces"] > (PIECES + 1) * deaths:
            yield f"{engine.tasks['pieces']:,} pieces were tried, for {deaths:,} deaths"

    def report(self) -> str:
        cluster, engine = self.cluster, self.engine
        needed = CHUNK_SECONDS * cluster.chunks
        lines = {
            "chunks, workers": f"{cluster.chunks:,}, {cluster.workers:,}",
            "virtual time": f"{engine.clock / 3600:.1f} hours, {engine.busy / 3600:,.0f} of all workers",
            "workers lost at work, killed by rows": f"{engine.losses:,}, {engine.kills:,}",
            "chunks begun again, pieces tried": f"{self.repeated:,}, {engine.tasks['pieces']:,}",
            "rows skipped": f"{len(engine.skipped):,} of {cluster.killers:,} that kill",
            "work beyond one time each": f"{engine.busy / needed - 1:+.2%}",
            "CPU time of driver and simulation": f"{self.cpu:.1f} s, {1e6 * self.cpu / engine.waits:.1f} µs a task",
            "share of the time that it takes": f"{self.cpu / engine.clock:.3%}",
            "share of the work": f"{self.cpu / engine.busy:.6%}",
            "memory, at most": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB",
        }
        return "\n".join(f"{name:<38} {figure}" for name, figure in lines.items())


def simulate(cluster: Cluster) -> Simulation:
    """Let the driver do all chunks."""
    engine, told = VirtualEngine(cluster), Counter[int]()

    def done(chunk: int, failed: int) -> None:
        told[chunk] += 1

    began = time.process_time()
    drive(engine, range(cluster.chunks), cluster.rows_of, done)
    return Simulation(cluster, engine, time.process_time() - began, told)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chunks", type=int, default=Cluster.chunks)
    parser.add_argument("--workers", type=int, default=Cluster.workers)
    parser.add_argument("--hours", type=float, default=Cluster.hours, help="after which a worker is lost, on average")
    arguments = parser.parse_args()
    simulation = simulate(Cluster(arguments.chunks, arguments.workers, hours=arguments.hours))
    print(simulation.report())
    faults = [*simulation.faults()]
    if simulation.cpu > simulation.engine.clock / 100:
        faults.append("the driver takes more than a hundredth of the time")
    print("\n".join(faults) or "nothing lost, nothing written twice, nothing repeated without need")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
