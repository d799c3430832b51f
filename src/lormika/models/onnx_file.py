"""ONNX files, run by onnxruntime: graphs of known operators on tensors, without code of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika.errors import InputError, ModelError
from lormika.frames.values import Scalar
from lormika.models import model_files
from lormika.models.calls import Predict
from lormika.models.extras import require
from lormika.models.onnx_graph import BrokenFileError, Graph, read_graph
from lormika.models.tensors import Input, check_inputs, feature_names, tensors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, NodeArg

    from lormika.types import UserTable

_TYPES: dict[str, np.dtype] = {
    "float16": np.dtype(np.float16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "int8": np.dtype(np.int8),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint8": np.dtype(np.uint8),
    "bool": np.dtype(np.bool_),
    "string": np.dtype(object),
}
_NUMBERS = ("tensor(float)", "tensor(double)", "tensor(float16)")
_STANDARD = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft")
_MISSING_TEXT = ""  # ONNX has no missing text; a missing number is NaN


class OnnxModel:
    """A classifier as an ONNX graph.

    A missing number is passed as NaN, a missing category as an empty text; a missing value in a column of whole numbers
    or booleans is refused, because these types have none.
    """

    def __init__(self, session: InferenceSession, graph: Graph, source: str) -> None:
        self._session, self._source = session, source
        self._inputs = [_input(one, source) for one in session.get_inputs()]
        check_inputs(self._inputs, source)
        label, probability = _outputs(session.get_outputs(), source)
        self._label, self._probability = label, probability
        names = [one.name for one in (probability, label) if one is not None]
        self.classes_ = next((graph.classes[name] for name in names if name in graph.classes), None)
        self.feature_names_in_ = feature_names(self._inputs)
        self.predict: Predict | None = None if label is None else self._predict
        self.predict_proba: Predict | None = None if probability is None else self._predict_proba

    def _predict(self, table: UserTable) -> np.ndarray:
        """Label of each row."""
        labels = np.asarray(self._run(self._label, table))
        return labels.reshape(len(labels)) if labels.ndim == 2 and labels.shape[1] == 1 else labels

    def _predict_proba(self, table: UserTable) -> np.ndarray:
        """Probability of each class, for each row."""
        answer = self._run(self._probability, table)
        if isinstance(answer, list):  # of a dictionary per row
            order: list[Scalar] = list(self.classes_ or (answer[0] if answer else ()))
            try:
                return np.array([[row[label] for label in order] for row in answer], dtype=np.float64)
            except KeyError as error:
                raise ModelError(f"{self._source}: the model gave a row without a probability of {error}") from None
        return np.asarray(answer)

    def _run(self, output: NodeArg, table: UserTable) -> object:
        feed = tensors(self._inputs, table)
        try:
            return self._session.run([output.name], feed)[0]
        except Exception as error:  # onnxruntime has errors of its own
            raise ModelError(f"{self._source}: onnxruntime failed: {_first_line(error)}") from error


def load_onnx(path: Path, *, max_size: int) -> OnnxModel:
    """Load a self-contained ONNX file."""
    data = model_files.read(path, max_size)
    if model_files.looks_like_pickle(data):
        raise InputError(f"{path} is a pickle, not an ONNX file: loading it would run any code that it holds")
    try:
        graph = read_graph(data, path)
    except BrokenFileError as error:
        raise InputError(f"{path} is not an ONNX model: {error}") from None
    if graph.external:  # a name in the file would choose which file of this machine is read
        raise InputError(
            f"{path} keeps values in other files ({min(graph.external)!r}): save it with all data inside, such as by "
            "onnx.save(model, path, save_as_external_data=False)"
        )
    runtime = require("onnxruntime", path)
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # what goes wrong is said once, here
    try:
        session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has errors of its own
        foreign = sorted(graph.domains - set(_STANDARD))
        hint = f"; it needs operators that are not part of ONNX, of {', '.join(foreign)}" if foreign else ""
        raise InputError(f"{path}: onnxruntime cannot run it: {_first_line(error)}{hint}") from None
    return OnnxModel(session, graph, str(path))


def _input(one: NodeArg, source: str) -> Input:
    kind = one.type.removeprefix("tensor(").removesuffix(")")
    if kind not in _TYPES or len(one.shape) not in (1, 2):
        raise InputError(
            f"{source}: the model's input {one.name!r} is {one.type} with {len(one.shape)} dimension(s); a table or a "
            "column of numbers, booleans or text can be explained"
        )
    width = one.shape[1] if len(one.shape) == 2 else 1
    return Input(one.name, _TYPES[kind], width if isinstance(width, int) else None, len(one.shape), _MISSING_TEXT)


def _outputs(outputs: list[NodeArg], source: str) -> tuple[NodeArg | None, NodeArg | None]:
    """The output of labels and the one of probabilities."""
    label = next((one for one in outputs if _is_tensor(one) and one.type not in _NUMBERS), None)
    chances = [one for one in outputs if one.type.startswith("seq(map(")]
    chances += [one for one in outputs if one.type in _NUMBERS and len(one.shape) == 2 and one.shape[1] != 1]
    if label is None and not chances:
        kinds = ", ".join(f"{one.name} {one.type} {one.shape}" for one in outputs)
        raise InputError(
            f"{source} is no classifier: it gives {kinds}; a label per row, or a probability of each class, is needed"
        )
    likely = [one for one in chances if "prob" in one.name.lower()]
    return label, next(iter(likely or chances), None)


def _is_tensor(one: NodeArg) -> bool:
    return str(one.type).startswith("tensor(")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
