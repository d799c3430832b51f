"""What a process does with a chunk: explain its rows and write its parts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from lormika import models
from lormika.batch import prepared, records
from lormika.batch.folder import Folder, Run, model_facts, read_input
from lormika.errors import InputError
from lormika.explainer import Explainer
from lormika.explanation import Explanation, Failure


def load_model(facts: Mapping[str, Any]) -> Any:
    """The model of a run; a file that has changed since is refused."""
    how = {name: value for name, value in facts.items() if name not in ("source", "sha256")}
    if model_facts(facts["source"], {})["sha256"] != facts["sha256"]:
        raise InputError(f"{facts['source']} has changed since the run began")
    return models.load(facts["source"], **how)


@lru_cache(maxsize=1)
def open_run(path: Path) -> tuple[Folder, Run, Explainer]:
    """The run in a folder, with its explainer; once in a process."""
    folder = Folder(path)
    run = folder.read()
    return folder, run, prepared.load(path / run.background, load_model(run.model))


def explain_rows(
    path: Path, rows: range, skip: Mapping[int, str]
) -> list[tuple[int, str | None, Explanation | Failure]]:
    """Explain rows of the input; those to be skipped have a reason."""
    _, run, explainer = open_run(path)
    frame = read_input(path / run.input, rows)
    wanted = [row for row in rows if row not in skip]
    features = frame[run.features].iloc[[row - rows.start for row in wanted]]
    told = iter(explainer.explain_many(features, progress=False, **run.options)) if wanted else iter(())
    names = [None] * len(rows) if run.id is None else frame[run.id].astype("string").where(frame[run.id].notna(), None)
    return [
        (row, name, Failure(row, skip[row]) if row in skip else next(told))
        for row, name in zip(rows, names, strict=True)
    ]


def run_chunk(path: Path, chunk: int, skip: Mapping[int, str]) -> int:
    """Explain a chunk and write its parts; gives how many rows failed."""
    folder, run, _ = open_run(path)
    told = explain_rows(path, run.rows_of(chunk), skip)
    rules = (rule for row, _, result in told for rule in records.rule_rows(row, result))
    instances = (records.instance_row(*one) for one in told)
    folder.write_part(chunk, records.to_table(rules, records.RULES), records.to_table(instances, records.INSTANCES))
    return sum(isinstance(result, Failure) for _, _, result in told)
