"""load: turn the location of a model into something that `Explainer` accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lormika.checks import check_integer, check_number
from lormika.errors import InputError
from lormika.models import model_files
from lormika.models.model import check_model
from lormika.types import UserModel

_PICKLES = (".pkl", ".pickle", ".joblib")


def load(
    source: str | Path,
    *,
    trust: Sequence[str] = (),
    allow_pickle: bool = False,
    max_size: int = 500_000_000,
    isolate: bool = False,
    memory_limit: int = 4 << 30,
    time_limit: float = 120.0,
    timeout: float = 30.0,
    retries: int = 3,
    batch_rows: int = 1000,
    headers: Mapping[str, str] | None = None,
) -> UserModel:
    """Load a classifier from a file, a Python module or a server.

    Parameters
    ----------
    source
        A `.skops` or `.onnx` file; a `.pkl`, `.pickle` or `.joblib` file (with `allow_pickle`);
        `python:module:name`, a function or fitted estimator in a module that can be imported, also from the current
        directory; or `http(s)://host:port/v2/models/NAME`, a model behind the Open Inference Protocol.
    trust
        Full names of types that a skops file may hold besides those known to be harmless.
    allow_pickle
        Whether to load a pickle. It runs whatever code it contains: use this only for files from people you trust.
    max_size
        Maximum bytes of an unpacked skops file, of an ONNX file, or of one server answer (also once parsed).
    isolate
        Whether to run the model in a separate process, with the limits below. A crash is then an error like any other,
        after which the model must be loaded again. Use the model as a context manager, or `close` it.
    memory_limit, time_limit
        Maximum address space of that process in bytes; maximum seconds for loading the model, and for each call.
    timeout, retries, batch_rows, headers
        For a server: seconds for each answer, from the connection to the last byte; how often to retry if it
        cannot be reached or is busy; rows per request; and headers to send, such as `{"Authorization": ...}`.

    Returns
    -------
    object
        An object with `predict` or `predict_proba` or both, or a function; `classes_`, `feature_names_in_` where known.

    Examples
    --------
    >>> import tempfile
    >>> import skops.io
    >>> from lormika import Explainer, datasets, models
    >>> X, y = datasets.make_loans(200)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     skops.io.dump(datasets.make_model("tree", X).fit(X, y), f"{folder}/loans.skops")
    ...     model = models.load(f"{folder}/loans.skops")
    >>> Explainer(model, X)
    <Explainer of 2 classes: 200 rows, 9 features>
    """
    if isinstance(trust, str):
        raise InputError(f"trust={trust!r}: give a list of names")
    for name, value in {"max_size": max_size, "memory_limit": memory_limit}.items():
        check_integer(name, value, 1, 1 << 50)
    check_number("time_limit", time_limit, 0.001)
    scheme = _scheme(source)
    if scheme == "http":
        if isolate:
            raise InputError(f"isolate=True with {source}: a model behind a URL already runs in another process")
        from lormika.models.remote import connect

        return connect(
            str(source), timeout=timeout, retries=retries, batch_rows=batch_rows, headers=headers, max_size=max_size
        )
    if isolate:
        from lormika.models.isolated import IsolatedModel

        options = {"trust": list(trust), "allow_pickle": allow_pickle, "max_size": max_size}
        return IsolatedModel(str(source), options, memory_limit=memory_limit, time_limit=time_limit)
    if scheme == "python":
        from lormika.models.module import import_model

        model = import_model(str(source))
    else:
        try:
            model = _load_file(Path(source), trust, allow_pickle, max_size)
        except MemoryError as error:
            raise InputError(f"{source} needs more memory than there is; it may be broken or tampered with") from error
    check_model(model, str(source))
    return model


def _scheme(source: str | Path) -> str:
    if isinstance(source, str):
        if source.lower().startswith(("http://", "https://")):
            return "http"
        if source.startswith("python:"):
            return "python"
        if "://" in source:
            raise InputError(f"{source}: this kind of address is not known; {model_files.UNDERSTOOD}")
    elif not isinstance(source, Path):
        raise InputError(f"cannot load a model from a {type(source).__name__}: give a path or an address as text")
    return "file"


def _load_file(path: Path, trust: Sequence[str], allow_pickle: bool, max_size: int) -> UserModel:
    model_files.check(path)
    suffix = path.suffix.lower()
    if suffix == ".skops":
        from lormika.models.skops_file import load_skops

        return load_skops(path, trust=trust, max_size=max_size)
    if suffix == ".onnx":
        from lormika.models.onnx_file import load_onnx

        return load_onnx(path, max_size=max_size)
    if suffix in _PICKLES:
        from lormika.models.pickles import load_pickle

        return load_pickle(path, allow_pickle=allow_pickle)
    raise InputError(f"{path}: files that end in {suffix or 'no suffix'} are not known; {model_files.UNDERSTOOD}")
