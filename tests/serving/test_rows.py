"""Tables of every library, as cases: the same lists, conditions and predictions."""

from __future__ import annotations

import datetime
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from served_loans import HANGS, TOKEN, Client

import lormika
from lormika import Explainer, InputError
from lormika.serving.launch import Server
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import Service

NAMES = ["income", "savings", "age"]


def _ask(frame) -> np.ndarray:
    columns = frame if isinstance(frame, np.ndarray) else np.column_stack([np.asarray(frame[name]) for name in NAMES])
    score = 1 / (1 + np.exp(-(columns[:, 0].astype(float) - 40) / 8))
    return np.column_stack([1 - score, score])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_every_library(loans, library) -> None:
    numbers = loans.background[NAMES].fillna(1.0)
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=(37 * i) % 400) for i in range(len(numbers))]
    full = numbers.assign(day=days, name=[f"n{i}" for i in range(len(numbers))])
    make = {
        "pandas": lambda frame: frame,
        "polars": pl.from_pandas,
        "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
        "numpy": lambda frame: frame[NAMES].to_numpy(),
    }[library]
    names = {"feature_names": NAMES} if library == "numpy" else {}
    explainer = Explainer(_ask, make(numbers), class_names=["no", "yes"], **names)
    roles = Roles() if library == "numpy" else Roles(id="name", time="day")
    service = Service(explainer, RowTable(make(full), explainer.schema, roles))
    with Server(service, token=TOKEN) as server, Client(server) as client:
        service.forecasts.join(HANGS)
        certainty = _ask(numbers).max(axis=1)
        found = client.fetch("cases", list="uncertain", limit=3)["cases"]
        assert [one["row"] for one in found] == np.argsort(certainty, kind="stable")[:3].tolist()
        assert client.fetch("cases", text="income > 60 and age < 40")["total"] == len(
            numbers.query("income > 60 and age < 40")
        )
        newest = client.fetch("cases", list="newest", limit=1)["cases"][0]["row"]
        assert newest == (len(full) - 1 if library == "numpy" else int(np.argmax(days)))
        if library != "numpy":
            assert client.fetch("cases", text="n12")["cases"][0]["row"] == 12
            assert client.fetch("cases/12")["others"]["day"] == str(days[12])
        answer = client.ask("explain", case={"row": 12, "changes": {"income": 90}})
        assert answer["explanation"] == explainer.explain(numbers.iloc[12].to_dict() | {"income": 90}).to_dict()


def test_rows_that_cannot_be_asked_about(loans) -> None:
    """A text among numbers, a category that is new, a row for which the model fails: the others are predicted."""
    rows = loans.background.copy()
    rows = rows.astype({"income": object, "job": object})
    rows.loc[3, "income"] = "many"
    rows.loc[4, "job"] = "astronaut"

    def ask(frame: pd.DataFrame) -> np.ndarray:
        if (frame["age"] == 1000).any():
            raise ValueError("too old")
        return loans.ask(frame)

    rows.loc[5, "age"] = 1000
    explainer = Explainer(ask, loans.background, class_names=["accepted", "rejected"])
    service = Service(explainer, RowTable(rows, explainer.schema, Roles()))
    try:
        service.start()
        service.forecasts.join(HANGS)
        snapshot = service.forecasts.snapshot()
        assert service.forecasts.progress() == {"done": 400, "total": 400, "failed": 2, "ready": True, "error": None}
        assert np.flatnonzero(snapshot.labels < 0).tolist() == [3, 5]
    finally:
        service.close()


def test_a_model_that_fails_for_all_rows_is_not_asked_for_ever(loans) -> None:
    calls = []

    def ask(frame: pd.DataFrame) -> np.ndarray:
        calls.append(len(frame))
        if len(calls) > 2:
            raise ValueError("out of order")
        return loans.ask(frame)

    explainer = Explainer(ask, loans.background, class_names=["accepted", "rejected"])
    calls += [0, 0]
    service = Service(explainer, RowTable(loans.background, explainer.schema, Roles()))
    try:
        service.start()
        service.forecasts.join(HANGS)
        progress = service.forecasts.progress()
        assert "out of order" in progress["error"]
        assert not progress["ready"]
        assert len(calls) < 500
    finally:
        service.close()


def test_columns_that_are_not_there(loans) -> None:
    explainer = Explainer(loans.ask, loans.background, class_names=["accepted", "rejected"])
    for roles, words in (
        (Roles(id="nmber"), "--id: there is no column 'nmber'"),
        (Roles(target="x"), "--target"),
        (Roles(time="x"), "--time"),
    ):
        with pytest.raises(InputError, match=words):
            RowTable(loans.rows, explainer.schema, roles)
    with pytest.raises(InputError, match="lacks 'age'"):
        RowTable(loans.rows.drop(columns="age"), explainer.schema, Roles())


def test_lists_do_not_look_at_rows_one_by_one(loans) -> None:
    """A million rows are to stay quick: what is called is counted, and must not grow with the rows."""
    frame = pd.concat([loans.background] * 50, ignore_index=True)
    explainer = Explainer(loans.ask, loans.background, class_names=["accepted", "rejected"])
    service = Service(explainer, RowTable(frame, explainer.schema, Roles()))
    try:
        service.start()
        service.forecasts.join(HANGS)
        counted = 0

        def count(frame, event, arg):
            nonlocal counted
            counted += event == "call"
            return

        sys.setprofile(count)
        try:
            found = service.finder.find("income > 30 and job == 'employed'", "uncertain", 10, 20, 200)
        finally:
            sys.setprofile(None)
        assert found["total"] > 1000
        assert counted < 6000 < len(frame)
    finally:
        service.close()


def test_serve_from_python(loans) -> None:
    explainer = Explainer(loans.ask, loans.background, class_names=["accepted", "rejected"])
    with lormika.serve(explainer, loans.rows, target="decision", browser=False) as server:
        assert server.address.startswith("http://127.0.0.1:")
        assert repr(server) == f"<Server at {server.origin}>"
        with Client(server, token=server.token) as client:
            assert client.fetch("description")["model"]["name"] == "Loans"
    with pytest.raises(InputError, match="cannot be used"):
        lormika.serve(explainer, loans.rows, host="203.0.113.7", token="x" * 20, browser=False)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_any_type_beside_the_features(loans, library) -> None:
    """The model does not get them; they are shown, and conditions may speak of those that have an order."""
    numbers = loans.background[NAMES].fillna(1.0)[:60]
    more = numbers.assign(
        when=pd.Timestamp("2026-05-01") + pd.to_timedelta(np.arange(60), unit="D"),
        some=[[i, i + 1] for i in range(60)],
        empty=None,
    )
    if library == "pandas":
        more["mixed"] = pd.Series([1, "a", None] * 20, dtype=object)
    table = more if library == "pandas" else pl.from_pandas(more)
    table = table.to_arrow() if library == "pyarrow" else table
    explainer = Explainer(_ask, numbers, class_names=["no", "yes"])
    rows = RowTable(table, explainer.schema, Roles(time="when"))
    others = rows.other_values(4)
    assert others["when"].startswith("2026-05-05")
    assert "4" in others["some"]
    assert others["empty"] is None
    assert rows.newest()[0] == 59
    if library == "pandas":
        assert [rows.other_values(row)["mixed"] for row in range(3)] == [1, "a", None]
