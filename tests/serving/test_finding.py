"""Finding cases through the interface: predictions, conditions as people write them, and the page of a case."""

from __future__ import annotations

import pytest


def _rows(client, **query) -> list[int]:
    return [case["row"] for case in client.fetch("cases", limit=200, **query)["cases"]]


def test_a_prediction_is_asked_for_apart_from_the_text(client) -> None:
    strict = _rows(client, text="(income > 30) and prediction == 'rejected'", list="uncertain")
    assert strict
    assert _rows(client, text="income > 30", prediction="rejected", list="uncertain") == strict
    assert _rows(client, prediction="rejected") == _rows(client, text="prediction == 'rejected'")


def test_an_error_speaks_of_what_was_typed(client) -> None:
    message = client.fetch("cases", 400, text="income >", prediction="rejected")["error"]["message"]
    assert "'income >'" in message
    assert "prediction" not in message
    message = client.fetch("cases", 400, prediction="rejectd")["error"]["message"]
    assert message.startswith("prediction: there is no class 'rejectd'")
    assert "rejected" in message


def test_who_names_a_case_gets_it_whatever_its_prediction(client) -> None:
    for prediction in ("accepted", "rejected"):
        assert _rows(client, text="17", prediction=prediction) == [17]
        assert _rows(client, text="A-023", prediction=prediction) == [23]


@pytest.mark.parametrize("text", ["row 17", "case 17", "Case #17", "#17", "# 017", "case A-017", "#A-017"])
def test_a_case_is_named_as_people_write_it(client, text) -> None:
    assert _rows(client, text=text) == [17]


@pytest.mark.parametrize("text", ["1,091", "1 091", "row 1,091", "#1091"])
def test_a_row_that_is_not_there_is_named_in_words(client, text) -> None:
    message = client.fetch("cases", 400, text=text)["error"]["message"]
    assert message == "there is no case 1091: the data have the rows 0 to 399"


@pytest.mark.parametrize("text", ["income > 017", "income > 1,091", "income 5", "? 5", "(income > 5", "job == 'x"])
def test_no_error_speaks_python(client, text) -> None:
    message = client.fetch("cases", 400, text=text)["error"]["message"]
    assert not any(word in message for word in ("syntax", "literal", "octal", "token", "prefix", "line 1")), message


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("job = unemployed", 'job == "unemployed"'),
        ("Job is out of work", 'job == "unemployed"'),
        ("job != Employed and Yearly income ≥ 40", 'job != "employed" and income >= 40'),
        ("missed payments > 1 or (debt ratio<0.2)", "missed_payments > 1 or (debt_ratio < 0.2)"),
        ("savings is unknown", "savings == None"),
        ("not savings is not null", "not savings != None"),
        ("job in [employed, out of work]", 'job in ["employed", "unemployed"]'),
        ("prediction = Rejected", 'prediction == "rejected"'),
        ("decision = accepted", 'decision == "accepted"'),
    ],
)
def test_conditions_as_people_write_them(client, text, meant) -> None:
    found = client.fetch("cases", text=text)
    assert found["read_as"] == meant
    assert found["total"] > 0
    assert _rows(client, text=text) == _rows(client, text=meant)


@pytest.mark.parametrize("text", ["job == 'unemployed'", "savings == None", "savings is missing", "income > 30"])
def test_what_can_be_read_is_taken_as_it_stands(client, text) -> None:
    assert client.fetch("cases", text=text)["read_as"] is None


def test_what_cannot_be_meant_is_refused_as_it_was_written(client) -> None:
    for text in ("job = plumber", "wages > 4", "income = ", "savings > missing", "job = unemployed and wages > 4"):
        message = client.fetch("cases", 400, text=text)["error"]["message"]
        assert repr(text.strip()) in message
    message = client.fetch("cases", 400, text="job = unemployed and income >")["error"]["message"]
    assert message == "condition 'job = unemployed and income >': something is missing at the end"


def test_the_page_on_which_a_case_is(client) -> None:
    order = _rows(client, list="uncertain")
    row = order[45]
    found = client.fetch("cases", list="uncertain", limit=20, around=row)
    assert found["offset"] == 40
    assert row in [case["row"] for case in found["cases"]]
    absent = client.fetch("cases", text="income > 30", limit=5, offset=5, around=100_000)
    assert absent["offset"] == 5


def test_the_interface_is_described(client) -> None:
    names = [one["name"] for one in client.get("/openapi.json").json()["paths"]["/api/cases"]["get"]["parameters"]]
    assert {"text", "prediction", "list", "around"} <= set(names)
