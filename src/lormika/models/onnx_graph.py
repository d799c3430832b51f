"""What an ONNX file says of itself: classes, external data and operators.

onnxruntime shows inputs and outputs only, and the onnx package is large. Of the file, a Protocol Buffers message, only
the few fields that are needed are read; their numbers are those of the ONNX specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lormika.frames.values import Scalar

_DEEPEST = 20  # graphs within graphs
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_PASSING = ("Identity", "Cast", "Reshape", "Squeeze", "Flatten")  # operators that leave the classes as they are
_INTEGERS: dict[int, np.dtype[Any]] = {6: np.dtype("<i4"), 7: np.dtype("<i8")}


class BrokenFileError(ValueError):
    """The bytes are not an ONNX model."""


@dataclass(frozen=True, slots=True)
class Node:
    """An operator of the graph."""

    operator: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, tuple[Scalar, ...]]  # lists of integers and texts


@dataclass(frozen=True)
class Graph:
    """The parts of a model that matter here."""

    nodes: list[Node] = field(default_factory=list)  # of the outermost graph
    constants: dict[str, tuple[Scalar, ...]] = field(default_factory=dict)
    domains: set[str] = field(default_factory=set)
    external: set[str] = field(default_factory=set)  # tensors whose values lie in other files

    @cached_property
    def _makers(self) -> dict[str, Node]:
        return {name: node for node in self.nodes for name in node.outputs}

    def classes(self, *outputs: str) -> tuple[Scalar, ...] | None:
        """Classes of the operator that makes the first of these outputs for which they are known."""
        return next((found for found in map(self._classes, outputs) if found), None)

    def _classes(self, output: str) -> tuple[Scalar, ...] | None:
        for _ in self.nodes:  # no longer a way than there are nodes
            if output in self.constants:
                return self.constants[output]
            if output not in self._makers:
                return None
            node = self._makers[output]
            for name, values in node.attributes.items():
                if values and name.startswith("classlabels_"):
                    return values
            if node.operator == "LabelEncoder":  # from the number of a class to its name
                return _in_order(node)
            if node.operator not in (*_PASSING, "ArrayFeatureExtractor") or not node.inputs:
                return None
            output = node.inputs[0]
        return None


def _in_order(node: Node) -> tuple[Scalar, ...] | None:
    keys = node.attributes.get("keys_int64s", ())
    values = node.attributes.get("values_strings") or node.attributes.get("values_int64s") or ()
    return values if keys == tuple(range(len(values))) else None


def read_graph(data: bytes) -> Graph:
    """Read a model; raises `BrokenFileError`."""
    found = Graph()
    try:
        for number, value in _fields(memoryview(data)):
            if number == 7:  # graph
                _read_graph(_message(value), found, 0)
            elif number == 25:  # functions
                for node in _messages(value, 7):
                    _read_node(node, found, 1)
    except UnicodeDecodeError as error:
        raise BrokenFileError(str(error)) from None
    if not found.nodes:
        raise BrokenFileError("it holds no graph")
    return found


def _read_graph(graph: memoryview, found: Graph, depth: int) -> None:
    if depth > _DEEPEST:
        raise BrokenFileError("its graphs are nested too deeply")
    for number, value in _fields(graph):
        if number == 1:
            node = _read_node(_message(value), found, depth)
            if depth == 0:
                found.nodes.append(node)
        elif number == 5:  # initialiser
            name, values = _read_tensor(_message(value), found)
            if depth == 0 and values:
                found.constants[name] = values
        elif number == 15:  # sparse initialiser
            _read_sparse(_message(value), found)


def _read_node(node: memoryview, found: Graph, depth: int) -> Node:
    texts: dict[int, list[str]] = {1: [], 2: [], 4: [], 7: []}  # inputs, outputs, operator, domain
    attributes = {}
    for number, value in _fields(node):
        if number in texts:
            texts[number].append(_text(value))
        elif number == 5:
            name, values = _read_attribute(_message(value), found, depth)
            attributes[name] = values
    domain = "".join(texts[7])
    found.domains.add(domain)
    return Node("".join(texts[4]), domain, tuple(texts[1]), tuple(texts[2]), attributes)


def _read_attribute(attribute: memoryview, found: Graph, depth: int) -> tuple[str, tuple[Scalar, ...]]:
    name, values = "", list[Scalar]()
    for number, value in _fields(attribute):
        match number:
            case 1:
                name = _text(value)
            case 5 | 10:  # tensors
                _read_tensor(_message(value), found)
            case 6 | 11:  # graphs
                _read_graph(_message(value), found, depth + 1)
            case 8:
                values.extend(_integers(value))
            case 9 if name != "":
                values.append(_text(value, strict=False))
            case 22 | 23:
                _read_sparse(_message(value), found)
    return name, tuple(values)


def _read_sparse(tensor: memoryview, found: Graph) -> None:
    for number, value in _fields(tensor):
        if number in (1, 2):  # values, indices
            _read_tensor(_message(value), found)


def _read_tensor(tensor: memoryview, found: Graph) -> tuple[str, tuple[Scalar, ...]]:
    """Name and, of integers and texts, the values."""
    name, kind, raw, external = "", 0, b"", False
    values: list[Scalar] = []
    for number, value in _fields(tensor):
        match number:
            case 2 if isinstance(value, int):
                kind = value
            case 5 | 7:
                values.extend(_integers(value))
            case 6:
                values.append(_text(value, strict=False))
            case 8:
                name = _text(value)
            case 9:
                raw = bytes(_message(value))
            case 13:
                external = True
            case 14:
                external = external or value != 0
    if external:
        found.external.add(name)
    if kind in _INTEGERS and raw and len(raw) % _INTEGERS[kind].itemsize == 0:
        values.extend(np.frombuffer(raw, _INTEGERS[kind]).tolist())
    return name, tuple(values)


# Protocol Buffers


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and value of each field."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        wire = key & 7
        if wire == _VARINT:
            value, place = _varint(message, place)
            yield key >> 3, value
            continue
        if wire == _BYTES:
            size, place = _varint(message, place)
        elif wire in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if wire == _EIGHT_BYTES else 4
        else:
            raise BrokenFileError(f"unknown kind of field at byte {place}")
        if size > len(message) - place:
            raise BrokenFileError("it ends too early")
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    result = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            raise BrokenFileError("it ends too early")
        byte = message[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, place
    raise BrokenFileError("a number has no end")


def _messages(message: int | memoryview, wanted: int) -> Iterator[memoryview]:
    return (_message(value) for number, value in _fields(_message(message)) if number == wanted)


def _message(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise BrokenFileError("a number stands where a message should")
    return value


def _integers(value: int | memoryview) -> list[Scalar]:
    """One integer, or several packed together."""
    if isinstance(value, int):
        return [_signed(value)]
    found, place = list[Scalar](), 0
    while place < len(value):
        number, place = _varint(value, place)
        found.append(_signed(number))
    return found


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _text(value: int | memoryview, *, strict: bool = True) -> str:
    return str(_message(value), "utf-8", "strict" if strict else "replace")
