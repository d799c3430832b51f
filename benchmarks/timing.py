"""Clocks and children. CPU time, because on a shared machine it depends far less on what else runs."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from typing import Any


def cpu(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call, and what it returned."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def best(function: Callable[[], Any], repeat: int, enough: float = 1.0) -> tuple[float, Any]:
    """Least CPU seconds of some calls, and the last result; slow functions are called fewer times."""
    least, spent = float("inf"), 0.0
    for _ in range(repeat):
        seconds, result = cpu(function)
        least, spent = min(least, seconds), spent + seconds
        if spent > enough:
            break
    return least, result


def within(limit: float, function: Callable[..., Any], *arguments: Any) -> Any | None:
    """What a function returns in a forked child; None if it takes longer than the limit in seconds."""
    context = multiprocessing.get_context("fork")  # large tables are shared, not sent
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(sender, function, arguments))
    child.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(limit) else None
    except EOFError:
        raise RuntimeError(f"{function.__name__}{arguments[1:]} failed; its error is above") from None
    finally:
        child.terminate()
        child.join()


def _send(sender: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    sender.send(function(*arguments))


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds, to three digits.

    >>> milliseconds(0.000234), milliseconds(1.2345)
    ('0.234', '1234')
    """
    number = seconds * 1000
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"
