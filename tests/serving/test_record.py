"""The record: what was asked and when, only if it is wanted."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from lormika import InputError
from lormika.serving.record import Record


def test_a_line_for_each_question(gated, tmp_path) -> None:
    log = tmp_path / "log.jsonl"
    client = gated(log=log)
    client.ask("predict", case={"row": 3, "changes": {"income": 90}})
    client.ask("explain", case={"row": 3}, options={"k": 2, "constraints": {"fixed": ["age"]}})
    client.ask("predict", 400, case={"row": 3, "changes": {"x": 1}})
    client.ask("compare", cases=[{"row": 1}, {"row": 2}])
    client.post("/api/report", json={"case": {"row": 3}})
    client.post("/v1/models/loans:explain", json={"instances": [client.fetch("cases/4")["values"]]})
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["what"] for line in lines] == ["predict", "explain", "compare", "compare", "report", "explain"]
    assert lines[0]["case"] == {"row": 3, "changes": {"income": 90}, "id": "A-003"}
    assert lines[1]["options"] == {"k": 2, "constraints": [{"fixed": ["age"]}]}
    assert lines[5]["case"]["values"] == client.fetch("cases/4")["values"]
    assert datetime.fromisoformat(lines[0]["time"]).utcoffset().total_seconds() == 0
    about = client.fetch("description")
    for line in lines:
        assert line["background_sha256"] == about["model"]["background_sha256"]
        assert line["data_sha256"] == about["data"]["sha256"]
        assert line["prediction"] in ("accepted", "rejected")
    assert log.stat().st_mode & 0o077 == 0


def test_nothing_is_printed(gated, capfd) -> None:
    client = gated()
    client.ask("explain", case={"row": 3})
    client.ask("predict", 400, case={"row": 3, "changes": {"income": "a secret"}})
    client.get("/api/cases", params={"text": "income == 'a secret'"})
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


def test_a_file_that_cannot_be_written(tmp_path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        Record(tmp_path / "no" / "log.jsonl")


def test_no_answer_without_its_line(gated) -> None:
    client = gated(log=Path("/dev/full"))
    answer = client.ask("predict", 500, case={"row": 3})
    assert answer["error"] == {"kind": "record", "message": "the record cannot be written: No space left on device"}
