"""The blocks of code on the pages of docs/, and how they are run: each page in its order, with what a reader has.

A comment before a block says more about it: `<!-- file: limits.toml -->`, the file whose content it is, there from
the start; `<!-- part of: lormika demo -->`, the command whose output it is a part of.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples import TOUR, shows
from special import PAGES, PageSpecial

DOCS = Path(__file__).parents[2] / "docs"
GENERATED = ("api", "gallery")

_BLOCK = re.compile(r"(?:^<!-- (file|part of): (.+?) -->\n+)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_COMMENT = re.compile(r"\s+# .*")
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code on a page."""

    line: int
    language: str
    code: str
    mark: str | None  # "file" or "part of"
    named: str | None  # by its mark


def list_pages() -> list[Path]:
    """All pages that people write, but the tour: `walk.py` goes through it."""
    pages = [path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).parts[0] not in GENERATED]
    return [page for page in pages if page != TOUR]


def read_blocks(text: str) -> list[Block]:
    """Blocks with a language; what has none is a drawing."""
    return [
        Block(text.count("\n", 0, match.start(3)) + 1, match[3], match[4], match[1], match[2])
        for match in _BLOCK.finditer(text) if match[3]
    ]  # fmt: skip


class Reader:
    """Somebody who reads a page and does what it says, in a folder."""

    def __init__(
        self, folder: Path, names: dict[str, Any], lormika: Callable[[list[str], Path], str], demo: str
    ) -> None:
        self.folder, self.names, self.lormika, self.demo = folder, names, lormika, demo
        self.printed = ""
        self.ran = 0

    def read(self, page: Path) -> None:
        """Run a page, whose files are there from the start."""
        blocks = read_blocks(page.read_text(encoding="utf-8"))
        for block in blocks:
            if block.mark == "file":
                (self.folder / str(block.named)).write_text(block.code, encoding="utf-8")
        for block in blocks:
            try:
                self._take(block)
            except Exception as error:
                raise AssertionError(
                    f"{page.relative_to(DOCS.parent)}:{block.line}: {type(error).__name__}: {error}"
                ) from error

    def _take(self, block: Block) -> None:
        special = find_special(block.code)
        if special is not None and special.left_out:
            return
        match block.language:
            case "python":
                self._run_python(block, special)
            case "bash" | "console":
                for command, shown in split_commands(block):
                    self._run_command(command, shown)
            case "text" if block.mark == "part of":
                assert block.named == "lormika demo", f"nobody knows what {block.named} prints"
                assert _same(block.code) in _same(self.demo), f"lormika demo does not print this:\n{self.demo}"
            case "text":
                assert _reads(block.code, self.printed) or shows(block.code, self.printed), (
                    f"this was printed:\n{self.printed}"
                )
            case "toml":
                tomllib.loads(block.code)
            case "json":
                read_json(block.code)
            case "csv" | "html":
                assert block.mark == "file", "say which file it is: <!-- file: … -->"
            case _:
                raise ValueError(f"nobody knows how to run a block of {block.language}")
        self.ran += 1

    def _run_python(self, block: Block, special: PageSpecial | None) -> None:
        code = block.code if special is None else block.code.replace(*special.smaller)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * block.line + code, "the page", "exec"), self.names)
        self.printed = out.getvalue()

    def _run_command(self, command: str, shown: str) -> None:
        words = shlex.split(command)
        if words[0] == "lormika" and not {"|", "&&", ">", "<"}.intersection(words):
            self.printed = self.lormika(words[1:], self.folder)
        else:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            self.printed = done.stdout
        if shown.strip():
            assert shows(shown, self.printed), f"this was printed:\n{self.printed}"


def find_special(code: str) -> PageSpecial | None:
    """What is special about a block, if anything is."""
    return next((one for one in PAGES if one.part in code), None)


def split_commands(block: Block) -> Iterator[tuple[str, str]]:
    """Commands, and what each prints according to the page."""
    if block.language == "console":
        prompts = list(_PROMPT.finditer(block.code))
        assert prompts, "a block of console shows commands after $, and what they print"
        for prompt in prompts:
            yield _COMMENT.sub("", prompt[1]), prompt[2]
    else:
        for command in re.sub(r"\\\n\s*", "", block.code).splitlines():
            if _COMMENT.sub("", command).strip():
                yield _COMMENT.sub("", command), ""


def read_json(text: str) -> None:
    """Objects one after the other; … stands for more of the same."""
    decoder, rest = json.JSONDecoder(), text.replace(f", {_ELLIPSIS}", "").strip()
    while rest:
        _, end = decoder.raw_decode(rest)
        rest = rest[end:].strip()


def _reads(shown: str, printed: str) -> bool:
    """Whether these are the words that were printed, however lines are broken; … at the end stands for more."""
    words, all_words = shown.split(), printed.split()
    return words[:-1] == all_words[: len(words) - 1] if words[-1] == _ELLIPSIS else words == all_words


def _same(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
