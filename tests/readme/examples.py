"""The examples of the README and the tour, in their order, and whether a command printed what is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
TOUR = README.parent / "docs" / "tour.md"  # goes on where the README ends

# A block of code, or a whole command in a sentence; one with … is no example, but the form of one.
_EXAMPLE = re.compile(r"^```(\w*)\n(.*?)^```$|`((?:pip install|lormika) [^`…]+)`", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+# .*")


@dataclass(frozen=True, slots=True)
class Example:
    """A shell command or a block of Python; `shown` is what it prints according to the page."""

    line: int
    language: str  # "shell" or "python"
    code: str
    shown: str | None = None


def read_examples(markdown: str) -> list[Example]:
    """Read all examples; a block of text shows what the command before it prints."""
    found: list[Example] = []
    for match in _EXAMPLE.finditer(markdown):
        line = markdown.count("\n", 0, match.start()) + 1
        kind, block, command = match.groups()
        if kind == "text":
            found[-1] = replace(found[-1], shown=f"…\n{block}")  # what is printed before it need not be shown
        else:
            found += _in_block(kind, line, block) if command is None else [Example(line, "shell", command)]
    return found


def _in_block(kind: str, line: int, block: str) -> Iterator[Example]:
    match kind:
        case "python":
            yield Example(line, "python", block)
        case "bash":
            for number, command in enumerate(block.splitlines(), line + 1):
                yield Example(number, "shell", _COMMENT.sub("", command))
        case "console":
            for prompt in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                number = line + 1 + block.count("\n", 0, prompt.start())
                yield Example(number, "shell", _COMMENT.sub("", prompt[1]), prompt[2])
        case _:
            raise ValueError(f"line {line}: nobody knows how to run a block of {kind or 'no language'}")


def shows(shown: str, printed: str) -> bool:
    """Whether all of what was printed is shown; a line of … stands for any lines.

    >>> shows("a\\n…\\nd", "a\\nb\\nc\\nd"), shows("a\\nd", "a\\nb\\nc\\nd")
    (True, False)
    """
    lines = [r"(?:.*\n)*?" if line == "…" else re.escape(line.rstrip()) + r"\n" for line in shown.strip().splitlines()]
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines())
    return re.fullmatch("".join(lines), text) is not None
