"""What if, in a notebook: a widget in which the values of a row can be changed."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lormika.notebook.panel import Panel
from lormika.types import Keywords, UserTable

if TYPE_CHECKING:
    from lormika.explainer import Explainer
    from lormika.explanation import Explanation
    from lormika.notebook.widget import WhatIf

_LACKING = (
    "this is the static view of row {row}: controls to change its values need anywidget (pip install "
    "'lormika[notebook]')"
)


def make_widget(explainer: Explainer, table: UserTable, row: int, options: Keywords) -> WhatIf | Explanation:
    """A widget about a row; without anywidget, its explanation as it is, and a warning that says so."""
    explainer.check(**options)
    panel = Panel(explainer, table, options)
    if find_spec("anywidget") is None:
        explanation = panel.explain(panel.read(panel.check_row(row), {}))[1]
        warnings.warn(_LACKING.format(row=row), stacklevel=3)
        return explanation
    from lormika.notebook.widget import WhatIf

    return WhatIf(panel, panel.check_row(row))
