"""Pictures of the gallery: figures that a cell of an example ends with.

`Explanation.plot` makes figures without pyplot, so sphinx-gallery's own scraper does not see them. In conf.py, for
sphinx_gallery_conf: "image_scrapers": ("matplotlib", "gallery_figures.scrape"), and "ignore_repr_types":
"matplotlib" for the text that would stand beside the picture.
"""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_DPI = 150  # sharp on most screens


def scrape(block: object, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Write the last value of a cell as a picture, if it is a figure, and give the reST that shows it."""
    names = block_vars["example_globals"]
    figure = names.get("___")  # sphinx-gallery's name for the last value
    if not isinstance(figure, Figure) or figure is names.get(_SHOWN):
        return ""
    names[_SHOWN] = figure  # the value stays there in cells that end without one
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=_DPI)
    title = str(figure.get_label()).partition("\n")[0]
    return str(figure_rst([path], gallery_conf["src_dir"], title))


_SHOWN = "__shown_figure__"
