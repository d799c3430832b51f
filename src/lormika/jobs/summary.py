"""A summary of all explanations of a run: its parts, one after the other, become one small JSON form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lormika.checks import check_integer
from lormika.errors import InputError
from lormika.jobs.folder import Folder
from lormika.jobs.part_columns import INSTANCES, RULES
from lormika.jobs.part_tables import arrow_schema
from lormika.jobs.tally import INSTANCE_COLUMNS, KINDS, RULE_COLUMNS, combine, forget_rarest, tally
from lormika.labels import Labels

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from lormika.types import JsonObject, JsonValue

FORMAT, VERSION = "lormika.summary", 1

MOST_CLASSES = 5
"""Whose rules are listed: those that are predicted most often."""

_MOST_LABELS = 50  # classes that are counted by name
_RULES_AT_ONCE = 100_000  # parts with fewer are taken together, since pandas takes long over little


def summarise(folder: Path, top: int = 10, done: Callable[[int, int], None] = lambda part, parts: None) -> JsonObject:
    """Count what the parts of a run hold; list the `top` most frequent rules, features and changes of each sort.

    `done` is told after each part how many of them are done.
    """
    check_integer("top", top, 1)
    run = _read_run(folder)
    chunks = finished_chunks(folder)
    if not chunks:
        raise InputError(f"{folder} has no finished part yet: wait, or go on with the run (lormika batch)")
    tables: dict[str, pd.DataFrame] | None = None
    rows = missed = 0
    for instances, rules, name, part in _read_parts(folder, chunks):
        try:
            one = tally(instances, rules)
        except InputError as error:
            raise InputError(f"{name}: {error}; remove it and go on with the run (lormika batch)") from error
        tables = one if tables is None else combine([tables, one])
        missed += forget_rarest(tables)
        rows += instances.num_rows
        done(part, len(chunks))
    assert tables is not None
    if not rows:
        raise InputError(f"{folder}: its parts hold no row")
    return _payload(folder, run, tables, rows, len(chunks), top) | {"missed": missed}


def _read_run(folder: Path) -> JsonObject:
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: give one that lormika batch has made")
    return Folder(folder).read_start()


def finished_chunks(folder: Path) -> list[int]:
    """Chunks with both parts; while a run is at work, there may be one without its instances."""
    numbers = [
        {path.stem.removeprefix("part-") for path in (folder / kind).glob("part-*.parquet")}
        for kind in ("rules", "instances")
    ]
    return sorted(int(number) for number in numbers[0] & numbers[1] if number.isdecimal())


def _read_parts(folder: Path, chunks: list[int]) -> Iterator[tuple[pa.Table, pa.Table, str, int]]:
    """Instances and rules of some parts at a time, what to call these, and how many there have been."""
    import pyarrow as pa

    waiting: list[tuple[pa.Table, pa.Table]] = []
    first, files = 0, Folder(folder)
    for number, chunk in enumerate(chunks):
        instances = read_part(files.part("instances", chunk), arrow_schema(INSTANCES), INSTANCE_COLUMNS)
        waiting.append((instances, read_part(files.part("rules", chunk), arrow_schema(RULES), RULE_COLUMNS)))
        if number == len(chunks) - 1 or sum(rules.num_rows for _, rules in waiting) >= _RULES_AT_ONCE:
            names = dict.fromkeys(files.part("rules", chunks[at]) for at in (first, number))
            together = (pa.concat_tables(tables) for tables in zip(*waiting, strict=True))
            yield *together, " to ".join(map(str, names)), number + 1
            waiting, first = [], number + 1


def read_part(path: Path, schema: pa.Schema, columns: list[str]) -> pa.Table:
    """Some columns of a part; one that is damaged, or of another sort, is refused."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read(columns=columns)
        lacking = [name for name in columns if name not in table.column_names]
        if not lacking:
            return table.select(columns).cast(pa.schema([schema.field(name) for name in columns]))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read ({error}): go on with the run (lormika batch) to remake it") from error
    raise InputError(f"{path} has no column {lacking[0]!r}: it is not a part of a run of this version")


def _payload(
    folder: Path, run: JsonObject, tables: dict[str, pd.DataFrame], rows: int, parts: int, top: int
) -> JsonObject:
    classes = _ranked(tables["classes"]).head(_MOST_LABELS)
    explained = int(tables["classes"]["rows"].sum())
    planned, per_part = (run.get(name) if isinstance(run.get(name), int) else None for name in ("rows", "chunk_rows"))
    missing = None if planned is None or not per_part else max(-(-planned // per_part) - parts, 0)
    model = run.get("model")
    details = [_details(tables, label, counts["rows"], top) for label, counts in _entries(classes, MOST_CLASSES)]
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": str(model["source"]) if isinstance(model, dict) and "source" in model else None,
        "options": run["options"] if isinstance(run.get("options"), dict) else {},
        "labels": _labels(run),
        "lormika": str(run.get("version", "")),
        "planned": planned,
        "missing_parts": missing,
        "complete": Folder(folder).manifest.exists() and not missing and planned in (None, rows),
        "rows": rows,
        "explained": explained,
        "failed": rows - explained,
        "failures": _failures(tables["errors"], top),
        "rules": int(tables["kinds"]["rules"].sum()),
        "turned": int(tables["classes"]["turned"].sum()),
        "kinds": _totals(tables),
        "other_classes": len(tables["classes"]) - len(classes),
        "classes": [
            _class(label, counts, tables["kinds"], explained) for label, counts in _entries(classes, len(classes))
        ],
        "details": details,
        "matrix": _matrix(tables["features"], classes["rows"].head(MOST_CLASSES), top),
        "changes": [_change(key, entry, tables["classes"]["rows"]) for key, entry in _entries(tables["changes"], top)],
        "group_actions": None,  # which need a model: see `run_actions`
    }


def _labels(run: JsonObject) -> JsonObject:
    """Words for people, as the run has them."""
    settings = run.get("settings")
    return Labels.of_data(settings.get("labels") if isinstance(settings, dict) else None).to_dict()


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Most rows first; ties by more rules, then by the key, so that the same run gives the same page."""
    by = [name for name in ("rows", "rules") if name in table.columns]
    return table.sort_index().sort_values(by, ascending=False, kind="stable")


def _entries(table: pd.DataFrame, top: int) -> list[tuple[JsonValue, JsonObject]]:
    """Keys and counts of the first of a table."""
    first: dict[JsonValue, JsonValue] = _ranked(table).head(top).to_dict("index")
    return list(first.items())


def _of(table: pd.DataFrame, *key: object) -> pd.DataFrame:
    """The rows of a table whose key begins so."""
    for value in key:
        table = table[table.index.get_level_values(0) == value].droplevel(0)
    return table


def _failures(errors: pd.DataFrame, top: int) -> list[JsonObject]:
    return [
        {"reason": counts["least"], "alike": counts["least"] != counts["most"], "rows": counts["rows"]}
        for _, counts in _entries(errors, top)
    ]


def _class(label: str, counts: JsonObject, kinds: pd.DataFrame, explained: int) -> JsonObject:
    """How often a class is predicted, and rules of each kind are found for it."""
    n_probabilities = counts["with_probability"]
    rules = _of(kinds, label).to_dict("index")
    return {
        "label": label,
        "rows": counts["rows"],
        "share": counts["rows"] / explained,
        "probability": counts["probability"] / n_probabilities if n_probabilities else None,
        "turned": counts["turned"],
        "kinds": {
            kind: {"rows": counts[kind], **rules.get(kind, {"rules": 0, "tested": 0, "kept": 0})} for kind in KINDS
        },
    }


def _totals(tables: dict[str, pd.DataFrame]) -> JsonObject:
    """For each kind, over all classes: rows with such a rule, rules, and what the model said about them."""
    rules = tables["kinds"].groupby(level="kind").sum().reindex(KINDS, fill_value=0).astype(int).to_dict("index")
    return {kind: {"rows": int(tables["classes"][kind].sum())} | rules[kind] for kind in KINDS}


def _details(tables: dict[str, pd.DataFrame], label: str, rows: int, top: int) -> JsonObject:
    """The most frequent rules, features and changes of a class."""
    by_feature = {kind: _entries(_of(tables["features"], label, kind), top) for kind in KINDS}
    by_rule = {kind: _entries(_of(tables["patterns"], label, kind), top) for kind in KINDS}
    ranges = {kind: _of(tables["ranges"], label, kind) for kind in KINDS}
    changes, changed = _of(tables["changes"], label), _of(tables["changed"], label)
    all_rows = tables["classes"]["rows"]
    return {
        "label": label,
        "rows": rows,
        "features": {kind: [_share(name, counts, rows) for name, counts in by_feature[kind]] for kind in KINDS},
        "rules": {kind: [_rule(key, counts, rows, ranges[kind]) for key, counts in by_rule[kind]] for kind in KINDS},
        "changes": [_change((label, *key), counts, all_rows) for key, counts in _entries(changes, top)],
        "changed": [_share(name, counts, rows) for name, counts in _entries(changed, top)],
    }


def _share(feature: str, counts: JsonObject, rows: int) -> JsonObject:
    return {"feature": feature, "rows": counts["rows"], "share": counts["rows"] / rows}


def _rule(key: tuple[str, str], counts: JsonObject, rows: int, common: pd.DataFrame) -> JsonObject:
    consequent, pattern = key
    conditions: list[JsonObject] = [dict(condition) for condition in counts["members"]]
    ranges = 0
    common = _of(common, consequent, pattern)
    for condition in conditions:
        if condition["type"] == "interval":
            for place, end in enumerate(("low", "high"), 2 * ranges):
                condition[end] = None if condition[end] is None else _number(counts, place)
            condition["integer"] = counts[f"whole {ranges}"] == 1
            condition["common"] = _common(_of(common, ranges), counts["rules"]) if condition["integer"] else None
            ranges += 1
    return {
        "conditions": conditions,
        "consequent": consequent,
        "rows": counts["rows"],
        "share": counts["rows"] / rows,
        "rules": counts["rules"],
        "confidence": counts["confidence"] / counts["matched"] if counts["matched"] else None,
        "tested": counts["tested"],
        "kept": counts["kept"],
    }


def _common(ends: pd.DataFrame, rules: int) -> JsonObject:
    """The most common first and last number of a range, and the share of the rules that have them."""
    (low, high), counts = _entries(ends, 1)[0]
    open_or = {-math.inf: None, math.inf: None}
    return {"low": open_or.get(low, low), "high": open_or.get(high, high), "share": counts["rules"] / rules}


def _number(counts: JsonObject, place: int) -> JsonObject:
    """What a pattern leaves out."""
    mean = counts[f"sum {place}"] / counts["rules"]
    return {"mean": mean, "least": counts[f"least {place}"], "most": counts[f"most {place}"]}


def _change(key: tuple[str, str, str], counts: JsonObject, rows: pd.Series) -> JsonObject:
    prediction, to, _ = key
    steps = []
    for place, step in enumerate(counts["members"]):
        is_number = step["way"] in ("up", "down")
        before, after = (_number(counts, 2 * place + end) if is_number else None for end in (0, 1))
        steps.append({"feature": step["feature"], "way": step["way"], "value": step.get("value")})
        steps[-1] |= {"before": before, "after": after}
    shares = {"rows": counts["rows"], "share": counts["rows"] / int(rows[prediction]), "rules": counts["rules"]}
    return {"prediction": prediction, "to": to, "steps": steps, **shares}


def _matrix(features: pd.DataFrame, classes: pd.Series, top: int) -> list[JsonObject]:
    """Of the most frequent features, the share of each class's rows with a rule of each kind."""
    names = _ranked(features.groupby(level="feature").sum()).head(top).index
    counts = features["rows"].to_dict()
    return [
        {
            "feature": name,
            "shares": [[counts.get((label, kind, name), 0) / n for kind in KINDS] for label, n in classes.items()],
        }
        for name in names
    ]
