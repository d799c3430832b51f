"""Models: what counts as one, and loading one from a file, a module or a server."""

from lormika.models.loading import load
from lormika.models.model import Answer, Model, Unit, as_model
from lormika.models.model_files import sha256

__all__ = ["Answer", "Model", "Unit", "as_model", "load", "sha256"]
