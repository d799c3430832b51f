"""A model behind the Open Inference Protocol (v2), for example on MLServer, KServe or Triton."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import SplitResult, urlsplit

import numpy as np

from lormika.checks import check_integer, check_number
from lormika.errors import InputError, ModelError
from lormika.frames.values import Scalar
from lormika.models import json_text
from lormika.models.calls import Predict
from lormika.models.connection import Server
from lormika.models.tensors import Input, check_inputs, feature_names, tensors
from lormika.types import JsonObject, JsonValue, UserTable

_TYPES: dict[str, np.dtype] = {
    "BOOL": np.dtype(np.bool_),
    **{f"{sign}INT{bits}": np.dtype(f"{sign}int{bits}".lower()) for sign in ("", "U") for bits in (8, 16, 32, 64)},
    **{f"FP{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    "BYTES": np.dtype(object),
}
_PATH = re.compile(r"(/[!-.0-~]*)*/v2/models/[!-.0-~]+(/versions/[!-.0-~]+)?")  # signs that can be sent as they are
_HOST = re.compile(rb"[!-~]+")
_LONGEST_MESSAGE = 2000
_LARGEST_LIST = 10_000_000  # bytes of class names
_CLASS_KEYS = ("classes", "class_names", "labels")


class RemoteModel:
    """A classifier on a server.

    JSON has no NaN: a missing value, a number or a text, is sent as null. Rows are sent in batches.
    """

    def __init__(self, server: Server, path: str, url: str, batch_rows: int) -> None:
        self._server, self._path, self._url, self._batch_rows = server, path, url, batch_rows
        description = server.ask("GET", path)
        if not isinstance(description, dict):
            raise ModelError(f"{url} does not describe a model: expected a JSON object")
        inputs = _listed(description, "inputs", url)
        self._datatypes = {one["name"]: one["datatype"] for one in inputs}
        self._inputs = [_input(one, url) for one in inputs]
        check_inputs(self._inputs, url)
        label, probability = _outputs(_listed(description, "outputs", url), url)
        self._label, self._probability = label, probability
        self.classes_ = _classes([description, *(one for one in (probability, label) if one)])
        self.feature_names_in_ = feature_names(self._inputs)
        self.predict: Predict | None = None if label is None else self._predict
        self.predict_proba: Predict | None = None if probability is None else self._predict_proba

    def __enter__(self) -> RemoteModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _predict(self, table: UserTable) -> np.ndarray:
        """Label of each row."""
        labels = self._infer(self._label, table)
        return labels.reshape(len(labels)) if labels.ndim == 2 and labels.shape[1] == 1 else labels

    def _predict_proba(self, table: UserTable) -> np.ndarray:
        """Probability of each class, for each row."""
        return self._infer(self._probability, table)

    def _infer(self, output: JsonObject | None, table: UserTable) -> np.ndarray:
        assert output is not None
        name = output["name"]
        n_rows, batches = self._batches(table)
        answers: list[np.ndarray] = []
        done = 0
        for rows, inputs in batches:
            try:
                answer = self._server.ask(
                    "POST", f"{self._path}/infer", {"inputs": inputs, "outputs": [{"name": name}]}
                )
                answers.append(_read_output(answer, name, rows, self._url))
            except ModelError as error:
                problem = self._server.clean(str(error), _LONGEST_MESSAGE)
                raise ModelError(f"{problem}; {done:,} of {n_rows:,} rows had been answered") from None
            done += rows
        return np.concatenate(answers)

    def _batches(self, table: UserTable) -> tuple[int, Iterator[tuple[int, list[JsonObject]]]]:
        """Number of rows, and the inputs of each batch with its number of rows."""
        whole = tensors(self._inputs, table)
        n_rows = len(next(iter(whole.values())))

        def batches() -> Iterator[tuple[int, list[JsonObject]]]:
            for start in range(0, n_rows, self._batch_rows):
                part = {name: tensor[start : start + self._batch_rows] for name, tensor in whole.items()}
                yield (
                    len(next(iter(part.values()))),
                    [
                        {
                            "name": name,
                            "shape": list(tensor.shape),
                            "datatype": self._datatypes[name],
                            "data": _data(tensor),
                        }
                        for name, tensor in part.items()
                    ],
                )

        return n_rows, batches()


def connect(
    url: str, *, timeout: float, retries: int, batch_rows: int, headers: Mapping[str, str] | None, max_size: int
) -> RemoteModel:
    """Ask a server for its model, and how to talk to it."""
    check_number("timeout", timeout, 0.001)
    check_integer("retries", retries, 0)
    check_integer("batch_rows", batch_rows, 1)
    parts = _address(url)
    path = parts.path.rstrip("/")
    server = Server(
        parts, timeout=timeout, retries=retries, headers={} if headers is None else headers, max_size=max_size
    )
    try:
        return RemoteModel(server, path, url, batch_rows)
    except (InputError, ModelError) as error:  # which may quote the server
        server.close()
        raise type(error)(server.clean(str(error), _LONGEST_MESSAGE)) from None
    except BaseException:
        server.close()
        raise


def _address(url: str) -> SplitResult:
    """The parts of a URL, if it is that of a model."""
    if "@" in url.split("://", 1)[-1].split("/", 1)[0]:  # first of all, for no other message may repeat it
        raise InputError("the URL holds a password; give it with headers={'Authorization': ...} (--header)")
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")  # as it is looked up
        is_right = _HOST.fullmatch(host) is not None and parts.port != 0
    except ValueError:
        is_right = False
    if not is_right:
        raise InputError(f"{url}: the host or port is not right; give http://host:port/v2/models/NAME")
    if parts.query or parts.fragment or not _PATH.fullmatch(parts.path.rstrip("/")):
        raise InputError(
            f"{url} names no model: give {parts.scheme}://{parts.netloc}/v2/models/NAME, or .../NAME/versions/VERSION "
            "(a blank or a letter with an accent as %20 and the like)"
        )
    return parts


def _listed(description: JsonObject, key: str, url: str) -> list[JsonObject]:
    """Inputs or outputs, as the server describes them."""
    entries = description.get(key)
    if not entries:
        raise ModelError(f"{url}: the server does not say which {key} the model has; declare them there")
    fields = {"name": str, "datatype": str, "shape": list}
    if not isinstance(entries, list) or not all(
        isinstance(one, dict) and all(isinstance(one.get(field), kind) for field, kind in fields.items())
        for one in entries
    ):
        raise ModelError(f"{url}: the server's list of {key} cannot be read")
    return entries


def _input(one: JsonObject, url: str) -> Input:
    shape, datatype = one["shape"], one["datatype"]
    if datatype not in _TYPES or len(shape) not in (1, 2):
        raise InputError(
            f"{url}: the model's input {one['name']!r} is {datatype} of the shape {shape}; a table or a column of "
            "numbers, booleans or text can be explained"
        )
    width = shape[1] if len(shape) == 2 else 1
    return Input(one["name"], _TYPES[datatype], width if isinstance(width, int) and width > 0 else None, len(shape))


def _outputs(outputs: list[JsonObject], url: str) -> tuple[JsonObject | None, JsonObject | None]:
    """The output of labels and the one of probabilities."""
    label = next((one for one in outputs if not one["datatype"].startswith("FP")), None)
    tables = [one for one in outputs if one["datatype"].startswith("FP") and len(one["shape"]) == 2]
    tables = [one for one in tables if one["shape"][1] != 1]
    likely = [one for one in tables if "prob" in one["name"].lower()]
    if label is None and not tables:
        kinds = ", ".join(f"{one['name']} {one['datatype']} {one['shape']}" for one in outputs)
        raise InputError(
            f"{url} is no classifier: it gives {kinds}; a label per row, or a probability of each class, is needed"
        )
    return label, next(iter(likely or tables), None)


def _classes(descriptions: Sequence[JsonObject]) -> tuple[Scalar, ...] | None:
    """Names of the classes, if the server gives them in the parameters of the model or of an output."""
    for one in descriptions:
        parameters = one.get("parameters")
        for key in _CLASS_KEYS:
            names = parameters.get(key) if isinstance(parameters, dict) else None
            if isinstance(names, str):  # the protocol knows no lists here
                try:
                    names = json_text.parse(names.encode(), _LARGEST_LIST)
                except (ValueError, json_text.TooLargeError, json_text.TooDeepError):
                    continue
            if isinstance(names, list) and len(names) > 1 and all(isinstance(name, str | int) for name in names):
                return tuple(names)
    return None


def _data(tensor: np.ndarray) -> list[JsonValue]:
    values: list[JsonValue] = tensor.ravel().tolist()
    if tensor.dtype.kind != "f":
        return values
    finite = np.isfinite(tensor).all()
    return values if finite else [None if value != value else _finite(value) for value in values]


def _finite(value: float) -> float:
    if value in (np.inf, -np.inf):
        raise InputError("the table holds an infinite number, which cannot be sent as JSON")
    return value


def _read_output(answer: JsonValue, name: str, rows: int, url: str) -> np.ndarray:
    try:
        output = next(one for one in answer["outputs"] if one["name"] == name)
        shape, datatype = [int(size) for size in output["shape"]], output["datatype"]
        values = list(_flat(output["data"]))
        if datatype.startswith("FP"):
            array = np.array([np.nan if value is None else float(value) for value in values])
        else:
            array = np.empty(len(values), dtype=object)
            array[:] = values
        array = array.reshape(shape)
    except StopIteration:
        raise ModelError(f"{url}: the answer holds no output {name!r}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelError(f"{url}: the output {name!r} of the answer cannot be read: {error}") from None
    if array.ndim == 0 or len(array) != rows:
        raise ModelError(f"{url}: the output {name!r} has the shape {shape} for {rows} rows")
    return array


def _flat(data: JsonValue) -> Iterator[JsonValue]:
    """Values of nested lists, or of a list that is flat already."""
    for value in data:
        if isinstance(value, list):
            yield from _flat(value)
        else:
            yield value
