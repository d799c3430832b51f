"""The process of a user's template: `python -m lormika.views.letter_child SECONDS MEMORY`; it fills one and ends."""

from __future__ import annotations

import sys

from lormika import system
from lormika.processes import Line, leave_for_memory
from lormika.types import JsonObject
from lormika.views.letter_templates import TemplateFaultError, environment, render


def main() -> None:
    """Serve one template."""
    line = Line()
    environment()  # what Jinja needs is there before memory is limited
    system.limit(int(sys.argv[2]), leave_for_memory, more=True, seconds=int(sys.argv[1]))
    message = line.receive()
    if message is not None:
        line.send(_answer(message[0]))


def _answer(order: JsonObject) -> JsonObject:
    try:
        return {"html": render(order["template"], order["context"])}
    except TemplateFaultError as fault:
        return {"fault": fault.words, "line": fault.line}


if __name__ == "__main__":
    main()
