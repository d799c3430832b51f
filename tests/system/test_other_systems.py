"""The package where modules and functions of POSIX are missing: it imports, explains, saves and loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Modules and names that Windows lacks; `subprocess` and others take theirs before.
WITHOUT = """
import asyncio, concurrent.futures, ctypes, multiprocessing, os, select, signal, socket, subprocess, sys, tempfile
import narwhals, numpy, pandas, pyarrow, sklearn.tree
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for owner, names in {
    os: "killpg set_blocking geteuid getuid register_at_fork O_NOFOLLOW O_NONBLOCK O_CLOEXEC O_ASYNC fork mkfifo",
    select: "poll epoll",
    signal: "SIGKILL SIGBUS SIGHUP SIGALRM",
}.items():
    for name in names.split():
        delattr(owner, name)
"""
WINDOWS = """
os.name = "nt"
import lormika.system
os.name = "posix"
"""
IMPORT_ALL = """
import importlib, pkgutil
import lormika
for found in pkgutil.walk_packages(lormika.__path__, "lormika."):
    if found.name != "lormika.__main__" and not found.name.startswith("lormika.evaluation.rivals."):
        try:
            importlib.import_module(found.name)
        except ImportError as error:  # of packages that need not be there
            assert (error.name or "").split(".")[0] in ALLOWED, (found.name, error)
"""
EXPLAIN = """
import sys
from pathlib import Path
from lormika import Explainer
from lormika.data.loans import make_loans
from lormika.system import posix, windows
from sklearn.tree import DecisionTreeClassifier

assert (sys.modules["lormika.system"].lock is windows.lock) == IS_WINDOWS
loans = make_loans(300)
numbers = loans[0].select_dtypes("number")
model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(numbers, loans[1])
explainer = Explainer(model, numbers)
explanation = explainer.explain(numbers.iloc[[0]])
explanation.save("why.html")
explanation.save("why.txt")
assert b"\\r" not in Path("why.html").read_bytes()
explainer.save("saved")
assert str(Explainer.load("saved", model).explain(numbers.iloc[[0]])) == str(explanation)
print(len(explanation.rules))
"""
ALLOWED = "ALLOWED = {'mlflow', 'pyspark', 'anywidget', 'dask', 'distributed', 'starlette', 'uvicorn', 'onnx'}\n"


@pytest.mark.parametrize("is_windows", [False, True], ids=["a bare POSIX", "Windows"])
def test_everything_imports_and_explains(tmp_path, is_windows):
    program = WITHOUT + (WINDOWS if is_windows else "") + ALLOWED + IMPORT_ALL
    save = EXPLAIN if is_windows else EXPLAIN[: EXPLAIN.index("explainer.save")] + "print(len(explanation.rules))"
    program += f"IS_WINDOWS = {is_windows}\n{save}"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
