"""The part of JSON Schema that the payload's schema uses; errors name the place.

A validator for the whole standard would be a dependency for everyone who only wants explanations. In the tests,
`jsonschema` agrees with this one, except for two things: a number must be finite, and a whole number is written without
a point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lormika.types import JsonObject, JsonValue

_LONGEST = 60  # characters of a value in a message

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and where."""

    path: Path
    message: str
    wanted: tuple[str, ...] = ()  # the value is something else than these
    is_name: bool = False  # of a form that is not meant here, such as the type of a condition

    @classmethod
    def of_kind(cls, path: Path, wanted: Iterable[str], value: object, is_name: bool = False) -> Fault:
        """A value that is something else than it must be."""
        kinds = tuple(dict.fromkeys(wanted))
        return cls(path, f"must be {_either(kinds)}, not {brief(value)}", kinds, is_name)

    def __str__(self) -> str:
        return f"{write_path(self.path)}: {self.message}"


def write_path(path: Path) -> str:
    """A place in a payload.

    >>> write_path(("rules", 2, "counts", "rows")), write_path(("instance", "to water")), write_path(())
    ('rules[2].counts.rows', "instance['to water']", 'the payload')
    """
    text = ""
    for step in path:
        if isinstance(step, str) and step.isidentifier() and len(step) <= _LONGEST:
            text += f".{step}"
        else:
            text += f"[{brief(step)}]"
    return text.removeprefix(".") or "the payload"


def brief(value: object) -> str:
    """A value in a message, cut if it is long.

    >>> brief("a"), brief([0] * 9), brief("a" * 100)
    ("'a'", 'a list', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'")
    """
    if isinstance(value, str):
        return repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}"[:-1] + "…'"
    if isinstance(value, int) and value.bit_length() > 4 * _LONGEST:
        return "a very long number"
    if value is None or isinstance(value, int | float):
        return "null" if value is None else repr(value)
    return _KIND_WORDS.get(_kind(value), f"a {type(value).__name__}")


def find_fault(schema: JsonObject, value: object) -> Fault | None:
    """The first thing in a value that does not follow the schema."""
    return next(_Checker(schema).faults(schema, value, ()), None)


def same(first: object, second: object) -> bool:
    """Whether two values are equal in JSON, where true is not 1.

    >>> same(1, 1.0), same(1, True), same("a", "a")
    (True, False, True)
    """
    return isinstance(first, bool) == isinstance(second, bool) and first == second


_KIND_WORDS = {
    "null": "null", "boolean": "true or false", "integer": "a whole number", "number": "a finite number",
    "string": "a string", "array": "a list", "object": "an object",
}  # fmt: skip


def _kind(value: object) -> str:
    """The name of a value's type in JSON; nothing, if JSON has no such value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number" if math.isfinite(value) else ""
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object" if all(isinstance(key, str) for key in value) else ""
        case _:
            return ""


class _Checker:
    """Follows a schema and a value side by side; the schema's own nesting is the depth of the recursion."""

    def __init__(self, root: JsonObject) -> None:
        self.root = root
        self.keywords: dict[str, Callable[[JsonValue, JsonValue, Path, JsonObject], Iterator[Fault]]] = {
            "$ref": self._ref, "type": self._type, "const": self._const, "enum": self._enum, "oneOf": self._one_of,
            "minimum": self._minimum, "maximum": self._maximum, "minItems": self._min_items, "items": self._items,
            "properties": self._properties, "required": self._required, "additionalProperties": self._additional,
        }  # fmt: skip

    def faults(self, schema: JsonObject, value: object, path: Path) -> Iterator[Fault]:
        """Faults of a value; those of its kind come first, and then no others."""
        for keyword in sorted(schema, key=_order):
            if keyword in _WORDS:
                continue
            faults = list(self.keywords[keyword](schema[keyword], value, path, schema))
            yield from faults
            if faults and keyword == "type":
                return

    def _ref(self, target: str, value: object, path: Path, _: object) -> Iterator[Fault]:
        return self.faults(self.root["$defs"][target.removeprefix("#/$defs/")], value, path)

    def _type(self, wanted: str | list[str], value: object, path: Path, _: object) -> Iterator[Fault]:
        kinds = [wanted] if isinstance(wanted, str) else wanted
        kind = _kind(value)
        if kind not in kinds and not (kind == "integer" and "number" in kinds):
            yield Fault.of_kind(path, (_KIND_WORDS[k] for k in kinds), value)

    def _const(self, wanted: object, value: object, path: Path, _: object) -> Iterator[Fault]:
        if not same(value, wanted):
            yield Fault.of_kind(path, [brief(wanted)], value, is_name=True)

    def _enum(self, wanted: Sequence[object], value: object, path: Path, _: object) -> Iterator[Fault]:
        if not any(same(value, one) for one in wanted):
            yield Fault.of_kind(path, map(brief, wanted), value)

    def _minimum(self, least: float, value: JsonValue, path: Path, _: object) -> Iterator[Fault]:
        if _kind(value) in ("integer", "number") and value < least:
            yield Fault(path, f"must be at least {least}, not {brief(value)}")

    def _maximum(self, most: float, value: JsonValue, path: Path, _: object) -> Iterator[Fault]:
        if _kind(value) in ("integer", "number") and value > most:
            yield Fault(path, f"must be at most {most}, not {brief(value)}")

    def _min_items(self, least: int, value: object, path: Path, _: object) -> Iterator[Fault]:
        if isinstance(value, list) and len(value) < least:
            yield Fault(path, f"has {len(value)} entries, but needs at least {least}")

    def _items(self, schema: JsonObject, value: object, path: Path, _: object) -> Iterator[Fault]:
        for place, entry in enumerate(value if isinstance(value, list) else ()):
            yield from self.faults(schema, entry, (*path, place))

    def _properties(self, schemas: JsonObject, value: object, path: Path, _: object) -> Iterator[Fault]:
        if isinstance(value, dict):
            for name, schema in schemas.items():
                if name in value:
                    yield from self.faults(schema, value[name], (*path, name))

    def _required(self, names: Sequence[str], value: object, path: Path, _: object) -> Iterator[Fault]:
        for name in names:
            if isinstance(value, dict) and name not in value:
                yield Fault((*path, name), "is missing")

    def _additional(self, allowed: JsonValue, value: object, path: Path, schema: JsonObject) -> Iterator[Fault]:
        for name, inner in value.items() if isinstance(value, dict) else ():
            if name in schema.get("properties", ()):
                continue
            if allowed is False:
                yield Fault((*path, name), "is not known here")
            else:
                yield from self.faults(allowed, inner, (*path, name))

    def _one_of(self, schemas: Sequence[JsonObject], value: JsonValue, path: Path, _: object) -> Iterator[Fault]:
        """The fault of the form that the value seems to be meant as: not of another kind altogether."""
        first = [next(self.faults(schema, value, path), None) for schema in schemas]
        faults = [fault for fault in first if fault is not None]
        if len(first) - len(faults) == 1:
            return
        if len(faults) < len(first):
            yield Fault(path, "can be read in several ways")
            return
        meant = [fault for fault in faults if not fault.is_name and not (fault.wanted and fault.path == path)]
        if meant:
            yield meant[0]
            return
        deepest = max((fault.path for fault in faults), key=len)
        kinds = [kind for fault in faults if fault.path == deepest for kind in fault.wanted]
        yield Fault.of_kind(deepest, kinds, value if deepest == path else value[deepest[-1]])


_WORDS = frozenset({"$schema", "$defs", "title", "description"})
_FIRST = ("type", "const", "properties", "required")  # what tells the form of a value comes before what is too much


def _order(keyword: str) -> int:
    return _FIRST.index(keyword) if keyword in _FIRST else len(_FIRST)


def _either(words: Iterable[str]) -> str:
    """Alternatives, in words.

    >>> _either(["a", "b", "c"]), _either(["a"])
    ('a, b or c', 'a')
    """
    *others, last = dict.fromkeys(words)
    return f"{', '.join(others)} or {last}" if others else last
