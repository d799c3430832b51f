"""MLflow: an explainer as a model of its own, whose `predict` gives a table of rules.

The explainer is kept as `Explainer.save` writes it. Its model is a skops or ONNX file beside it, a model that its own
MLflow flavour has logged, or one that is given when the explainer is loaded: nothing is pickled here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lormika.errors import InputError
from lormika.explainer import Explainer
from lormika.integrations.mlflow.extra import require
from lormika.integrations.mlflow.named_model import keep_model, load_model
from lormika.integrations.mlflow.requirements import list_requirements
from lormika.integrations.mlflow.rule_table import RulesModel
from lormika.integrations.mlflow.signature import make_example, make_signature
from lormika.types import JsonObject, Keywords, UserModel, UserTable
from lormika.version import __version__

if TYPE_CHECKING:
    from mlflow.models import Model
    from mlflow.models.model import ModelInfo

__all__ = ["FLAVOUR", "load_explainer", "log_explainer", "save_explainer"]

FLAVOUR = "lormika"
"""What the flavour is called in the file `MLmodel`."""

_DATA, _FOLDER = "lormika", "explainer"  # a folder of MLflow's data, and the explainer in it


def log_explainer(
    explainer: Explainer,
    name: str = "explainer",
    *,
    model: str | Path | None = None,
    trust: Sequence[str] = (),
    input_example: UserTable | bool = True,
    pip_requirements: Sequence[str] | None = None,
    extra_pip_requirements: Sequence[str] = (),
    registered_model_name: str | None = None,
    **logging: object,
) -> ModelInfo:
    """Log an explainer as a model of the active run.

    Parameters
    ----------
    explainer, name
        What is logged, and under which name.
    model
        Where the explainer's model is: a `.skops` or `.onnx` file, which is copied; the address of a model that is
        logged already, `models:/…` or `runs:/…`; that of a server, `http(s)://host/v2/models/NAME`. It is asked about
        a few rows: one that answers otherwise than the explainer's is refused. None: it is given at loading.
    trust
        Full names of types that a skops file may hold besides those known to be harmless.
    input_example
        Rows to show how to ask; True: the first row of the background; False: none.
    pip_requirements, extra_pip_requirements
        What is needed to load it, and what else; by default, the versions installed here of what decides about its
        answers, and what the named model needs.
    registered_model_name
        Name under which it is registered, too.
    **logging
        What else `mlflow.models.Model.log` takes: `run_id`, `metadata`, `tags`, `params`, `step` …

    Returns
    -------
    ModelInfo
        With `model_uri`, for `load_explainer` and `mlflow.pyfunc.load_model`.

    Examples
    --------
    >>> import tempfile, mlflow
    >>> from lormika import Explainer, datasets
    >>> X, y = datasets.make_loans(200)
    >>> model = datasets.make_model("tree", X).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    ...     experiment = mlflow.create_experiment("loans", artifact_location=folder)
    ...     with mlflow.start_run(experiment_id=experiment):
    ...         logged = log_explainer(Explainer(model, X), "why", input_example=False)
    ...     load_explainer(logged.model_uri, model)
    <Explainer of 2 classes: 200 rows, 9 features>
    """
    mlflow = require()
    return mlflow.models.Model.log(
        artifact_path=None,
        name=name,
        flavor=sys.modules[__name__],
        registered_model_name=registered_model_name,
        explainer=explainer,
        model=model,
        trust=trust,
        input_example=input_example,
        pip_requirements=pip_requirements,
        extra_pip_requirements=extra_pip_requirements,
        validate_serving_input=model is not None,
        **logging,
    )


def save_explainer(
    explainer: Explainer,
    path: str | Path,
    *,
    model: str | Path | None = None,
    trust: Sequence[str] = (),
    input_example: UserTable | bool = True,
    pip_requirements: Sequence[str] | None = None,
    extra_pip_requirements: Sequence[str] = (),
    metadata: JsonObject | None = None,
    mlflow_model: Model | None = None,
) -> None:
    """Save an explainer to a new folder in MLflow's format; see `log_explainer`.

    Examples
    --------
    >>> import tempfile
    >>> from lormika import Explainer, datasets
    >>> X, y = datasets.make_loans(200)
    >>> model = datasets.make_model("tree", X).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_explainer(Explainer(model, X), f"{folder}/why", input_example=False)
    ...     load_explainer(f"{folder}/why", model)
    <Explainer of 2 classes: 200 rows, 9 features>
    """
    mlflow = require()
    own = mlflow.models.Model() if mlflow_model is None else mlflow_model
    with TemporaryDirectory(prefix="lormika-") as place:
        data = Path(place) / _DATA
        explainer.save(data / _FOLDER)
        named = keep_model(model, data)
        if named:
            _check_named(data, model, named, trust)
        own.add_flavor(FLAVOUR, lormika_version=__version__, data=f"data/{_DATA}", model=named)
        needed = pip_requirements or list_requirements(explainer, named)
        mlflow.pyfunc.save_model(
            path=str(path),
            loader_module=__name__,
            data_path=str(data),
            mlflow_model=own,
            signature=make_signature(explainer),
            input_example=make_example(explainer, input_example),
            pip_requirements=[*needed, *extra_pip_requirements],
            model_config={"model": named, "trust": list(trust)},
            metadata=metadata,
        )


def load_explainer(
    model_uri: str | Path,
    model: UserModel | str | Path | None = None,
    *,
    trust: Sequence[str] = (),
    check_model: bool = True,
) -> Explainer:
    """The explainer that was logged or saved: it gives the same explanations, to the byte.

    Parameters
    ----------
    model_uri
        Address or folder: `runs:/…`, `models:/…`, or what `save_explainer` was given.
    model
        The model: an object that predicts, or where it is, as in `log_explainer`. None: the one that was named then. If
        that is logged with MLflow, its own flavour loads it, and may run what it holds: load from people you trust.
    trust
        As in `log_explainer`; what was given there does not count here, since others may have written the folder.
    check_model
        Whether to refuse a model that answers otherwise than the one with which the explainer was saved.

    Examples
    --------
    >>> import tempfile
    >>> from lormika import Explainer, datasets
    >>> X, y = datasets.make_loans(200)
    >>> model = datasets.make_model("tree", X).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_explainer(Explainer(model, X), f"{folder}/why", input_example=False)
    ...     explainer = load_explainer(f"{folder}/why", model)
    >>> explainer.explain(X.iloc[[0]]).prediction
    'rejected'
    """
    mlflow = require()
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=str(model_uri)))
    flavour = mlflow.models.Model.load(str(folder)).flavors.get(FLAVOUR)
    if flavour is None:
        raise InputError(f"{model_uri} holds no explainer: give one that log_explainer or save_explainer wrote")
    named = flavour["model"] if model is None else model
    return _load(folder / "data" / _DATA, named, trust, check_model=check_model)


def save_model(
    path: str, mlflow_model: Model, explainer: Explainer, *, validate_serving_input: bool = True, **options: object
) -> None:
    """What MLflow calls to save a model of this flavour; whether it tries the example afterwards is its own affair."""
    keywords: Keywords = options
    save_explainer(explainer, path, mlflow_model=mlflow_model, **keywords)


def _load_pyfunc(data_path: str, model_config: JsonObject | None = None) -> RulesModel:
    """What MLflow calls to load a model of this flavour as a function."""
    config = model_config or {}
    return RulesModel(_load(Path(data_path), config.get("model") or "", config.get("trust") or ()))


def _load(data: Path, model: UserModel, trust: Sequence[str], *, check_model: bool = True) -> Explainer:
    if isinstance(model, str | Path):
        if not str(model):
            raise InputError(
                "this explainer was logged without its model: give it, as load_explainer(…, model=…), or as "
                'mlflow.pyfunc.load_model(…, model_config={"model": "models:/…"})'
            )
        model = load_model(model, data, trust)
    return Explainer.load(data / _FOLDER, model, check_model=check_model)


def _check_named(data: Path, given: object, named: str, trust: Sequence[str]) -> None:
    """Refuse a model that is not the explainer's, before somebody relies on it."""
    try:
        _load(data, named, trust)
    except InputError as error:
        reason = str(error).replace(f"{data / _FOLDER} cannot be read: it", "the explainer", 1)
        raise InputError(f"model={str(given)!r}: {reason}") from error
