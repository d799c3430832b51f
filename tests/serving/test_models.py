"""Models of every kind: labels alone, margins, many classes, explainers without questions of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from served_loans import HANGS, TOKEN, Client
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lormika import Explainer
from lormika.serving.launch import Server
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import Service

NAMES = ["income", "savings", "age"]


def _label(frame: pd.DataFrame) -> np.ndarray:
    return np.where(frame["income"] > 40, "yes", "no")


def _client(explainer: Explainer, rows: pd.DataFrame, target: str | None = None) -> Client:
    service = Service(explainer, RowTable(rows, explainer.schema, Roles(target=target)))
    client = Client(Server(service, token=TOKEN))
    service.forecasts.join(HANGS)
    return client


def _numbers(loans) -> pd.DataFrame:
    return loans.background[NAMES].fillna(1.0)


def test_labels_alone(loans) -> None:
    numbers = _numbers(loans)
    client = _client(Explainer(_label, numbers), numbers)
    try:
        assert client.fetch("description")["model"]["unit"] == "label"
        answer = client.ask("explain", case={"row": 3})
        assert (answer["certainty"], answer["certainty_text"], answer["probabilities"]) == (None, None, None)
        assert answer["rules"]
        assert client.fetch("cases", list="uncertain")["total"] == 0
        assert client.fetch("cases", text="prediction == 'yes'")["total"] == int((numbers.income > 40).sum())
        assert client.ask("compare", cases=[{"row": 1}, {"row": 2}])["closer"] is None
        assert (
            "probabilities"
            in client.ask("explain", 400, case={"row": 3}, options={"at_least": 0.8})["error"]["message"]
        )
    finally:
        client.close()
        client.server.stop()


def test_margins(loans) -> None:
    numbers = _numbers(loans)
    model = make_pipeline(StandardScaler(), SGDClassifier(random_state=0)).fit(numbers, loans.rows.decision)
    client = _client(Explainer(model, numbers), numbers.assign(decision=loans.rows.decision), "decision")
    try:
        answer = client.ask("explain", case={"row": 3})
        assert answer["unit"] == "margin"
        assert answer["certainty"] == pytest.approx(abs(model.decision_function(numbers.iloc[[3]])[0]), rel=1e-5)
        wrong = int((model.predict(numbers) != loans.rows.decision).sum())
        assert client.fetch("cases", list="otherwise")["total"] == wrong
    finally:
        client.close()
        client.server.stop()


def test_many_classes_that_are_numbers(loans) -> None:
    numbers = _numbers(loans)
    truth = pd.cut(numbers.income, [-1, 25, 50, 75, 1000], labels=False).astype(int)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(numbers, truth)
    client = _client(Explainer(model, numbers), numbers.assign(truth=truth), "truth")
    try:
        wrong = int((model.predict(numbers) != truth).sum())
        assert client.fetch("cases", list="otherwise")["total"] == wrong
        assert client.fetch("cases", text="prediction == 2")["total"] == int((model.predict(numbers) == 2).sum())
        answer = client.ask("explain", case={"row": 3}, options={"target": 0})
        assert all(rule["changes"] for rule in answer["rules"] if rule["category"] == "hypothetical_contradicting")
        assert [one["label"] for one in answer["probabilities"]] == [0, 1, 2, 3]
    finally:
        client.close()
        client.server.stop()


def test_an_explainer_without_edits(loans) -> None:
    numbers = _numbers(loans)
    client = _client(Explainer(_label, numbers, preset="paper"), numbers)
    try:
        answer = client.ask("explain", case={"row": 3})
        assert (answer["asked"], answer["effects"]) == (None, [])
        assert "confirm" in client.ask("explain", 400, case={"row": 3}, options={"target": "yes"})["error"]["message"]
    finally:
        client.close()
        client.server.stop()


def test_a_category_that_is_new(client, loans) -> None:
    answer = client.ask("explain", case={"row": 3, "changes": {"job": "astronaut"}})
    assert answer["values"]["job"] == "astronaut"
    assert any("astronaut" in note for note in answer["notes"])
    assert client.ask("predict", case={"row": 3, "changes": {"job": "astronaut"}})["certainty"] == answer["certainty"]


def test_names_that_would_do_harm(loans) -> None:
    """Whatever comes from data is escaped on the board."""
    evil = "<img src=x onerror=alert(1)>"
    frame = _numbers(loans).rename(columns={"age": evil}).assign(**{"job\"'>": loans.background.job.astype(str) + evil})

    def ask(rows: pd.DataFrame) -> np.ndarray:
        return np.where((rows["income"] > 40) & rows["job\"'>"].str.startswith("e"), evil, "no")

    client = _client(Explainer(ask, frame), frame)
    try:
        for row in range(4):
            answer = client.ask("explain", case={"row": row})
            assert "<img" not in answer["board"]
            assert 'style="' not in answer["board"].replace('style="left', "").replace('style="width', "").replace(
                'style="--', ""
            )
        report = client.post("/api/report", json={"case": {"row": 0}})
        assert "<img" not in report.text
    finally:
        client.close()
        client.server.stop()
