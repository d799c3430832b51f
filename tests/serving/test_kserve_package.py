"""With the real `kserve` package: its client, and lormika as its explainer before a predictor of the v2 protocol."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import httpx
import numpy as np
import pytest
from served_loans import HANGS, TOKEN

import lormika
from lormika import Explainer, Explanation, models

PARTS = Path(__file__).with_name("kserve_parts.py")


@pytest.fixture(scope="module")
def python() -> str:
    """An interpreter that has kserve."""
    named = os.environ.get("LORMIKA_KSERVE_PYTHON")
    if named is None and find_spec("kserve") is None:
        pytest.skip("kserve is not installed; LORMIKA_KSERVE_PYTHON may name an interpreter that has it")
    return named or sys.executable


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def running(python: str, what: str, *more: str) -> Iterator[str]:
    """A server of KServe's; it is ended in any case."""
    port = free_port()
    process = subprocess.Popen(
        [python, str(PARTS), what, str(port), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        origin = f"http://127.0.0.1:{port}"
        while True:
            try:
                if httpx.get(f"{origin}/v2/health/ready", timeout=HANGS).status_code == 200:
                    break
            except httpx.TransportError:
                assert process.poll() is None, f"{what} has ended"
        yield origin
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_lormika_as_the_explainer_of_kserve(python, loans) -> None:
    numbers = loans.background[["income", "savings", "age"]].fillna(0.0)
    instances = json.loads(numbers.iloc[[3, 8]].to_json(orient="records"))
    with ExitStack() as stack:
        predictor = stack.enter_context(running(python, "predictor"))
        model = stack.enter_context(models.load(f"{predictor}/v2/models/loans"))
        explainer = Explainer(model, numbers, class_names=["no", "yes"])
        server = stack.enter_context(
            lormika.serve(explainer, numbers, name="loans", token=TOKEN, time_limit=HANGS, browser=False)
        )
        front = stack.enter_context(running(python, "front", f"127.0.0.1:{server.port}"))
        command = [python, str(PARTS), "client", server.origin, TOKEN, json.dumps(instances)]
        asked = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
        assert asked.returncode == 0, asked.stderr
        answer = json.loads(asked.stdout.splitlines()[-1])
        wanted = [explainer.explain(numbers.iloc[[row]]).to_dict() for row in (3, 8)]
        income, savings = numbers.income.to_numpy()[[3, 8]], numbers.savings.to_numpy()[[3, 8]]
        labels = np.where(1 / (1 + np.exp(-(income - 40) / 8 - savings / 10)) > 0.5, "yes", "no").tolist()
        assert answer["infer"] == {"predictions": labels}
        assert _rounded(answer["explain"]["explanations"]) == _rounded(wanted)
        assert Explanation.from_dict(answer["explain"]["explanations"][0]).rules
        through = httpx.post(
            f"{front}/v1/models/loans:explain",
            json={"instances": instances},
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=HANGS,
        )
        assert through.status_code == 200, through.text
        assert _rounded(through.json()["explanations"]) == _rounded(wanted)


def _rounded(explanations: list[dict]) -> list[dict]:
    """What a reader sees of them."""
    return [Explanation.from_dict(one).to_text(100) for one in explanations]
