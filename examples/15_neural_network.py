"""
A neural network: any function will do
======================================

Networks rarely take tables, and rarely are scikit-learn's. All that lormika needs is a function from a table to
probabilities. You learn to write that function: scaling and types go inside it, so that rules speak of your columns.

To stay small, the network here is written in numpy; it has the interface that Keras' models have, ``predict(array)``. For
the real ones, the function is one line::

    lambda table: keras_model.predict(scale(table), verbose=0)                             # Keras
    lambda table: torch_model(torch.tensor(scale(table))).softmax(1).detach().numpy()      # PyTorch
"""

# %%
# A network in thirty lines
# -------------------------
# One hidden layer, trained by gradient descent on scikit-learn's table of tumours: 30 measurements, two classes.

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from lormika import Explainer


class Network:
    """Two layers; `predict` takes an array of float32 and gives the probability of each class."""

    def __init__(self, inputs: int, hidden: int = 16, outputs: int = 2) -> None:
        rng = np.random.default_rng(0)
        self.first = rng.normal(0, inputs**-0.5, (inputs, hidden)).astype(np.float32)
        self.second = rng.normal(0, hidden**-0.5, (hidden, outputs)).astype(np.float32)

    def fit(
        self,
        inputs: np.ndarray,
        classes: np.ndarray,
        steps: int = 300,
        rate: float = 0.5,
    ) -> "Network":
        """Follow the gradient of the cross-entropy."""
        wanted = np.eye(self.second.shape[1], dtype=np.float32)[classes]
        for _ in range(steps):
            hidden = np.tanh(inputs @ self.first)
            error = (_softmax(hidden @ self.second) - wanted) / len(inputs)
            back = (error @ self.second.T) * (1 - hidden**2)
            self.second -= rate * hidden.T @ error
            self.first -= rate * inputs.T @ back
        return self

    def predict(self, inputs: np.ndarray) -> np.ndarray:
        """Probability of each class."""
        return _softmax(np.tanh(inputs @ self.first) @ self.second)


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
mean, spread = X_train.mean(), X_train.std()


def scale(table: pd.DataFrame) -> np.ndarray:
    """What the network was trained on."""
    return ((table - mean) / spread).to_numpy(np.float32)


network = Network(X.shape[1]).fit(scale(X_train), y_train.to_numpy())
right = (network.predict(scale(X_test)).argmax(axis=1) == y_test).mean()
print(f"right about {right:.0%} of {len(X_test)} new tumours")

# %%
# The function
# ------------
# ``class_names`` gives the columns of its answer their names, in their order.

explainer = Explainer(
    lambda table: network.predict(scale(table)),
    X_train,
    class_names=["malignant", "benign"],
)
certainty = network.predict(scale(X_test)).max(axis=1)
doubtful = X_test.iloc[[certainty.argmin()]]
explanation = explainer.explain(doubtful, k=3)
print(explanation.summary())

# %%
# The tumour that the network is least certain of. With thirty columns, a rule names at most three of them; what each
# column does alone is below.

explanation.plot("effects")

# %%

explanation

# %%
# What changes do not say
# -----------------------
# Measurements of one tumour hang together: no radius grows while the area stays. A change of one column asks the network
# about a tumour that may not exist. ``linked`` says which columns only change together. If nothing but the three mean
# sizes may change, and those only together:

sizes = [f"mean {name}" for name in ("radius", "perimeter", "area")]
others = [name for name in X if name not in sizes]
print(X_train[sizes].corr().round(3).to_string())
together = explainer.explain(
    doubtful, k=3, constraints={"linked": [sizes], "fixed": others}
)
for rule in together.counterfactual:
    print(f"{rule.rerun}: {rule.rerun.label}")
for note in together.notes:
    print(note)
