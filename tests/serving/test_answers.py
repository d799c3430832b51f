"""What an answer tells beside the prediction: the border, values that no row has, reasons, and two cases exchanged."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from served_loans import HANGS, TOKEN, Client, make_service

from lormika import Explainer
from lormika.serving.launch import Server
from lormika.serving.rowtable import Roles, RowTable
from lormika.serving.service import Service


def _three(frame: pd.DataFrame) -> np.ndarray:
    """Three classes; at 50 two of them are nearly as probable."""
    first = 0.4 + (frame["x"].to_numpy() - 50) / 1000
    second = np.full(len(frame), 0.39999)
    return np.column_stack([first, second, 1 - first - second])


@pytest.fixture
def three():
    frame = pd.DataFrame({"x": np.arange(101.0), "y": np.arange(101.0) % 7})
    explainer = Explainer(_three, frame, class_names=["early", "late", "never"], n_generated=200)
    service = Service(explainer, RowTable(frame, explainer.schema, Roles()))
    with Server(service, token=TOKEN) as server, Client(server) as client:
        service.forecasts.join(HANGS)
        yield client


def test_of_three_classes_the_border_is_the_next_one(three) -> None:
    near = three.ask("predict", case={"row": 50})
    assert near["border"]["rival"]["label"] == "late"
    assert near["border"]["text"] == "next is late, less than 0.1 points behind"
    far = three.ask("predict", case={"row": 90})
    assert far["border"]["text"] == "next is late with 40%, 4 points behind"
    compared = three.ask("compare", cases=[{"row": 90}, {"row": 50}])
    assert compared["closer"] == 1
    assert "4 points ahead of late" in compared["summary"]


def test_of_two_classes_it_is_a_probability(client, loans) -> None:
    answer = client.ask("predict", case={"row": 8})
    assert answer["border"]["at"] == 0.5
    assert answer["border"]["distance"] == pytest.approx(answer["certainty"] - 0.5)
    explainer = Explainer(loans.ask, loans.background, class_names=["accepted", "rejected"], threshold=0.3)
    service = Service(explainer, RowTable(loans.rows, explainer.schema, Roles()))
    with Server(service, token=TOKEN) as server, Client(server) as other:
        for row in range(8):
            answer = other.ask("predict", case={"row": row})
            assert answer["border"]["at"] == pytest.approx(0.3 if answer["prediction"] == "rejected" else 0.7)
            assert answer["border"]["distance"] >= 0


def test_values_that_no_row_has_are_told(client) -> None:
    changes = {"income": 9999, "job": "astronaut"}
    outside = client.ask("predict", case={"row": 8, "changes": changes})["outside"]
    assert outside.keys() == {"income", "job"}
    assert "go from" in outside["income"]
    assert "k€" in outside["income"]
    assert "No row" in outside["job"]
    assert client.ask("predict", case={"row": 8})["outside"] == {}


def test_a_value_that_is_never_missing(three) -> None:
    answer = three.ask("predict", case={"row": 5, "changes": {"y": None}})
    assert answer["outside"] == {"y": "It is never missing in the data."}


def test_main_reasons_and_changes_are_those_of_the_letter(client) -> None:
    cases = client.fetch("cases", prediction="rejected", list="uncertain", limit=40)["cases"]
    answers = [client.ask("explain", case={"row": case["row"]}) for case in cases[:12]]
    answer = next(one for one in answers if one["plain"]["changes"] and one["plain"]["reasons"])
    letter = client.post("/api/letter", json={"case": {"row": answer["row"]}}).text
    for reason in answer["plain"]["reasons"]:
        assert f"{reason['feature']}: {reason['value']}" in letter
    for change in answer["plain"]["changes"]:
        rule = answer["rules"][change["rule"]]
        assert rule["turned"]
        after = client.ask("predict", case={"row": answer["row"], "changes": rule["changes"]})
        assert change["result"]["text"] == after["text"]
        assert [one["feature"] for one in change["details"]] == [name.replace("_", " ") for name in _named(rule)]


def _named(rule) -> list[str]:
    return ["Yearly income" if name == "income" else name for name in rule["changes"]]


def test_exchanged_values_are_the_models_own_answers(client) -> None:
    cases = [{"row": 3}, {"row": 5, "changes": {"job": "astronaut"}}]
    answer = client.ask("compare", cases=cases)
    values = [one["values"] for one in answer["cases"]]
    assert answer["differences"]
    for one in answer["differences"]:
        for place in (0, 1):
            changed = values[place] | {one["feature"]: values[1 - place][one["feature"]]}
            said = client.ask("predict", case={"values": changed})
            own = answer["cases"][place]
            chances = {chance["label"]: chance["probability"] for chance in said["probabilities"]}
            assert one["swapped"][place]["prediction"] == said["prediction"]
            assert one["swapped"][place]["certainties"] == [own["certainty"], chances[own["prediction"]]]
            assert one["swapped"][place]["turned"] == (said["prediction"] != own["prediction"])
    moves = [max(abs(a - b) for a, b in (s["certainties"] for s in one["swapped"])) for one in answer["differences"]]
    assert moves == sorted(moves, reverse=True)


def test_a_sentence_says_which_values_account_for_the_difference(client) -> None:
    for other in range(1, 20):
        answer = client.ask("compare", cases=[{"row": 0}, {"row": other}])
        if answer["closer"] is None:
            continue
        far = 1 - answer["closer"]
        drops = {
            one["label"]: one["swapped"][far]["certainties"][0] - one["swapped"][far]["certainties"][1]
            for one in answer["differences"]
        }
        most = max(drops, key=lambda label: drops[label])
        wanted = f"with {most} " if drops[most] > 0.01 else "No single value"
        assert wanted in answer["summary"], other
        assert f"is closer to the border: {answer['cases'][answer['closer']]['text']}" in answer["summary"]


def test_a_letter_about_changed_values_says_so(client) -> None:
    own = client.post("/api/letter", json={"case": {"row": 8}})
    assert "hypothetical" not in own.text.partition("<body>")[2]
    changed = client.post("/api/letter", json={"case": {"row": 8, "changes": {"income": 119}}})
    body = changed.text.partition("<body>")[2]
    assert "This is hypothetical" in body
    assert "<bdi>119\u00a0k€</bdi> instead of" in body
    assert 'filename="letter-8-changed.html"' in changed.headers["content-disposition"]
    record = client.post("/api/letter", json={"case": {"row": 8, "changes": {"income": 119}}, "format": "json"}).json()
    assert record["instead_of"] == {"income": client.fetch("cases/8")["values"]["income"]}


def test_names_are_the_same_on_the_page_and_in_the_letter(client) -> None:
    labels = [one["label"] for one in client.fetch("description")["features"]]
    assert {"missed payments", "debt ratio", "Yearly income"} <= set(labels)
    answer = client.ask("explain", case={"row": 8})
    assert "missed_payments" not in answer["board"]
    assert "missed_payments" in answer["explanation"]["instance"]  # programs get the names of the data
    assert "debt_ratio" not in str(answer["explanation"].get("labels", {}))


def test_a_report_names_its_case(client) -> None:
    own = client.post("/api/report", json={"case": {"row": 8}}).text
    assert "<title>Case A-008 (row 8) of loans.csv: Why" in own
    assert '<p class="case"><bdi>Case A-008 (row 8) of loans.csv</bdi></p>' in own
    changed = client.post("/api/report", json={"case": {"row": 8, "changes": {"income": 119}}}).text
    assert "<bdi>Case A-008 (row 8) of loans.csv, with other values of: Yearly income</bdi>" in changed
    values = client.fetch("cases/8")["values"]
    assert '<p class="case">' not in client.post("/api/report", json={"case": {"values": values}}).text


def test_a_server_ends_once(loans, monkeypatch) -> None:
    service, closed = make_service(loans), []
    close = service.close
    monkeypatch.setattr(service, "close", lambda: closed.append(close()))
    with Server(service, token=TOKEN) as server:
        server.stop()
        server.stop()
    assert len(closed) == 1
