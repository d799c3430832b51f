"""On a Dask cluster of this machine: the same parts, whatever dies."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from batches import alone
from children import alive, await_true, descendants, kill

pytest.importorskip("distributed", reason="dask is not installed")

CHUNKS = ("--chunk-rows", 5)


@pytest.fixture
def cluster(batch):
    """A scheduler and two workers, as processes of their own; the workers come back with the scheduler."""
    found = Cluster(batch.folder)
    try:
        yield found
    finally:
        found.close()


class Cluster:
    def __init__(self, folder, *, workers: bool = True) -> None:
        self.folder, self.has_workers = folder, workers
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{one.getsockname()[1]}"
        self.started = []
        self.start()

    def start(self) -> None:
        place, port = "127.0.0.1", self.address.rpartition(":")[2]
        self.scheduler = self._process("scheduler", "--host", place, "--port", port, "--no-dashboard")
        if not self.has_workers:
            return
        self.workers = self._process(
            "worker", self.address, "--host", place, "--nworkers", "2", "--nthreads", "1", "--no-dashboard",
            "--death-timeout", "20", "--local-directory", "scratch",
        )  # fmt: skip

    def _process(self, *arguments: str) -> subprocess.Popen:
        line = [sys.executable, "-m", "dask", *arguments]
        output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(line, cwd=self.folder, **output)
        self.started.append(process)
        return process

    def close(self) -> None:
        pids = [pid for process in self.started for pid in (process.pid, *descendants(process.pid))]
        for pid in pids:
            kill(pid)
        for process in self.started:
            process.wait()
        assert await_true(lambda: not alive(pids))


@pytest.fixture(scope="module")
def local(files):
    """Two workers for tests that leave them as they are, with the scheduler in this process."""
    from distributed import LocalCluster

    options = {"dashboard_address": ":0", "processes": True, "host": "127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(files)  # where workers find the functions
        with LocalCluster(n_workers=2, threads_per_worker=1, local_directory="scratch", **options) as found:
            yield found


def _dask(address: str) -> tuple[object, ...]:
    return (*CHUNKS, "--engine", "dask", "--scheduler", address)


def test_the_same_parts_whatever_dies(batch, reference, cluster) -> None:
    """Workers and the command twice each, then the scheduler, after some progress; the rest is done without Dask."""
    wanted, few = reference(2), ("--chunk-rows", 2, *_dask(cluster.address)[2:])
    batch.allow(1)
    for victims in ((_kill_worker, _kill_command), (_kill_worker, _kill_command), (_kill_scheduler,)):
        with batch.started("gated", "out", *few) as process:
            for victim in victims:
                # Workers may still be at two chunks of a command that was killed before.
                for _ in range(4 if victim is _kill_scheduler else 1):
                    batch.let_one_through(process)
                victim(cluster, process)
    assert len(batch.parts("out")) < len(wanted)
    batch.allow(1000)
    done = batch.run("gated", "out", "--chunk-rows", 2)
    assert done.returncode == 0, done.stderr
    assert batch.parts("out") == wanted
    assert batch.leftovers("out") == []


def _kill_worker(cluster: Cluster, process: subprocess.Popen) -> None:
    assert await_true(lambda: _workers(cluster), process)
    kill(_workers(cluster)[0])  # its nanny starts another


def _kill_command(cluster: Cluster, process: subprocess.Popen) -> None:
    kill(process.pid)
    process.wait()


def _kill_scheduler(cluster: Cluster, process: subprocess.Popen) -> None:
    kill(cluster.scheduler.pid)
    printed, _ = process.communicate()
    assert process.returncode == 1, printed
    assert "the Dask scheduler at" in printed, printed
    assert "is gone" in printed
    assert "Traceback" not in printed


def _workers(cluster: Cluster) -> list[int]:
    """Processes of workers: they have those that explain as children."""
    return [pid for pid in descendants(cluster.workers.pid) if _is_parent_of_ours(pid)]


def _is_parent_of_ours(pid: int) -> bool:
    def line(child: int) -> bytes:
        try:
            with open(f"/proc/{child}/cmdline", "rb") as file:
                return file.read()
        except OSError:
            return b""

    own = [child for child in descendants(pid) if b"lormika.jobs.worker" in line(child)]
    return len(own) == 1


def test_a_model_that_crashes_takes_no_worker_with_it(batch, undisturbed, local) -> None:
    before = {name: worker.pid for name, worker in local.workers.items()}
    line = ("--chunk-rows", 30, *_dask(local.scheduler_address)[2:])
    done = batch.run("crashes", "out", *line, data="bad.parquet")
    assert done.returncode == 3, done.stderr
    assert {name: worker.pid for name, worker in local.workers.items()} == before
    errors = {row["row"]: row["error"] for row in batch.rows("out", "instances") if row["error"] is not None}
    assert sorted(errors) == [3, 41]
    assert all("SIGSEGV" in error for error in errors.values())
    wanted = [repr(row) for row in undisturbed["rules"] if row["row"] not in errors]
    assert [repr(row) for row in batch.rows("out")] == wanted


def test_at_most_two_chunks_for_each_worker(batch, local, monkeypatch) -> None:
    """What is in flight is counted at every turn; the records are the same."""
    from lormika.jobs import run as runs
    from lormika.jobs.dask_engine import DaskEngine
    from lormika.jobs.folder import Folder

    assert batch.run("mlp.skops", "out", "--chunk-rows", 4, "--prepare").returncode == 0
    most = []

    class Watched(DaskEngine):
        def wait(self, seconds: float):
            most.append(len(self._tasks))
            return super().wait(seconds)

    out = batch.folder / "out"
    monkeypatch.chdir(batch.folder)
    run = Folder(out).read()
    came = runs.run_chunks(out, run, lambda: Watched(out, run, local.scheduler_address, 600.0), runs.Shard())
    assert came["rows"] == 60
    assert 2 <= max(most) <= 4
    assert [repr(row) for row in batch.rows("out")] == alone(batch.folder, "mlp.skops")


def test_no_scheduler(batch) -> None:
    assert batch.run("good", "out", *CHUNKS, "--prepare").returncode == 0
    done = batch.run("good", "out", *CHUNKS, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert done.returncode == 1
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scheduler_without_workers_is_waited_for_but_not_for_ever(batch) -> None:
    cluster = Cluster(batch.folder, workers=False)
    try:
        assert batch.run("good", "out", *CHUNKS, "--prepare").returncode == 0
        done = batch.run("good", "out", *_dask(cluster.address), "--chunk-limit", 2, quiet=False)
    finally:
        cluster.close()
    assert done.returncode == 1
    assert "has no worker: waiting for one, at most 2 s (--chunk-limit)" in done.stderr
    assert "has had no worker for 2 s: start some" in done.stderr
    assert "Traceback" not in done.stderr
