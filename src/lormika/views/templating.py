"""Templates of pages: everything that is put into them is escaped, and shortened if it is endless.

A page has thousands of values, so what Jinja does for each of them decides how long it takes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

MOST_CHARACTERS = 300
"""Of any one text."""

_METHODS = frozenset(dir(dict))
_BRIEF = 60  # characters in a narrow place
_BREAK = re.compile(r"(?<=[_.\-/])(?=[^\W\d])")
_SPECIAL = re.compile("[&<>\"']")


def shorten(value: object, most: int = MOST_CHARACTERS) -> object:
    """Shorten texts from data, which may be endless; the JSON has them in full."""
    if isinstance(value, str) and len(value) > most and not hasattr(value, "__html__"):
        return f"{value[:most]}…"
    return value


def put(value: object) -> str:
    """What stands in a page for a value.

    >>> put("a < b"), str(put(escape("a < b"))), put(0.5)
    ('a &lt; b', 'a &lt; b', '0.5')
    """
    if type(value) is str:
        is_plain = len(value) <= MOST_CHARACTERS and _SPECIAL.search(value) is None
        return value if is_plain else str(escape(shorten(value)))
    if type(value) is Markup:
        return value
    return str(value) if type(value) is float or type(value) is int else str(escape(shorten(value)))


@lru_cache(maxsize=1024)  # a page has the same few names again and again
def breakable(name: str) -> Markup:
    """A text in a narrow place: brief, and a name may be broken after each underscore, dot or hyphen."""
    return Markup(_BREAK.sub("<wbr>", put(shorten(name, _BRIEF))))


class _Writer(CodeGenerator):
    """Writes one call for each value, where Jinja writes two and makes a marked text of it.

    Should another version of Jinja not ask for these, the result is the same, only later.
    """

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if _is_escaped(frame):
            self.write("environment.put(")
        else:
            super()._output_child_pre(node, frame, finalize)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if _is_escaped(frame):
            self.write(")")
        else:
            super()._output_child_post(node, frame, finalize)


def _is_escaped(frame: Frame) -> bool:
    return bool(frame.eval_ctx.autoescape) and not frame.eval_ctx.volatile


class Templates(Environment):
    """The templates of this folder."""

    code_generator_class = _Writer
    put = staticmethod(put)

    def __init__(self) -> None:
        super().__init__(
            loader=PackageLoader("lormika.views"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=shorten,
            auto_reload=False,  # they are part of the package
        )

    def getattr(self, obj: object, attribute: str) -> object:
        """An attribute of an object, or else an item of it.

        A dictionary has no attribute such as `label`: to try that first, as Jinja does, is what takes longest.
        """
        if type(obj) is dict and attribute not in _METHODS:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)
