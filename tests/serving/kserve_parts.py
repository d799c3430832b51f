"""Parts of a real KServe, for an interpreter that has it: a predictor, a front that asks an explainer, and a client.

It imports nothing of lormika's: that interpreter need not have it.
"""

from __future__ import annotations

import asyncio
import json
import sys

import kserve
import numpy as np
from kserve.predictor_config import PredictorConfig

NAMES = ("income", "savings", "age")


class Predictor(kserve.Model):
    """Answers by the v2 protocol: one input for each column, and the probability of each class."""

    def __init__(self) -> None:
        super().__init__("loans")
        self.ready = True

    def get_input_types(self) -> list[dict]:
        return [{"name": name, "datatype": "FP64", "shape": [-1]} for name in NAMES]

    def get_output_types(self) -> list[dict]:
        return [{"name": "probabilities", "datatype": "FP64", "shape": [-1, 2]}]

    def predict(self, payload, headers=None, response_headers=None):
        income, savings, _ = (one.as_numpy().reshape(-1) for one in payload.inputs)
        score = 1 / (1 + np.exp(-(income - 40) / 8 - savings / 10))
        chances = np.column_stack([1 - score, score])
        output = kserve.InferOutput("probabilities", list(chances.shape), "FP64", data=chances.ravel().tolist())
        return kserve.InferResponse("1", self.name, [output])


class Front(kserve.Model):
    """What stands before both: explanations are asked of the explainer, as KServe does it."""

    def __init__(self, explainer: str) -> None:
        super().__init__("loans")
        self.explainer_host, self.ready = explainer, True
        self.use_ssl = False  # kserve 0.21 reads it, and sets it nowhere


async def ask(origin: str, token: str, instances: list) -> dict:
    """What KServe's own client gets."""
    client = kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v1", timeout=60))
    headers, body = {"Authorization": f"Bearer {token}"}, {"instances": instances}
    predicted = await client.infer(origin, body, model_name="loans", headers=headers)
    return {"infer": predicted, "explain": await client.explain(origin, "loans", body, headers=headers)}


def main() -> None:
    """Be one of them."""
    what, *rest = sys.argv[1:]
    if what == "client":
        print(json.dumps(asyncio.run(ask(*rest[:2], json.loads(rest[2])))))
        return
    model = Predictor() if what == "predictor" else Front(rest[1])
    predictor = PredictorConfig(predictor_host=rest[1], predictor_protocol="v1") if what == "front" else None
    kserve.ModelServer(http_port=int(rest[0]), enable_grpc=False, predictor_config=predictor).start([model])


if __name__ == "__main__":
    main()
