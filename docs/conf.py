"""How the site is built: `python docs/build.py` (see there)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from gallery import gallery_settings
from lormika import __version__

project = "lormika"
author = "The lormika developers"
copyright = author  # no year: a build does not depend on the day  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "elsewhere",
    "option_tables",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_ext", "_templates", "gallery/**/*.ipynb", "gallery/**/*.py", "gallery/sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "literal"  # `names` in docstrings are code
nitpicky = True
nitpick_ignore_regex = [
    # Types in signatures that are names for what users may give, or belong to packages without an index here.
    ("py:.*", r"(?!lormika\.[A-Z]|lormika\.mine_rules|lormika\.serve).*"),
]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"  # numpydoc shows what a parameter is; signatures stay readable
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = gallery_settings(HERE, quick=os.environ.get("LORMIKA_DOCS") == "quick")

html_theme = "pydata_sphinx_theme"
html_title = "lormika"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_sidebars = {"index": [], "start": [], "faq": [], "comparison": [], "changelog": [], "contributing": []}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
