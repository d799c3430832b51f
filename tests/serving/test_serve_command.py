"""lormika serve as users start it: files, a saved explainer, a run; and models that take their process with them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from served_loans import HANGS, make_loans
from typer.testing import CliRunner

from lormika import Explainer
from lormika.cli.app import app

MODEL = """
import os, pickle, time
from pathlib import Path
from served_loans import make_loans

LOANS = make_loans()

class Model:
    classes_ = ["accepted", "rejected"]
    feature_names_in_ = list(LOANS.background.columns)

    def predict_proba(self, frame):
        if (frame["income"] == 666).any():
            os._exit(9)
        if (frame["income"] == 777).any():
            time.sleep(1000)
        print("models may print")
        return LOANS.ask(frame)

model = Model()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Data, and a model in a module that crashes or hangs if the income says so."""
    folder = tmp_path_factory.mktemp("serve")
    loans = make_loans()
    loans.rows.to_csv(folder / "loans.csv", index=False)
    (folder / "frail.py").write_text(MODEL)
    return folder


class Served:
    """A server in another process."""

    def __init__(self, address: str) -> None:
        origin, _, self.token = address.partition("/?token=")
        self.client = httpx.Client(base_url=origin, headers={"Authorization": f"Bearer {self.token}"}, timeout=HANGS)

    def ask(self, what: str, **body: object) -> httpx.Response:
        return self.client.post(f"/api/{what}", json=body)


@contextmanager
def serving(folder: Path, *arguments: object) -> Iterator[Served]:
    """Start it, and end it with all that it has started."""
    path = os.pathsep.join([str(Path(__file__).parent), str(folder)])
    command = [sys.executable, "-m", "lormika", "serve", *map(str, arguments), "--no-browser"]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            assert process.stderr is not None
            pytest.fail(process.stderr.read())
        served = Served(address)
        with served.client:
            yield served
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(HANGS) == 0, said
        assert set(said.partition("Ctrl+C ends it.\n")[2].splitlines()) <= {"models may print"}, said
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def test_a_model_that_takes_its_process_with_it(folder) -> None:
    options = ("--target", "decision", "--id", "number", "--time", "day")
    with serving(folder, "loans.csv", "--model", "python:frail:model", *options) as served:
        about = served.client.get("/api/description").json()
        assert about["model"]["name"] == "Model"
        assert about["name"] == "model"
        assert [one["name"] for one in about["features"]] == list(make_loans().background.columns)
        crashed = served.ask("predict", case={"row": 1, "changes": {"income": 666}})
        assert crashed.status_code == 502
        assert "isolated process" in crashed.json()["error"]["message"]
        while served.ask("predict", case={"row": 1}).status_code != 200:  # until it is loaded again
            pass
        assert served.ask("explain", case={"row": 2}).status_code in (200, 202)


def test_a_model_that_hangs(folder) -> None:
    with serving(folder, "loans.csv", "--model", "python:frail:model", "--answer-limit", 3) as served:
        hung = served.ask("predict", case={"row": 1, "changes": {"income": 777}})
        assert hung.status_code in (502, 504)
        while served.ask("predict", case={"row": 1}).status_code != 200:
            pass


def test_stopping_ends_a_hanging_model(folder) -> None:
    with serving(folder, "loans.csv", "--model", "python:frail:model") as served:
        job = served.ask("predict", case={"row": 1, "changes": {"income": 777}}, wait=0).json()["job"]
        while served.client.get(f"/api/jobs/{job}").json()["doing"] != "asking the model":
            pass
        served.client.delete(f"/api/jobs/{job}")
        assert served.client.get(f"/api/jobs/{job}", params={"wait": 50}).status_code == 409
        while served.ask("predict", case={"row": 1}).status_code != 200:
            pass


def test_a_saved_explainer(folder, loans) -> None:
    explainer = Explainer(loans.ask, loans.background, class_names=["accepted", "rejected"], labels={"age": "Age"})
    explainer.save(folder / "saved")
    for arguments, rows in ((("loans.csv", "--background", "saved"), 400), (("saved",), 400)):
        with serving(folder, *arguments, "--model", "python:frail:model", "--in-process") as served:
            about = served.client.get("/api/description").json()
            assert about["data"]["rows"] == rows
            assert [one["label"] for one in about["features"] if one["name"] == "age"] == ["Age"]
            assert served.ask("explain", case={"row": 2}).status_code == 200


def test_the_demo(tmp_path) -> None:
    log = tmp_path / "log.jsonl"
    with serving(tmp_path, "--demo", "--log", log) as served:
        about = served.client.get("/api/description").json()
        assert about["start"] == {"row": 1091}
        answer = served.ask("explain", case=about["start"], options={"k": 2}).json()
        assert answer["prediction"] == "rejected"
        assert any(rule["changes"] == {"employment": "employed"} for rule in answer["rules"])
    (line,) = log.read_text().splitlines()
    assert json.loads(line)["case"] == {"row": 1091, "changes": {}}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "lormika serve --demo"),
        (["loans.csv"], "lormika serve loans.csv --model loans.skops"),
        (["--demo", "loans.csv"], "give a data file and a model"),
        (["--demo", "--host", "0.0.0.0"], "other machines could then reach"),
        (["--demo", "--token", "short"], "at least 16"),
        (["--demo", "--token", "env:NO_SUCH_VARIABLE"], "has no variable"),
        (["loans.csv", "--model", "nothing.skops"], "nothing.skops"),
        (["nothing.csv", "--model", "python:frail:model"], "nothing.csv"),
        (["loans.csv", "--model", "python:frail:model", "--id", "nmber"], "did you mean 'number'"),
        (["--demo", "--log", "no/such/folder.jsonl"], "cannot be written"),
    ],
)
def test_what_cannot_be_served(folder, monkeypatch, arguments, words) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    result = CliRunner().invoke(app, ["serve", *arguments, "--no-browser"])
    assert result.exit_code != 0
    assert words in " ".join(f"{result.output} {result.exception}".replace("│", "").split())


def test_without_its_packages(monkeypatch) -> None:
    import lormika.serving

    find: Callable = lormika.serving.find_spec
    monkeypatch.setattr(lormika.serving, "find_spec", lambda name: None if name == "uvicorn" else find(name))
    result = CliRunner().invoke(app, ["serve", "--demo"])
    assert "pip install 'lormika[serve]'" in str(result.exception)


def test_it_says_what_it_does_unless_it_is_to_be_quiet(folder) -> None:
    """Before anything is read, which may take long: here it ends with an error."""
    missing = ["serve", str(folder / "none.csv"), "--model", "none.skops", "--no-browser"]
    said = CliRunner().invoke(app, missing)
    assert "none.csv and loading none.skops …" in said.stderr
    assert "loading none.skops …" not in CliRunner().invoke(app, [*missing, "--quiet"]).stderr
