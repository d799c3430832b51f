"""MLflow itself, which is there only if somebody installed it."""

from __future__ import annotations

from typing import Any

from lormika.errors import InputError

_LACKING = "this needs MLflow: pip install 'lormika[mlflow]'"


def require() -> Any:
    """MLflow, with all parts that are used here; say how to install it, if it is not there."""
    try:
        import mlflow
        import mlflow.artifacts
        import mlflow.models
        import mlflow.pyfunc
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mlflow":
            raise
        raise InputError(_LACKING) from None
    return mlflow
