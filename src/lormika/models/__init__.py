"""Models: what counts as one, and loading one from a file, a module or a server."""

from lormika.models.bands import Bands, BandsLike, read_bands
from lormika.models.loading import load
from lormika.models.model import Answer, Model, Unit
from lormika.models.model_files import sha256

__all__ = ["Answer", "Bands", "BandsLike", "Model", "Unit", "load", "read_bands", "sha256"]
