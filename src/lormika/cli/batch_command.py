"""What a batch is about: files, model and options, which decide its results and make its command known again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.cli import arguments
from lormika.cli.output import Talk
from lormika.cli.parameters import Loading, Reading

if TYPE_CHECKING:
    import pandas as pd

    from lormika.jobs.run import ChunkSize
    from lormika.jobs.run_file import Run
    from lormika.types import JsonObject, Keywords


@dataclass(frozen=True, slots=True)
class Command:
    """All that decides what the parts of a run hold."""

    data: Path
    background: Path | None
    model: str
    headers: tuple[str, ...]  # for a server; secrets may be among them, and are part of no file
    reading: Reading
    loading: Loading
    choice: Keywords  # where, target, drop, id
    explainer: Keywords
    options: Keywords

    def order(self) -> JsonObject | None:
        """The command with the content of its files; None: a part of it has none, such as a model behind a URL."""
        from lormika.jobs.inputs import sha256

        try:
            facts = self._model_facts()
            files = {name: None if path is None else sha256(path) for name, path in self._files().items()}
        except OSError:  # those who open it say what is wrong
            return None
        if facts["sha256"] is None:
            return None
        about = {"look": asdict(self.reading), "choice": self.choice, "explainer": self.explainer}
        return {"model": facts, **about, "options": self.options, "files": files}

    def _files(self) -> dict[str, Path | None]:
        return {"data": self.data, "background": self.background}

    def _model_facts(self) -> JsonObject:
        from lormika.jobs.inputs import model_facts

        return model_facts(self.model, self.loading.keywords())

    def prepare(self, out: Path, order: JsonObject | None, size: ChunkSize, talk: Talk) -> Run:
        """Ask the model about the background, and write all that workers need; nothing of it stays in memory."""
        from lormika.data import typed_alike
        from lormika.explainer import Explainer
        from lormika.jobs.inputs import all_unseen
        from lormika.jobs.run import Request, prepare
        from lormika.models.headers import read_headers

        target, drop, identifier = (self.choice[name] for name in ("target", "drop", "id"))
        table = self.reading.open(self.data, talk)
        similar = table if self.background is None else self.reading.open(self.background, talk)
        headers = [f"{name}: {value}" for name, value in read_headers(self.headers).items()]
        with self.loading.open(self.model, headers, talk) as model:
            features = arguments.feature_columns(model, similar, target, drop, talk, also=table)
            rows = arguments.chosen_rows(table, _beside(features, identifier), where=self.choice["where"])
            _report_names(rows, identifier, talk)
            arguments.report_columns(similar, features, self.reading.categorical, talk)
            with talk.working(f"Asking the model about {len(similar.frame):,} rows"):
                explainer = Explainer(model, similar.frame[features], **self.explainer)
            rows = typed_alike(rows, explainer.schema, decimal_comma=table.delimiter == ";")
            for name, value in all_unseen(rows, explainer.background).items():
                talk.warn(f"Note: column {name!r}: the background has none of its values, such as {value!r}")
            with talk.working("Preparing the run"):
                request = Request(self._model_facts(), self.options, identifier, order)
                return prepare(out, explainer, similar.frame[features], rows, request, size)


def _beside(features: Sequence[str], identifier: str | None) -> list[str]:
    """The features, and the column that names the rows, if it is none of them."""
    return [*features, *([] if identifier is None or identifier in features else [identifier])]


def _report_names(rows: pd.DataFrame, identifier: str | None, talk: Talk) -> None:
    """Warn of names that several rows have."""
    if identifier is None:
        return
    names = rows[identifier].dropna()
    again = names[names.duplicated(keep=False)]
    if len(again):
        first = again.index[again == again.iloc[0]]
        talk.warn(
            f"Note: --id {identifier}: {len(again):,} rows share their name with another, such as rows {first[0]} and "
            f"{first[1]} ({again.iloc[0]!r}): the column row tells them apart"
        )
