"""Killed twenty times and gone on with: the parts are those of a run that nobody disturbed."""

from __future__ import annotations

import os
import signal

import pytest

from children import alive, await_true, descendants, end, kill

CHUNKS = ("--chunk-rows", 1, "--workers", 2)
HALTING = {"data": "bad.parquet"}  # one process halts in the first chunk, the other in the ninth


def test_twenty_kills(batch, reference) -> None:
    """Three workers, then the parent, and so on; each when one more chunk was let through."""
    wanted = reference(1)
    kills, processes = 0, []
    batch.allow(1)
    try:
        while kills < 20:
            process = batch.start("gated", "out", *CHUNKS)
            processes.append(process)
            seen: set[int] = set()
            for _ in range(4):
                batch.let_one_through(process)
                workers = descendants(process.pid)
                seen.update(workers)
                kills += 1
                kill(workers[kills % len(workers)] if kills % 4 else process.pid)
            assert process.wait() == -signal.SIGKILL
            assert await_true(lambda pids=seen: not alive(list(pids)))  # nobody outlives the parent
    finally:
        for process in processes:
            end(process)
    assert len(batch.parts("out")) < len(wanted)
    batch.allow(1000)
    done = batch.run("gated", "out", *CHUNKS)
    assert done.returncode == 0, done.stderr
    assert batch.parts("out") == wanted
    assert batch.leftovers("out") == []


def test_interrupt(batch, undisturbed) -> None:
    """Ctrl-C: exit code 130, nobody left, and the same command goes on; so does one after SIGTERM."""
    for sign, code in ((signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
        with batch.started("halts", "out", "--chunk-rows", 5, "--workers", 2, **HALTING) as process:
            assert await_true(lambda p=process: len(batch.parts("out")) == 14 and len(descendants(p.pid)) == 2, process)
            workers = descendants(process.pid)
            process.send_signal(sign)
            printed, _ = process.communicate()
            assert process.returncode == code, printed
            assert "Traceback" not in printed
            assert await_true(lambda pids=workers: not alive(pids))
    (batch.folder / "go").touch()
    assert batch.run("halts", "out", "--chunk-rows", 5, **HALTING).returncode == 0
    for kind in ("rules", "instances"):
        assert [repr(row) for row in batch.rows("out", kind)] == [repr(row) for row in undisturbed[kind]]
    assert batch.leftovers("out") == []


@pytest.mark.parametrize("writing", [False, True])
def test_killed_while_it_prepares(batch, reference, writing) -> None:
    """While it asks the model; and while it writes, of which only what that leaves behind is made here."""
    (batch.folder / "asked.py").write_text(
        "import os, time\nfrom functions import good\n"
        "def model(frame):\n"
        "    open('asked', 'w').close()\n"
        "    while not os.path.exists('go'): time.sleep(0.01)\n"
        "    return good(frame)\n"
    )
    wanted = reference(20)
    with batch.started("python:asked:model", "out", "--chunk-rows", 20) as process:
        assert await_true((batch.folder / "asked").exists, process)
        kill(process.pid)
        pid = process.pid
    if writing:
        left = batch.folder / "out" / f".{os.uname().nodename}-{pid}-0123456789abcdef-background"
        left.mkdir()
        (left / "codes.npy").write_bytes(b"half")
        (batch.folder / "out" / "rules").mkdir()
        (batch.folder / "out" / f".{os.uname().nodename}-{pid}-0123456789abcdef-run.json").write_text('{"half')
    (batch.folder / "go").touch()
    assert batch.run("python:asked:model", "out", "--chunk-rows", 20).returncode == 0
    assert batch.parts("out") == wanted
    assert batch.leftovers("out") == []


def test_only_one_run_at_a_time(batch) -> None:
    with batch.started("halts", "out", "--chunk-rows", 5, "--workers", 2, **HALTING) as process:
        assert await_true(lambda: batch.parts("out"), process)
        other = batch.run("halts", "out", "--chunk-rows", 5, "--workers", 2, **HALTING)
        assert other.returncode == 1
        assert "another run is at work" in other.stderr
        assert other.stderr.strip().count("\n") == 0
