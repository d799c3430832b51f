"""An explainer as a folder of plain files: arrays that are mapped into memory, a few rows, and JSON with hashes.

Nothing in such a folder is ever run: no pickle, no path, no name of another file. So a folder from a stranger can be
wrong, but grants nothing.
"""

from lormika.saved.folder import MANIFEST, OWN_NAMES, is_whole, load_parts, save_parts
from lormika.saved.placing import remove, save_folder

__all__ = ["MANIFEST", "OWN_NAMES", "is_whole", "load_parts", "remove", "save_folder", "save_parts"]
