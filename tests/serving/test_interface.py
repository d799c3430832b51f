"""The JSON interface of the page: what it says agrees with the library."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from lormika import Explanation


def test_description(client, loans) -> None:
    about = client.fetch("description")
    assert about["data"] == about["data"] | {"name": "loans.csv", "rows": 400, "id": "number", "target": "decision"}
    assert about["data"]["others"] == ["decision", "number", "day"]
    assert re.fullmatch("[0-9a-f]{64}", about["data"]["sha256"])
    assert re.fullmatch("[0-9a-f]{64}", about["model"]["background_sha256"])
    assert about["model"]["unit"] == "probability"
    features = {one["name"]: one for one in about["features"]}
    income, job = features["income"], features["job"]
    assert income["label"] == "Yearly income"
    assert income["unit"] == "k€"
    assert (income["least"], income["greatest"]) == (loans.background.income.min(), loans.background.income.max())
    assert sum(income["histogram"]["counts"]) + income["missing"] == 400
    assert len(income["histogram"]["edges"]) == len(income["histogram"]["counts"]) + 1
    assert income["whole"]
    assert income["step"] == 1
    assert features["debt_ratio"]["step"] < 0.01
    assert {one["value"]: one["rows"] for one in job["categories"]} == loans.background.job.value_counts().to_dict()
    assert {one["text"] for one in job["categories"]} == {"employed", "self-employed", "out of work"}
    assert [one["label"] for one in about["classes"]] == ["accepted", "rejected"]
    assert [one["name"] for one in about["lists"]] == ["all", "uncertain", "newest", "otherwise"]


def test_categories_are_searched(client) -> None:
    assert [one["value"] for one in client.fetch("categories", column="job", text="EMPLOYED")["categories"]] == [
        "employed",
        "self-employed",
    ]
    assert client.fetch("categories", column="job", limit=1, offset=2)["total"] == 3
    assert client.fetch("categories", 404, column="income")["error"]["kind"] == "unknown"
    assert client.fetch("categories", 404, column="../x")["error"]["kind"] == "unknown"


def test_find_by_name_row_and_condition(client, loans) -> None:
    assert [one["row"] for one in client.fetch("cases", text="A-017")["cases"]] == [17]
    found = client.fetch("cases", text="17")
    assert (found["how"], found["cases"][0]["row"], found["cases"][0]["id"]) == ("row", 17, "A-017")
    found = client.fetch("cases", text="income > 50 and decision == 'rejected'", limit=7, offset=7)
    wanted = loans.rows.query("income > 50 and decision == 'rejected'").index.tolist()
    assert (found["how"], found["total"]) == ("condition", len(wanted))
    assert [one["row"] for one in found["cases"]] == wanted[7:14]
    assert "character" in client.fetch("cases", 400, text="income >")["error"]["message"]
    for number in ("99999", "-1"):
        message = client.fetch("cases", 400, text=number)["error"]["message"]
        assert message == f"there is no case {number}: the data have the rows 0 to {len(loans.rows) - 1:,}"
    assert "limit" in client.fetch("cases", 400, limit=100_000)["error"]["message"]
    assert client.fetch("cases", text="day >= '2027-01-01'")["total"] == int((loans.rows.day >= "2027-01-01").sum())


def test_lists(client, loans) -> None:
    chances = loans.ask(loans.background)
    certain, labels = chances.max(axis=1), np.array(["accepted", "rejected"])[chances.argmax(axis=1)]
    rows = [one["row"] for one in client.fetch("cases", list="uncertain", limit=50)["cases"]]
    assert rows == np.argsort(certain, kind="stable")[:50].tolist()
    found = client.fetch("cases", list="otherwise", limit=200)
    assert {one["row"] for one in found["cases"]} == set(np.flatnonzero(labels != loans.rows.decision).tolist())
    assert all(one["otherwise"] for one in found["cases"])
    newest = [one["row"] for one in client.fetch("cases", list="newest", limit=5)["cases"]]
    assert newest == loans.rows.day.sort_values(ascending=False, kind="stable").index[:5].tolist()
    found = client.fetch("cases", text="prediction == 'accepted' and certainty <= 0.9", list="uncertain")
    assert found["ready"]
    assert found["total"] == int(((labels == "accepted") & (certain.round(9) <= 0.9)).sum()) > 0


def test_one_row(client, loans) -> None:
    row = client.fetch("cases/5")
    assert row["id"] == "A-005"
    assert row["values"]["income"] == loans.rows.income[5]
    assert row["texts"]["income"] == f"{loans.rows.income[5]}\N{NO-BREAK SPACE}k€"
    assert row["others"]["day"].startswith("2026-07-05")
    for wrong in ("400", "-1", "x", "1e3", "9" * 50):
        assert client.fetch(f"cases/{wrong}", 404)["error"]["kind"] == "unknown"


def test_predict_an_edited_row(client, loans) -> None:
    answer = client.ask("predict", case={"row": 3, "changes": {"income": 90, "job": None}})
    changed = loans.background.iloc[[3]].assign(income=90, job=None)
    assert answer["certainty"] == pytest.approx(loans.ask(changed).max(), abs=1e-9)
    assert answer["changed"] == ["income", "job"]
    assert answer["before"]["certainty"] == pytest.approx(loans.ask(loans.background.iloc[[3]]).max(), abs=1e-9)
    same = client.ask("predict", case={"row": 3, "changes": {"income": int(loans.background.income[3])}})
    assert same["changed"] == []
    values = json.loads(loans.background.iloc[[3]].to_json(orient="records"))[0]
    assert client.ask("predict", case={"values": values})["row"] is None


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"row": 3, "changes": {"incme": 1}}, "did you mean 'income'"),
        ({"row": 3, "changes": {"income": "abc"}}, "'income'"),
        ({"row": 3, "changes": {"income": [1]}}, "must be a number"),
        ({"row": 3, "changes": 7}, "give an object"),
        ({"row": 3, "values": {}}, "give {"),
        ({"values": {"income": 3}}, "is missing"),
        ({"rows": 3}, "there is no 'rows'"),
        (3, "must be a JSON object"),
        ({}, "give {"),
        ({"row": 3, "changes": {"income": 1e999}}, "'income'"),
    ],
)
def test_cases_that_cannot_be(client, case, words) -> None:
    content = json.dumps({"case": case}).replace("Infinity", "1e999")
    answer = client.post("/api/predict", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_explain_is_what_the_library_says(client, loans) -> None:
    answer = client.ask("explain", case={"row": 8}, options={"k": 3, "objective": "lift"})
    explainer = client.server.service.explainer
    wanted = explainer.explain(loans.background.iloc[[8]], k=3, objective="lift")
    assert answer["explanation"] == wanted.to_dict()
    assert Explanation.from_dict(answer["explanation"]).prediction == answer["prediction"]
    shown = replace(wanted, labels=client.server.service.parts.labels)  # as the page calls the features
    assert answer["summary"] == shown.summary() != wanted.summary()
    assert len(re.findall('<li class="rule">', answer["board"])) == len(answer["rules"]) == len(wanted.rules)
    assert "<script" not in answer["board"]
    assert "<style" not in answer["board"]
    numbers = [rule["number"] for rule in answer["rules"]]
    assert numbers == list(range(len(numbers)))
    for rule in answer["rules"]:
        mask = loans.background.query(rule["query"], engine="python").index
        assert len(mask) <= 400
        assert rule["sql"]


def test_details_are_shown_if_wanted(client) -> None:
    plain = client.ask("explain", case={"row": 8})
    detailed = client.ask("explain", case={"row": 8}, detail="detailed")
    assert "<details open><summary aria-label" not in plain["board"]
    assert "<details open><summary aria-label" in detailed["board"]
    assert "detail" in client.ask("explain", 400, case={"row": 8}, detail="all")["error"]["message"]


def test_a_rule_can_be_applied(client) -> None:
    answer = client.ask("explain", case={"row": 8}, options={"k": 3})
    turning = [rule for rule in answer["rules"] if rule["category"] == "hypothetical_contradicting"]
    assert turning
    for rule in turning:
        after = client.ask("predict", case={"row": 8, "changes": rule["changes"]})
        assert after["prediction"] != answer["prediction"]
        assert sorted(after["changed"]) == sorted(rule["changes"])
    assert all(rule["changes"] is None for rule in answer["rules"] if rule["category"].startswith("current"))


def test_locks_are_kept(client) -> None:
    free = client.ask("explain", case={"row": 8}, options={"k": 5})
    used = {name for rule in free["rules"] for name in rule["changes"] or {}}
    locked = sorted(used)[:1]
    answer = client.ask("explain", case={"row": 8}, options={"k": 5, "constraints": {"fixed": locked}})
    assert not {name for rule in answer["rules"] for name in rule["changes"] or {}} & set(locked)
    wrong = client.ask("explain", 400, case={"row": 8}, options={"constraints": {"fixed": ["nobody"]}})
    assert "nobody" in wrong["error"]["message"]
    for sly in ("limits.toml", ["limits.toml"], {"permits": "os.system"}, {"where": ["__import__('os')"]}):
        assert client.ask("explain", 400, case={"row": 8}, options={"constraints": sly})["error"]["kind"] == "input"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 0}, "k"), ({"k": 10**6}, "k"), ({"objective": "luck"}, "objective"), ({"n_asked": 5}, "n_asked"),
        ({"target": "nothing"}, "target"), ({"at_least": 7}, "at_least"), ([], None), ({"k": "many"}, "k"),
    ],
)  # fmt: skip
def test_options_that_cannot_be(client, options, words) -> None:
    status = 200 if words is None else 400
    answer = client.ask("explain", status, case={"row": 8}, options=options)
    assert words is None or words in answer["error"]["message"]


def test_effects_say_where_the_model_turns(client, loans) -> None:
    answer = client.ask("explain", case={"row": 8})
    tried = 0
    for effect in answer["effects"]:
        for piece in effect["turning"]:
            ends = [end for end in (piece["low"], piece["high"]) if end is not None]
            for value in ends:
                after = client.ask("predict", case={"row": 8, "changes": {effect["feature"]: value}})
                assert after["prediction"] == piece["label"] != answer["prediction"]
                tried += 1
    assert tried


def test_compare(client) -> None:
    answer = client.ask("compare", cases=[{"row": 8}, {"row": 8, "changes": {"income": 119}}])
    assert [one["feature"] for one in answer["differences"]] == ["income"]
    assert answer["differences"][0]["values"][1] == 119
    assert "They differ in Yearly income." in answer["summary"]
    certainties = [case["certainty"] for case in answer["cases"]]
    closer = None if certainties[0] == certainties[1] else int(np.argmin(certainties))
    assert answer["closer"] == closer
    assert "two cases" in client.ask("compare", 400, cases=[{"row": 8}])["error"]["message"]


def test_take_away(client) -> None:
    case = {"row": 8}
    report = client.post("/api/report", json={"case": case})
    assert report.headers["content-disposition"] == 'attachment; filename="why-8.html"'
    assert "sandbox" in report.headers["content-security-policy"]
    assert "<h1>" in report.text
    payload = client.post("/api/json", json={"case": case})
    assert Explanation.from_json(payload.text).prediction
    fields = {"sender": "Bank", "recipient": "<b>Ms Doe</b>", "decision": "No.", "contact": "us"}
    letter = client.post("/api/letter", json={"case": case, "fields": fields, "time": "2026-03-01"})
    assert "&lt;b&gt;Ms Doe" in letter.text
    record = client.post("/api/letter", json={"case": case, "fields": fields, "format": "json"}).json()
    assert record["background"]["rows"] == 400
    codes = [{"features": "income", "code": "R1", "text": "Income {value}"}]
    assert client.post("/api/letter", json={"case": case, "codes": codes}).status_code == 200


def test_no_path_of_a_request_is_opened(client, tmp_path) -> None:
    template = tmp_path / "own.html.j2"
    template.write_text("read")
    for more in ({"template": str(template)}, {"codes": str(template)}, {"template": "../../own"}, {"fields": "x"}):
        answer = client.ask("letter", 400, case={"row": 8}, **more)
        assert answer["error"]["kind"] == "input"
    wrong = client.ask("letter", 400, case={"row": 8}, out=str(tmp_path / "new"))
    assert "there is no 'out'" in wrong["error"]["message"]


def test_definitions(client) -> None:
    names = {one["name"] for one in client.fetch("definitions")}
    assert names >= {"lift", "leverage", "coverage", "p-value", "certainty", "effect", "locks"}


def test_a_condition_without_end(client) -> None:
    answer = client.fetch("cases", 413, text=" or ".join(["income > 3"] * 200))
    assert answer["error"]["kind"] == "large"


@pytest.mark.parametrize("codes", [[None], ["a"], [["a", "b"]]])
def test_codes_that_are_no_table(client, codes) -> None:
    message = client.ask("letter", 400, case={"row": 1}, codes=codes)["error"]["message"]
    assert "codes, row 1: give an object" in message


def test_a_wait_of_more_than_all_time(client) -> None:
    assert "wait=" in client.ask("predict", 400, case={"row": 1}, wait=10**400)["error"]["message"]
