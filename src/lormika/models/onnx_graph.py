"""What an ONNX file says about itself: classes, external data and operators; onnxruntime shows only inputs and outputs.

The file is parsed by the onnx package with Protocol Buffers, as onnxruntime does, so that both see the same. For a
malicious file, this takes less memory than onnxruntime needs afterwards; the parsed file is released before that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lormika.frames.values import Scalar
from lormika.models.extras import require

if TYPE_CHECKING:
    from onnx import AttributeProto, GraphProto, NodeProto, SparseTensorProto, TensorProto

_DEEPEST = 20  # graphs within graphs
_MOST_OUTPUTS, _MOST_CLASSES = 100, 100_000  # more are not looked for
_PASSING = ("Identity", "Cast", "Reshape", "Squeeze", "Flatten")  # operators that leave the classes as they are
_INTEGERS: dict[int, np.dtype] = {6: np.dtype("<i4"), 7: np.dtype("<i8")}


class BrokenFileError(ValueError):
    """The bytes are not an ONNX model."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The parts of a model that matter here."""

    classes: dict[str, tuple[Scalar, ...]]  # of each output for which they are known
    domains: set[str] = field(default_factory=set)
    external: set[str] = field(default_factory=set)  # tensors whose values lie in other files


def read_graph(data: bytes, source: object) -> Graph:
    """Read a model; raises `BrokenFileError`."""
    onnx = require("onnx", source)
    message = require("google.protobuf.message", source)
    try:
        model = onnx.ModelProto.FromString(data)
        if not model.graph.node:
            raise BrokenFileError("it holds no graph")
        graph = Graph(_classes(model.graph))
        _search_graph(model.graph, graph, 0)
        for function in model.functions:
            _search_nodes(function.node, graph, 1)
    except (message.DecodeError, UnicodeDecodeError) as error:
        raise BrokenFileError(str(error)) from None
    return graph


# External data and operators


def _search_graph(graph: GraphProto, facts: Graph, depth: int) -> None:
    if depth > _DEEPEST:
        raise BrokenFileError("its graphs are nested too deeply")
    _search_tensors(graph.initializer, facts)
    _search_sparse(graph.sparse_initializer, facts)
    _search_nodes(graph.node, facts, depth)


def _search_nodes(nodes: Iterable[NodeProto], facts: Graph, depth: int) -> None:
    for node in nodes:
        facts.domains.add(node.domain)
        for attribute in node.attribute:
            for part, value in attribute.ListFields():  # those that are set; to ask for each takes six times as long
                values = [value] if part.name in ("t", "sparse_tensor", "g") else value
                if part.name in ("t", "tensors"):
                    _search_tensors(values, facts)
                elif part.name in ("sparse_tensor", "sparse_tensors"):
                    _search_sparse(values, facts)
                elif part.name in ("g", "graphs"):
                    for inner in values:
                        _search_graph(inner, facts, depth + 1)


def _search_sparse(tensors: Iterable[SparseTensorProto], facts: Graph) -> None:
    _search_tensors((part for tensor in tensors for part in (tensor.values, tensor.indices)), facts)


def _search_tensors(tensors: Iterable[TensorProto], facts: Graph) -> None:
    facts.external.update(tensor.name for tensor in tensors if tensor.external_data or tensor.data_location)


# Classes


def _classes(graph: GraphProto) -> dict[str, tuple[Scalar, ...]]:
    """Classes of the operators that make the outputs, by output."""
    makers = {name: node for node in graph.node for name in node.output}
    constants = {tensor.name: tensor for tensor in graph.initializer}
    names = [output.name for output in graph.output[:_MOST_OUTPUTS]]
    classes = {name: _classes_of(name, makers, constants) for name in names}
    return {name: labels for name, labels in classes.items() if labels}


def _classes_of(output: str, makers: dict[str, NodeProto], constants: dict[str, TensorProto]) -> tuple[Scalar, ...]:
    for _ in makers:  # no longer a way than there are nodes
        if output in constants:
            return _values(constants[output])
        if output not in makers:
            return ()
        node = makers[output]
        lists = {attribute.name: attribute for attribute in node.attribute}
        for name, attribute in lists.items():
            if name.startswith("classlabels_") and (labels := _listed(attribute)):
                return labels
        if node.op_type == "LabelEncoder":  # from the number of a class to its name
            keys = _listed(lists.get("keys_int64s"))
            labels = _listed(lists.get("values_strings")) or _listed(lists.get("values_int64s"))
            return labels if keys == tuple(range(len(labels))) else ()
        if node.op_type not in (*_PASSING, "ArrayFeatureExtractor") or not node.input:
            return ()
        output = node.input[0]
    return ()


def _listed(attribute: AttributeProto | None) -> tuple[Scalar, ...]:
    return () if attribute is None else _scalars(attribute.ints or attribute.strings)


def _values(tensor: TensorProto) -> tuple[Scalar, ...]:
    """Values of a tensor of integers or texts."""
    kind = _INTEGERS.get(tensor.data_type)
    if kind is not None and tensor.raw_data and len(tensor.raw_data) % kind.itemsize == 0:
        return _scalars(np.frombuffer(tensor.raw_data, kind))
    return _scalars(tensor.int64_data or tensor.int32_data or tensor.string_data)


def _scalars(values: Sequence[int | bytes] | np.ndarray) -> tuple[Scalar, ...]:
    if len(values) > _MOST_CLASSES:
        return ()
    return tuple(str(value, "utf-8", "replace") if isinstance(value, bytes) else int(value) for value in values)
