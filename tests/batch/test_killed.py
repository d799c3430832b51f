"""Killed twenty times and gone on with: the parts are those of a run that nobody disturbed."""

from __future__ import annotations

import signal
import time
from functools import partial

from conftest import alive, await_true, descendants, kill

CHUNKS = ("--chunk-rows", 2, "--workers", 2)


def test_twenty_kills(batch, reference) -> None:
    wanted = reference(2)
    kills, seen = 0, set()
    while kills < 20:
        process = batch.start("slow", "out", *CHUNKS)
        while process.poll() is None:  # three workers, then the parent
            _await_progress(batch, process)
            workers = descendants(process.pid)
            seen.update(workers)
            if process.poll() is None and workers:
                kills += 1
                kill(workers[kills % len(workers)] if kills % 4 else process.pid)
            if kills % 4 == 0:
                break
        printed, _ = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL), printed
        assert await_true(partial(_all_gone, seen), 10)  # nobody outlives the parent
        if len(batch.parts("out")) == len(wanted):  # too quick for us: once more, with half of the parts
            for part in sorted((batch.folder / "out").glob("*/part-*"))[::2]:
                part.unlink()
    done = batch.run("slow", "out", *CHUNKS)
    assert done.returncode == 0, done.stderr
    assert batch.parts("out") == wanted
    assert batch.leftovers("out") == []


def _await_progress(batch, process) -> None:
    before = len(batch.parts("out"))
    assert await_true(lambda: len(batch.parts("out")) > before or process.poll() is not None)


def _all_gone(pids) -> bool:
    return not alive(list(pids))


def test_interrupt(batch, reference) -> None:
    """Ctrl-C: exit code 130, nobody left, and the same command goes on; so does one after SIGTERM."""
    wanted = reference(4)
    for sign, code in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
        process = batch.start("slow", "out", "--chunk-rows", 4, "--workers", 2)
        before = len(batch.parts("out"))
        assert await_true(lambda n=before: len(batch.parts("out")) > n)
        workers = descendants(process.pid)
        assert workers
        process.send_signal(sign)
        printed, _ = process.communicate(timeout=20)
        assert process.returncode == code, printed
        assert "Traceback" not in printed
        assert await_true(partial(_all_gone, workers), 5)
    assert batch.run("slow", "out", "--chunk-rows", 4).returncode == 0
    assert batch.parts("out") == wanted
    assert batch.leftovers("out") == []


def test_killed_while_it_prepares(batch, reference) -> None:
    wanted = reference(20)
    for seconds in (1.0, 2.0):
        process = batch.start("slow", "out", "--chunk-rows", 20)
        time.sleep(seconds)
        kill(process.pid)
        process.communicate(timeout=20)
    assert batch.run("slow", "out", "--chunk-rows", 20).returncode == 0
    assert batch.parts("out") == wanted
    assert batch.leftovers("out") == []


def test_only_one_run_at_a_time(batch) -> None:
    process = batch.start("slower", "out", *CHUNKS)
    try:
        assert await_true(lambda: batch.parts("out"))
        other = batch.run("slower", "out", *CHUNKS)
        assert other.returncode == 1
        assert "another run is at work" in other.stderr
        assert other.stderr.strip().count("\n") == 0
    finally:
        process.kill()
        process.communicate(timeout=20)
