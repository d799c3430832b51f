"""
A model behind an address
=========================

In many places the model is not an object but an address: KServe, Triton, MLServer and others answer the *Open Inference
Protocol* over HTTP. You learn to explain such a model, how often it is asked, and what happens when it is gone.

To need nothing else, this page runs a small server of its own, in a thread.
"""

# %%
# A server with one model
# -----------------------
# It describes the model's inputs and outputs, and answers lists of values with probabilities. A real server does the
# same, with more care.

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd

from lormika import Explainer, ModelError, datasets, models

X, y = datasets.make_loans(1000)
numbers = X[["income", "debt_ratio", "missed_payments", "age"]].astype(float)
forest = datasets.make_model("rf", numbers).fit(numbers, y)
described = {
    "name": "loans",
    "inputs": [
        {"name": name, "datatype": "FP64", "shape": [-1, 1]} for name in numbers
    ],
    "outputs": [
        {
            "name": "probabilities",
            "datatype": "FP64",
            "shape": [-1, 2],
            "parameters": {"classes": list(forest.classes_)},
        }
    ],
}
asked = []  # rows of each request


class Loans(BaseHTTPRequestHandler):
    """Answers what is asked about the model."""

    def do_GET(self) -> None:
        """The description."""
        self._send(described)

    def do_POST(self) -> None:
        """Probabilities of the rows that were sent."""
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        table = pd.DataFrame(
            {one["name"]: np.ravel(one["data"]) for one in sent["inputs"]}
        )
        asked.append(len(table))
        answer = forest.predict_proba(table[list(numbers)])
        output = {
            "name": "probabilities",
            "datatype": "FP64",
            "shape": list(answer.shape),
        }
        self._send({"outputs": [output | {"data": answer.ravel().tolist()}]})

    def _send(self, content: dict) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the page has no room for it."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Loans)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v2/models/loans"

# %%
# The address is the model
# ------------------------
# The explainer asks about its background once. After that, an explanation takes a few requests, each with many rows:
# similar ones, and changes of the case itself.

model = models.load(address)
explainer = Explainer(model, numbers)
print(f"to begin with: {len(asked)} request(s), {sum(asked):,} rows")
asked.clear()
case = explainer.locate(numbers.iloc[[9]])
explanation = case.explain(k=3)
print(f"for a case: {len(asked)} request(s), {sum(asked):,} rows")
print(explanation.summary())

# %%

explanation.plot("effects")

# %%
# Another question about the same case is answered from what is known already.

asked.clear()
towards = case.explain(k=3, objective="lift", constraints={"fixed": ["age"]})
print(f"for another question: {len(asked)} request(s)")
towards

# %%
# When it is gone
# ---------------
# A server that does not answer is an error with its address, never a wrong explanation.

server.shutdown()
server.server_close()
model.close()
try:
    models.load(address, retries=0)
except ModelError as error:
    print(str(error).replace(str(server.server_port), "PORT"))
