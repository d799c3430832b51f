"""Many rows: chunks against a loop, two processes against one, and how time and memory grow."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import PAGE, Report, Requirement, SkippedError, Table
from timing import cpu, within

import data
from lormika import Explainer, datasets

INSTANCES, BLOCK = 1000, 100
SIZES = (1_000, 10_000, 100_000)
LEAST_RATIO, LEAST_SPEED_UP = 3.0, 1.7
PAUSES = 5
COVERTYPE_INSTANCES, MOST_GIGABYTES = 10_000, 2.0
FIGURE = PAGE.parent / "many.svg"


@dataclass(frozen=True)
class Growth:
    instances: int
    seconds: float
    megabytes: float  # by which the process grew, at most
    few: float  # seconds for each row of short runs, made now and then in between: the machine is not always as fast

    @property
    def each(self) -> float:
        return self.seconds / self.instances


def run() -> Report:
    try:
        X, y = data.adult()
    except SkippedError as reason:
        return Report(remarks=[f"Many rows: {reason}."])
    training, rows, target, _ = datasets.split(X, y)
    forest = datasets.make_model("rf", training).fit(training, target)
    loop, chunks = _ratio(Explainer(forest, training), rows)
    one, two = (_processes(forest, training, rows[:INSTANCES], workers) for workers in (1, 2))
    linear = datasets.make_model("lr", training).fit(training, target)
    grown = [within(7200, _grow, Explainer(linear, training), rows, size) for size in SIZES]
    _draw(grown)
    cover, gigabytes = _covertype()
    return Report(
        [
            Table(
                f"Adult, random forest, {INSTANCES:,} rows: milliseconds for each row",
                ["a loop over `explain`, CPU", "`explain_many`, CPU", "one process, clock", "two processes, clock"],
                [[f"{each / INSTANCES * 1000:.1f}" for each in (loop, chunks, one, two)]],
            ),
            Table(
                "Adult, logistic regression, `explain_many` in one thread",
                ["rows", "CPU seconds", "milliseconds for each", f"of {SIZES[0]:,} in between", "growth, MB"],
                [[f"{g.instances:,}", f"{g.seconds:.1f}", f"{g.each * 1000:.2f}", f"{g.few * 1000:.2f}",
                  f"{g.megabytes:.0f}"] for g in grown],
            ),
            Table(
                f"Covertype, random forest, {COVERTYPE_INSTANCES:,} rows, one process",
                ["minutes, clock", "memory of all processes, GB"],
                [[f"{cover / 60:.1f}", f"{gigabytes:.2f}"]],
            ),
        ],
        [
            Requirement(
                f"`explain_many` is at least {LEAST_RATIO:g} times as fast as a loop, on one core",
                f"{loop / chunks:.2f} times", loop / chunks >= LEAST_RATIO,
            ),
            Requirement(
                f"two processes are at least {LEAST_SPEED_UP:g} times as fast as one",
                f"{one / two:.2f} times", one / two >= LEAST_SPEED_UP,
            ),
            Requirement(
                f"time is linear: a row of {SIZES[-1]:,} takes at most 1.1 times as long as one of {SIZES[0]:,}",
                f"{grown[-1].each / grown[-1].few:.2f} times", grown[-1].each / grown[-1].few <= 1.1,
            ),
            Requirement(
                "memory is flat: 100 times the rows take at most 100 MB more",
                f"{grown[-1].megabytes - grown[0].megabytes:.0f} MB", grown[-1].megabytes - grown[0].megabytes <= 100,
            ),
            Requirement(
                f"Covertype, {COVERTYPE_INSTANCES:,} rows: within {MOST_GIGABYTES:g} GB",
                f"{gigabytes:.2f} GB", gigabytes <= MOST_GIGABYTES,
            ),
        ],
        [f"![Time and memory against the number of rows]({FIGURE.name})"],
    )  # fmt: skip


def _ratio(explainer: Explainer, rows: Any) -> tuple[float, float]:
    """CPU seconds of a loop and of chunks, block by block in turn."""
    explainer.explain(rows.iloc[[0]])
    loop = chunks = 0.0
    for start in range(0, INSTANCES, BLOCK):
        some = rows[start : start + BLOCK]
        loop += cpu(lambda some=some: [explainer.explain(some.iloc[[i]]) for i in range(len(some))])[0]
        chunks += cpu(lambda some=some: list(explainer.explain_many(some, progress=False)))[0]
    return loop, chunks


def _processes(model: Any, background: Any, rows: Any, workers: int) -> float:
    """Seconds of a run, from the start of its processes to its last part."""
    seconds, _ = _batch(model, background, rows, workers, chunk_rows=BLOCK)
    return seconds


def _batch(model: Any, background: Any, rows: Any, workers: int, chunk_rows: int) -> tuple[float, float]:
    """Seconds of a run of `lormika batch`, and the most memory (GB) of all its processes at a time."""
    import pickle

    from lormika.jobs.inputs import model_facts
    from lormika.jobs.local import LocalEngine
    from lormika.jobs.run import ChunkSize, Request, Shard, prepare, run_chunks

    with tempfile.TemporaryDirectory() as place:
        folder, file = Path(place, "run"), Path(place, "model.pkl")
        folder.mkdir()
        file.write_bytes(pickle.dumps(model))
        request = Request(model_facts(str(file), {"allow_pickle": True}), options={})
        run = prepare(folder, Explainer(model, background), background, rows, request, ChunkSize(chunk_rows))
        most, over = [0.0], threading.Event()
        watch = threading.Thread(target=_watch, args=(most, over))
        watch.start()
        start = time.monotonic()
        try:
            run_chunks(folder, run, lambda: LocalEngine(folder, run, workers, 3600), Shard())
        finally:
            over.set()
            watch.join()
        return time.monotonic() - start, most[0]


def _watch(most: list[float], over: threading.Event) -> None:
    """Keep the greatest sum of what the children of this process hold; memory that they share counts once."""
    while not over.wait(0.5):
        held = 0
        for child in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
            for pid in child.read_text().split():
                try:
                    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                except OSError:
                    continue
                held += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        most[0] = max(most[0], held / 2**20)


def _grow(explainer: Explainer, rows: Any, size: int) -> Growth:
    from memory import resident_bytes

    for _ in explainer.explain_many(rows[:100], progress=False):
        pass
    table = rows.sample(size, replace=True, random_state=0)
    before, most, pauses = resident_bytes(), 0, []
    start = time.process_time()
    for number, _ in enumerate(explainer.explain_many(table, progress=False), start=1):
        if number % 500 == 0:
            most = max(most, resident_bytes() - before)
        if number % (size // PAUSES) == 0:
            few = rows.sample(SIZES[0], replace=True, random_state=number)
            pauses.append(cpu(lambda few=few: sum(1 for _ in explainer.explain_many(few, progress=False)))[0])
    seconds = time.process_time() - start - sum(pauses)
    return Growth(size, seconds, most / 2**20, sum(pauses) / PAUSES / SIZES[0])


def _covertype() -> tuple[float, float]:
    X, y = datasets.load_covertype()
    training, rows, target, _ = datasets.split(X, y)
    model = datasets.make_model("rf", training).set_params(randomforestclassifier__n_jobs=os.cpu_count())
    model.fit(training, target).set_params(randomforestclassifier__n_jobs=1)
    return _batch(model, training, rows[:COVERTYPE_INSTANCES], workers=1, chunk_rows=250)


def _draw(grown: list[Growth]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 2.8), layout="constrained")
    for place, (name, figures) in enumerate(
        {
            "CPU seconds": [each.seconds for each in grown],
            "growth of the process, MB": [each.megabytes for each in grown],
        }.items()
    ):
        axes = figure.add_subplot(1, 2, place + 1)
        axes.plot([each.instances for each in grown], figures, "o-", color="#0072b2")
        axes.set(xscale="log", xlabel="rows explained", ylabel=name)
        axes.set(yscale="log") if place == 0 else axes.set(ylim=(0, max(50.0, 1.3 * max(figures))))
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(FIGURE, metadata={"Date": None})
