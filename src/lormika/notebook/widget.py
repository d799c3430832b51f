"""WhatIf: the widget. Its view is `whatif.js`, which asks questions and shows answers; these are traits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from lormika.errors import InputError, ModelError
from lormika.types import JsonObject
from lormika.views.html import board_styles

if TYPE_CHECKING:
    from lormika.explanation import Explanation
    from lormika.notebook.panel import Changed, Panel, Values


def _read(name: str) -> str:
    return (files("lormika.notebook") / name).read_text(encoding="utf-8")


class WhatIf(anywidget.AnyWidget):
    """A row of a table with controls to change its values, what the model then says, and why.

    `row` and `changes` say what is asked about, and can be set; `explanation` is what is shown.
    """

    _esm = _read("controls.js") + _read("whatif.js")
    _css = board_styles() + _read("whatif.css")

    row: Any = traitlets.Int().tag(sync=True)
    changes: Any = traitlets.Dict().tag(sync=True)
    features: Any = traitlets.List().tag(sync=True)
    rows: Any = traitlets.Int().tag(sync=True)
    question: Any = traitlets.Dict().tag(sync=True)  # of the view: number, row, changes, explain
    answer: Any = traitlets.Dict().tag(sync=True)  # to it: number, and what the model says, or an error
    board: Any = traitlets.Dict().tag(sync=True)  # number, and the rules as HTML, or an error

    def __init__(self, panel: Panel, row: int) -> None:
        self._panel, self._is_answering = panel, False
        case = panel.read(row, {})
        said = panel.predict(case)
        board, self._explanation = panel.explain(case)
        super().__init__(row=row, rows=panel.count, features=panel.features(), answer=said, board=board)
        self.observe(self._hear, "question")
        self.observe(self._follow, ["row", "changes"])

    @property
    def explanation(self) -> Explanation:
        """The explanation that is shown; of a row whose values are being changed, the last one."""
        return self._explanation

    @traitlets.validate("row")
    def _check_row(self, proposal: JsonObject) -> int:
        return self._panel.check_row(proposal["value"])

    @traitlets.validate("changes")
    def _check_changes(self, proposal: JsonObject) -> Values:
        return self._panel.read(self.row, proposal["value"]).changes

    def _hear(self, change: JsonObject) -> None:
        """The view asks: whatever comes of it, it gets an answer with the number of its question."""
        question = change["new"]
        number, changes = str(question.get("number", "")), question.get("changes") or {}
        self._answer(number, question.get("row"), changes, explain=bool(question.get("explain")))

    def _follow(self, change: JsonObject) -> None:
        """Somebody has set the row, which then has its own values, or the changes."""
        if not self._is_answering:
            self._answer("", self.row, {} if change["name"] == "row" else self.changes, explain=True)

    def _answer(self, number: str, row: object, changes: JsonObject, *, explain: bool) -> None:
        """First what the model says, which is there soon, then why."""
        with self._telling("answer", number):
            case = self._panel.read(self._panel.check_row(row), changes)
            said = self._panel.predict(case)
            self._set_case(case)
            self.answer = said | {"number": number}
        if "error" in self.answer or not explain:
            return
        with self._telling("board", number):
            board, self._explanation = self._panel.explain(case)
            self.board = board | {"number": number}

    def _set_case(self, case: Changed) -> None:
        self._is_answering = True
        try:
            self.row = case.row
            self.changes = case.changes
        finally:
            self._is_answering = False

    @contextmanager
    def _telling(self, trait: str, number: str) -> Iterator[None]:
        """Tell the view what went wrong; a fault that nobody foresaw is raised, too, and so is one of a caller's."""
        try:
            yield
        except Exception as error:
            foreseen = isinstance(error, InputError | ModelError)
            message = str(error) if foreseen else f"this cannot be answered: {type(error).__name__}: {error}"
            self.set_trait(trait, {"number": number, "error": message})
            if not foreseen or not number:
                raise
