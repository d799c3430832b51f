"""The process of a user's template: `python -m lormika.views.letter_child SECONDS MEMORY`; it fills one and ends."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from lormika.processes import Line
from lormika.types import JsonObject
from lormika.views.letter_templates import TemplateFaultError, environment, render


def main() -> None:
    """Serve one template."""
    line = Line()
    environment()  # what Jinja needs is there before memory is limited
    _limit(int(sys.argv[1]), int(sys.argv[2]))
    message = line.receive()
    if message is not None:
        line.send(_answer(message[0]))


def _limit(seconds: int, memory: int) -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no file of the user's data


def _answer(order: JsonObject) -> JsonObject:
    try:
        return {"html": render(order["template"], order["context"])}
    except TemplateFaultError as fault:
        return {"fault": fault.words, "line": fault.line}


if __name__ == "__main__":
    main()
