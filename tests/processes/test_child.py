"""Child processes: messages until a deadline, words for their end, and none that outlives its parent."""

from __future__ import annotations

import gc
import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lacking import on_linux
from lormika.processes import Child, LostError, pipes

pytestmark = on_linux
LONG = 600.0  # seconds: no measure of anything, they end a test that would hang for ever

# A child that knows the protocol, and nothing of this library.
BEGINNING = """
import json, os, signal, struct, subprocess, sys, time

def read(size):
    data = sys.stdin.buffer.read(size)
    return data if len(data) == size else sys.exit(0)

def receive():
    head, body = struct.unpack(">QQ", read(16))
    return json.loads(read(head)), read(body)

def send(head, body=b""):
    text = json.dumps(head).encode()
    sys.stdout.buffer.write(struct.pack(">QQ", len(text), len(body)) + text + body)
    sys.stdout.buffer.flush()
"""
ECHO = BEGINNING + "while True: send(*receive())"


@pytest.fixture(params=[True, False], ids=["polled", "threads"])
def start(request, monkeypatch):
    """Starts children, whose pipes are read and written in each of the two ways."""
    monkeypatch.setattr(pipes, "HAVE_POLL", request.param)
    children = []

    def start(program: str, **options) -> Child:
        children.append(Child([sys.executable, "-c", program], **options))
        return children[-1]

    try:
        yield start
    finally:
        for child in children:
            child.end()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead, and waits to be asked about, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def await_end(pid: int) -> bool:
    deadline = time.monotonic() + LONG
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


# Messages


def test_messages_go_both_ways(start):
    child = start(ECHO)
    for head, body in [({"a": [1, None, "é"]}, b""), ({}, b"\x00\xff"), ({"b": 1}, b"x" * 5_000_000)]:
        child.send(head, body)
        answer = child.receive(LONG)
        assert answer[0] == head
        assert bytes(answer[1]) == body


def test_large_messages_that_cross_do_not_block(start):
    """The child writes before it reads: neither pipe holds all of it."""
    child = start(BEGINNING + "send({}, b'x' * 3_000_000)\nsend({'size': len(receive()[1])})")
    child.send({}, b"y" * 3_000_000)
    assert len(child.receive(LONG)[1]) == 3_000_000
    assert child.receive(LONG)[0] == {"size": 3_000_000}


def test_messages_sent_ahead_come_in_order(start):
    child = start(ECHO)
    for number in range(5):
        child.send({"number": number})
    assert [child.receive(LONG)[0]["number"] for _ in range(5)] == list(range(5))


def test_looking_never_waits(start):
    child = start(ECHO)
    assert child.look() is None
    child.send({"a": 1})
    deadline = time.monotonic() + LONG
    while (message := child.look()) is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert message is not None
    assert message[0] == {"a": 1}


@pytest.mark.parametrize(
    "program",
    [
        "time.sleep(600)",
        "sys.stdout.buffer.write(b'\\0' * 8); sys.stdout.flush(); time.sleep(600)",  # half of two lengths
        "os.write(1, struct.pack('>QQ', 100, 0))\nwhile True: os.write(1, b'x'); time.sleep(0.05)",
    ],
)
def test_a_deadline_holds_for_the_whole_message(start, program):
    child = start(BEGINNING + program)
    with pytest.raises(LostError, match=r"^no answer within 0\.3 seconds$"):
        child.receive(0.3)
    assert not child.ended


def test_a_sender_that_does_not_pause_is_late_as_well(start):
    size = 1 << 30
    child = start(
        f"import os, struct\nos.write(1, struct.pack('>QQ', {size}, 0))\nwhile True: os.write(1, b'x' * 9999)"
    )
    with pytest.raises(LostError, match="no answer within"):
        child.receive(0.1)


def test_what_a_child_printed_last_says_why_it_ended(start, tmp_path):
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    program = "import os\nfrom lormika.processes.messages import Line\nLine()\nprint('no more room')\nos._exit(3)"
    child = start(program, environment=usual, log=tmp_path / "log.txt")
    with pytest.raises(LostError, match=r"ended itself with exit code 3: no more room$"):
        child.receive(LONG)


def test_a_child_that_reads_nothing_is_late(start):
    child = start("import time\ntime.sleep(600)")
    child.send({}, b"x" * 5_000_000)
    with pytest.raises(LostError, match="no answer within"):
        child.receive(0.2)


def raw(head: bytes, body: bytes = b"") -> str:
    return f"import os\nos.write(1, {struct.pack('>QQ', len(head), len(body)) + head + body!r})"


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (raw(b"[1]"), "no object"),
        (raw(b"{1}"), "not JSON"),
        (raw(b"\xff\xfe{}"), "not JSON"),
        (raw(b"[" * 50_000), "not JSON"),
        ("import os\nos.write(1, b'\\xff' * 16)", "bytes"),
        ("while True: print('hello')", "bytes"),
    ],
)
def test_what_is_no_message_is_refused(start, program, words):
    child = start(program)
    with pytest.raises(LostError, match=rf"its process sent something else than an answer \(.*{words}"):
        child.receive(LONG)


# How it ends


@pytest.mark.parametrize(
    ("program", "kind", "words"),
    [
        ("os._exit(7)", "exit", "ended itself with exit code 7"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crash", "crashed (SIGSEGV)"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "kill", "was killed (SIGTERM)"),
        ("os.kill(os.getpid(), 40)", "kill", "was killed (signal 40)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "kill", "was killed (SIGKILL), perhaps for want of memory"),
        ("from lormika.processes import leave_for_memory; leave_for_memory()", "memory", "ran out of memory"),
        ("os.close(1); time.sleep(600)", "pipes", "closed its pipes"),
    ],
)
def test_how_a_child_ended(start, program, kind, words):
    child = start(f"import os, signal, sys, time\n{program}")
    with pytest.raises(LostError) as lost:
        child.receive(LONG)
    assert (lost.value.kind, str(lost.value)) == (kind, f"its process {words}")


def test_what_a_child_said_before_its_end_counts(start):
    child = start(BEGINNING + "send({'last': 'words'})\nos.kill(os.getpid(), signal.SIGKILL)")
    assert await_end(child.pid)
    child.send({"too": "late"})
    assert child.receive(LONG)[0] == {"last": "words"}
    with pytest.raises(LostError, match=r"was killed \(SIGKILL\)"):
        child.receive(LONG)


def test_what_it_prints_as_errors_is_logged(start, tmp_path):
    child = start("import sys\nsys.exit('no such thing')", log=tmp_path / "log")
    with pytest.raises(LostError, match=r"ended itself with exit code 1: no such thing$"):
        child.receive(LONG)
    assert (tmp_path / "log").read_text() == "no such thing\n"


def test_an_interpreter_that_is_not_there():
    descriptors = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        Child(["/no/such/python"])
    assert len(os.listdir("/proc/self/fd")) == descriptors


# No orphans


def test_nothing_is_left_behind(start):
    gc.collect()
    descriptors = len(os.listdir("/proc/self/fd"))
    child = start(BEGINNING + "send({'pid': subprocess.Popen(['sleep', '600']).pid})\ntime.sleep(600)")
    other = child.receive(LONG)[0]["pid"]
    child.end()
    child.end()
    assert not Path(f"/proc/{child.pid}").exists()  # not even as a zombie
    assert await_end(other)
    child = Child([sys.executable, "-c", ECHO])
    pid = child.pid
    del child
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()
    assert len(os.listdir("/proc/self/fd")) == descriptors


STUBBORN = BEGINNING + (
    "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
    "send({'pids': [os.getpid(), subprocess.Popen(['sleep', '600']).pid]})\n"
    "while True: pass"
)
PARENT = f"""
import json, os, sys, time
from lormika.processes import Child
child = Child([sys.executable, "-c", {STUBBORN!r}])
pids = child.receive({LONG})[0]["pids"]
if sys.argv[1:] == ["fork"]:
    fork = os.fork()
    if not fork:
        time.sleep({LONG})
        os._exit(0)
    pids.append(fork)
print(json.dumps(pids), flush=True)
time.sleep({LONG})
"""


@pytest.mark.parametrize("more", [[], ["fork"]])
def test_a_child_never_outlives_its_parent(more):
    """Though it is busy and blocks all signals; and though a fork of the parent lives on."""
    with subprocess.Popen([sys.executable, "-c", PARENT, *more], stdout=subprocess.PIPE, text=True) as parent:
        try:
            pids = json.loads(parent.stdout.readline())
        finally:
            parent.kill()
    try:
        assert await_end(pids[0])
        assert await_end(pids[1])
        assert all(is_alive(fork) for fork in pids[2:])
    finally:
        for pid in filter(is_alive, pids):
            os.kill(pid, signal.SIGKILL)


FORKING = f"""
import os, sys
from lormika.processes import Child
child = Child([sys.executable, "-c", {ECHO!r}])
fork = os.fork()
if not fork:
    child.end()
    os._exit(0)
assert os.waitpid(fork, 0)[1] == 0
child.send({{"a": 1}})
assert child.receive({LONG})[0] == {{"a": 1}}
"""


def test_a_fork_leaves_the_child_alone():
    subprocess.run([sys.executable, "-c", FORKING], check=True)
