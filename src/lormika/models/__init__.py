"""Models: what counts as one, and loading one from a file, a module or a server."""

from lormika.models.loading import load
from lormika.models.mixed import ask_background
from lormika.models.model import Answer, Model, Unit
from lormika.models.model_files import sha256

__all__ = ["Answer", "Model", "Unit", "ask_background", "load", "sha256"]
