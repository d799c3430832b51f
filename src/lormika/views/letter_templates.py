"""Templates of letters: the built-in ones, and files of users.

All are rendered by Jinja's sandbox, with everything from data escaped. A file may come from anybody: it gets plain data
only, and is rendered in a process of its own, whose time and memory are limited.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.errors import InputError, describe, quote
from lormika.views.letter_guard import seal

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from lormika.types import JsonObject

BUILT_IN = ("adverse-action", "explanation")
MOST_CHARACTERS = 1_000_000  # of a letter
MEMORY = 512 << 20  # bytes that the process of a user's template may use beyond those it starts with
SECONDS = 10  # of its processor
_PATIENCE = 300.0  # seconds: however busy the machine is
_FOLDER = "templates/letters"
_UNSAFE_FILTERS = ("safe", "random")  # escape nothing; give another letter each time


class TemplateFaultError(Exception):
    """What is wrong with a template, and in which line, if that is known."""

    def __init__(self, words: str, line: int | None) -> None:
        super().__init__(words)
        self.words, self.line = words, line


@dataclass(frozen=True, slots=True)
class Template:
    """The text of a template."""

    name: str  # of a built-in one, or of a file
    text: str
    sha256: str  # of its bytes
    is_own: bool  # of the user

    @classmethod
    def of(cls, name: str | Path) -> Template:
        """A built-in template by its name, or a file."""
        is_own = not (isinstance(name, str) and name in BUILT_IN)
        if not isinstance(name, str | Path):
            raise InputError(f"template={quote(name)}: choose {' or '.join(BUILT_IN)}, or give a file")
        content = _read(Path(name)) if is_own else _built_in(str(name))
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"template {name}: it is not UTF-8: {error}") from None
        return cls(str(name), text, hashlib.sha256(content).hexdigest(), is_own)

    def render(self, context: JsonObject) -> str:
        """The letter."""
        try:
            html = _render_apart(self.text, context) if self.is_own else render(self.text, context)
        except TemplateFaultError as fault:
            line = "" if fault.line is None else f", line {fault.line}"
            raise InputError(f"template {self.name}{line}: {fault.words}") from None
        return seal(html, self.name)


def render(text: str, context: JsonObject) -> str:
    """Fill a template, in this process."""
    from jinja2 import TemplateError, TemplateSyntaxError, nodes

    try:
        for node in environment().parse(text).find_all(nodes.EvalContextModifier):
            raise TemplateFaultError("escaping cannot be switched off", node.lineno)
        return "".join(_pieces(environment().from_string(text).generate(context)))
    except TemplateSyntaxError as error:
        is_here = error.name is None
        raise TemplateFaultError(f"{error.message}{'' if is_here else f' ({error.name})'}", error.lineno) from None
    except TemplateFaultError:
        raise
    except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise TemplateFaultError(str(error) or type(error).__name__, _line(error)) from None
    except RecursionError as error:
        raise TemplateFaultError("it calls itself without end", _line(error)) from None
    except MemoryError:
        raise TemplateFaultError("it needs too much memory", None) from None


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Where templates are rendered; they may build on the built-in ones, and on nothing else."""
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    sandbox = ImmutableSandboxedEnvironment(
        loader=PackageLoader("lormika.views", _FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    del sandbox.globals["lipsum"]  # random words
    for name in _UNSAFE_FILTERS:
        del sandbox.filters[name]
    return sandbox


def _pieces(pieces: Iterator[str]) -> Iterator[str]:
    """Pieces of a letter, until it is too long."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MOST_CHARACTERS:
            raise TemplateFaultError(f"it makes more than {MOST_CHARACTERS:,} characters", None)
        yield piece


def _line(error: BaseException) -> int | None:
    """The last line of the template that an error came through."""
    place, line = error.__traceback__, None
    while place is not None:
        if place.tb_frame.f_code.co_filename == "<template>":
            line = place.tb_lineno
        place = place.tb_next
    return line


def _render_apart(text: str, context: JsonObject) -> str:
    """Fill a template in a process of its own: whatever it does, that ends."""
    from lormika.processes import Child, LostError

    child = Child.of_module("lormika.views.letter_child", str(SECONDS), str(MEMORY))
    try:
        child.send({"template": text, "context": context})
        answer, _ = child.receive(_PATIENCE)
    except LostError:
        limits = f"{SECONDS} seconds or {MEMORY >> 20} megabytes"
        raise TemplateFaultError(f"it takes more than {limits}: a letter takes next to nothing", None) from None
    finally:
        child.end()
    if "fault" in answer:
        raise TemplateFaultError(str(answer["fault"]), answer.get("line"))
    return str(answer["html"])


def _built_in(name: str) -> bytes:
    return resources.files("lormika.views").joinpath(f"{_FOLDER}/{name}.html.j2").read_bytes()


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_CHARACTERS + 1)
    except OSError as error:
        what = f"there is no template {path}; the built-in ones are {' and '.join(BUILT_IN)}"
        raise InputError(what if isinstance(error, FileNotFoundError) else describe(error)) from None
    if len(content) > MOST_CHARACTERS:
        raise InputError(f"template {path}: it has more than {MOST_CHARACTERS:,} bytes, which no letter has")
    return content
