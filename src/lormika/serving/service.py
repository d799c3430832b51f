"""Service: an explainer and a table of cases, and every question that can be asked about them."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np

from lormika.case import Case
from lormika.errors import InputError, ModelError
from lormika.explainer import Explainer
from lormika.explanation import Explanation
from lormika.fingerprint import Fingerprint
from lormika.live.answering import explanation_json, prediction_json, texts_of
from lormika.live.describing import describe_features, describe_options
from lormika.live.naming import people_labels
from lormika.live.outside import outside_notes
from lormika.live.wording import certainty_text
from lormika.models import Unit
from lormika.serving.comparing import compare, differing, name_cases
from lormika.serving.faults import Fault
from lormika.serving.finding import Finder
from lormika.serving.forecasts import Forecasts
from lormika.serving.limits import Limits
from lormika.serving.questions import Asked, Search
from lormika.serving.record import Record
from lormika.serving.rowtable import RowTable
from lormika.serving.shared import SharedCalls, SharedModel
from lormika.serving.swapping import ask_instances, ask_swapped
from lormika.serving.work import Desk
from lormika.types import JsonObject, Keywords
from lormika.version import __version__

_PATIENCE = 5.0  # seconds for work that was stopped: a model may hang


@dataclass(frozen=True, slots=True)
class About:
    """What a model and its data are called, and where they come from."""

    name: str = "model"  # for programs
    model: str = "model"  # for people
    data: str = "rows"
    source: str | Path | None = None  # of the model, as `models.load` takes it
    data_sha256: str | None = None
    start: int | None = None  # a row worth showing first


class Service:
    """Answers questions; safe for any number of threads."""

    def __init__(
        self,
        explainer: Explainer,
        rows: RowTable,
        about: About = About(),
        limits: Limits | None = None,
        record: Record | None = None,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        if explainer.model.bands is not None:
            raise InputError(
                "the page is for classifiers, and this is a regressor by bands: explain its rows (lormika explain), or "
                "change their values in a notebook (explainer.widget)"
            )
        limits = limits or Limits()
        self.about, self.limits, self.rows = about, limits, rows
        self.record = Record(None) if record is None else record
        self.desk = Desk(limits)
        self.shared = SharedCalls(explainer.model, limits.seconds, lambda: self.desk.running, interrupt)
        model = SharedModel.around(explainer.model, self.shared)
        given = replace(explainer._parts, model=model)
        self.explainer, self._labels = Explainer._of(given), given.labels  # for programs
        self.parts = replace(given, labels=people_labels(given.labels, given.schema.names))
        self._page_explainer = Explainer._of(self.parts)
        self.forecasts = Forecasts(self.parts, rows, self.shared)
        self.finder = Finder(self.parts, rows, self.forecasts)
        self._fingerprint: Fingerprint | None = None
        self._cases: OrderedDict[bytes, Case] = OrderedDict()
        self._lock = Lock()

    def start(self) -> None:
        """Begin what goes on in the background."""
        self.forecasts.start()

    def close(self) -> None:
        """End all work, and wait for that: a thread that is in the core when Python ends would take it down."""
        threads = [*self.forecasts.close(), *self.desk.close(), *self.shared.close()]
        until = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        self.record.close()

    def fingerprint(self) -> Fingerprint:
        """Hashes of the model and its background."""
        if self._fingerprint is None:
            self._fingerprint = self.explainer.fingerprint(self.about.source)
        return self._fingerprint

    @property
    def data_sha256(self) -> str | None:
        """Hash of the rows: of their file, or of what was read."""
        return self.about.data_sha256 or self.forecasts.sha256

    def describe(self) -> JsonObject:
        """What the page must know at its start."""
        parts, roles, hashes = self.parts, self.rows.roles, self.fingerprint()
        return {
            "lormika": __version__,
            "name": self.about.name,
            "data": {
                "name": self.about.data,
                "rows": len(self.rows),
                "sha256": self.data_sha256,
                "id": roles.id,
                "time": roles.time,
                "target": roles.target,
                "others": list(self.rows.others),
            },
            "model": {
                "name": self.about.model,
                "sha256": hashes.model,
                "note": hashes.model_note,
                "unit": self._unit(),
                "background_sha256": hashes.background,
                "background_rows": hashes.rows,
            },
            "classes": [{"label": one, "text": str(parts.labels.outcome(one))} for one in parts.model.names],
            "features": describe_features(parts),
            "options": describe_options(parts),
            "constraints": [one.to_dict() for one in parts.constraints],
            "lists": [{"name": name, "text": text} for name, text in self.finder.lists.items()],
            "start": {"row": self.about.start or 0},
            "limits": {"seconds": self.limits.seconds, "page": self.limits.page, "body": self.limits.body},
        }

    def _unit(self) -> Unit:
        """How the model's certainty is measured."""
        if self.forecasts.unit != "label":
            return self.forecasts.unit
        try:
            return self.parts.model(
                self.parts.schema.restore(self.parts.background.rows(np.zeros(1, dtype=np.intp)))
            ).unit
        except (ModelError, Fault):  # it will be seen when somebody asks
            return "label"

    def row(self, number: int) -> JsonObject:
        """One row of the table."""
        values = self.rows.instance(self.rows.check(number))
        return {
            "row": number,
            "id": self.rows.name(number),
            "label": self.rows.label(number),
            "values": values,
            "texts": texts_of(self.parts.labels, values),
            "others": self.rows.other_values(number),
        }

    def predict(self, asked: Asked) -> JsonObject:
        """What the model says of a case."""
        answer = ask_instances(self.parts, [asked.instances])
        result = self._about(asked) | prediction_json(self.parts, answer) | {"before": self._before(asked)}
        self._note("predict", asked, {}, result)
        return result

    def explain(self, asked: Asked, search: Search, what: str = "explain") -> JsonObject:
        """What the model says of a case, and why."""
        case, explanation = self.explanation(asked, search)
        result = self._about(asked) | prediction_json(self.parts, case.answer) | {"before": self._before(asked)}
        result |= explanation_json(explanation, self._labels, detailed=search.detail == "detailed")
        self._note(what, asked, search.options, result)
        return result

    def compare(self, first: Asked, second: Asked, search: Search) -> JsonObject:
        """Two cases side by side."""
        both = (first, second)
        ids = [None if one.row is None else self.rows.name(one.row) for one in both]
        names = name_cases([one.row for one in both], ids, [len(one.changed) for one in both])
        answers = [self.explain(one, search, "compare") for one in both]
        swapped = ask_swapped(self.parts, both, differing(answers))
        return compare(self.parts.labels, answers, names, swapped)

    def explanation(self, asked: Asked, search: Search) -> tuple[Case, Explanation]:
        """A case and its explanation; what the model said of a case is kept."""
        self.explainer.check(**search.options)
        case = self._case(asked)
        return case, case.explain(**search.options)

    def take_away(self, what: str, asked: Asked, search: Search) -> Explanation:
        """An explanation to be written to a file."""
        case, explanation = self.explanation(asked, search)
        self._note(what, asked, search.options, prediction_json(self.parts, case.answer))
        return replace(explanation, labels=self._labels) if what == "json" else explanation

    def call(self, asked: Asked) -> str | None:
        """What people call a case; None: it is no row of the data."""
        if asked.row is None:
            return None
        name = self.rows.name(asked.row)
        called = f"Case {asked.row}" if name is None else f"Case {name} (row {asked.row})"
        changed = ", ".join(self.parts.labels.name(one) for one in asked.changed)
        return f"{called} of {self.about.data}{f', with other values of: {changed}' if changed else ''}"

    def explain_plainly(self, asked: Asked, options: Keywords) -> Explanation:
        """An explanation for a program; nothing is kept of the case."""
        explanation = self.explainer.explain(asked.values, **options)
        result = {"prediction": explanation.prediction, "certainty": explanation.probability}
        self._note("explain", asked, options, result)
        return explanation

    def _case(self, asked: Asked) -> Case:
        key = asked.instances.rows.tobytes() + repr(asked.instances.unseen).encode()
        with self._lock:
            if key in self._cases:
                self._cases.move_to_end(key)
                return self._cases[key]
        case = self._page_explainer.locate(asked.values)
        with self._lock:
            self._cases[key] = case
            while len(self._cases) > self.limits.cases:
                self._cases.popitem(last=False)
        return case

    def _about(self, asked: Asked) -> JsonObject:
        texts = texts_of(self.parts.labels, asked.values)
        outside = outside_notes(self.parts, asked.instances.rows[0])
        about = {"row": asked.row, "values": asked.values, "texts": texts, "changed": list(asked.changed)}
        return about | {"outside": outside}

    def _before(self, asked: Asked) -> JsonObject | None:
        """What the model says of the row without changes, if that is known already."""
        snapshot = self.forecasts.snapshot()
        if asked.row is None or snapshot.labels[asked.row] < 0:
            return None
        certainty = float(snapshot.certainty[asked.row])
        label = self.parts.model.names[snapshot.labels[asked.row]]
        known = not np.isnan(certainty)
        return {
            "prediction": label,
            "text": str(self.parts.labels.outcome(label)),
            "certainty": certainty if known else None,
            "certainty_text": certainty_text(self.forecasts.unit, certainty) if known else None,
        }

    def _note(self, what: str, asked: Asked, options: JsonObject, result: JsonObject) -> None:
        if not self.record.is_kept:
            return
        shown = {name: value for name, value in options.items() if name != "constraints"}
        if "constraints" in options:
            shown["constraints"] = [one.to_dict() for one in options["constraints"]]
        hashes = self.fingerprint()
        name = None if asked.row is None else self.rows.name(asked.row)
        self.record.add(
            {
                "what": what,
                "case": asked.to_record() | ({} if name is None else {"id": name}),
                "options": shown,
                "prediction": result["prediction"],
                "certainty": result["certainty"],
                "model_sha256": hashes.model,
                "background_sha256": hashes.background,
                "data_sha256": self.data_sha256,
            }
        )
