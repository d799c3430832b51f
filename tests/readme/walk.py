"""Run every example of the README, then of the tour, in their order, with only what was installed until then.

`python tests/readme/walk.py FOLDER` does so in a copy of the project and a fresh environment, both in this new folder,
and ends with 1 at the first example that fails, or prints something else than is shown.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from contextlib import suppress
from pathlib import Path

from examples import README, TOUR, Example, read_examples, shows
from special import SPECIAL, Special

# What examples in Python take for granted: a model of the reader's, data, and what earlier ones have made.
GIVEN = """\
from lormika.data.datasets import make_loans, make_model
X, y = make_loans(600)
X_train, X_test = X[:500], X[500:]
model = make_model("rf", X_train).fit(X_train, y[:500])
from lormika import Explainer
explainer = Explainer(model, X_train)
"""
INTERRUPTED = 130
INSTALL = "uv pip install" if shutil.which("uv") else "pip install"


class WrongError(Exception):
    """An example does not do what the page says."""


class Walk:
    """A copy of the project, and an environment in which nothing is installed yet."""

    def __init__(self, folder: Path) -> None:
        self.project, environment = folder / "project", folder / "environment"
        _copy(README.parent, self.project)
        venv.create(environment, with_pip=True)
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "COLUMNS")}
        self.variables = kept | {
            "VIRTUAL_ENV": str(environment),
            "PATH": f"{environment / 'bin'}:{os.environ['PATH']}",
        }

    def take(self, page: Path, example: Example) -> None:
        """Run an example of a page, or do what is to be done instead."""
        special = next((one for one in SPECIAL if one.fits(example.code)), Special("", ""))
        print(f"{page.name}:{example.line}: {example.code.strip().splitlines()[0]}", flush=True)
        if special.reason:
            print(f"    {'left out' if special.left_out else 'not simply run'}: {special.reason}", flush=True)
        if special.left_out:
            return
        if special.before:
            self.run(special.before)
        if special.until:
            self.run_until(special.until, example.code)
        elif special.module:
            (self.project / special.module).write_text(example.code, encoding="utf-8")
        elif example.language == "python":
            self.run("python -", given=GIVEN + example.code)
        else:
            self.check(example)
        if special.after:
            self.run(special.after)

    def check(self, example: Example) -> None:
        """Run a command, and compare what it prints with what is shown."""
        # What is built from the project is there after the first `pip install .`; extras only add to it, and which
        # program fetches them makes no difference but in time.
        code = example.code.replace("pip install '.[", f"{INSTALL} 'lormika[")
        shown = example.shown or ""
        printed = self.run(code, columns=max([100, *map(len, shown.splitlines())]))
        if shown and not shows(shown, printed):
            raise WrongError(f"this is shown:\n{shown}\nthis was printed:\n{printed}")

    def run(self, command: str, given: str = "", columns: int = 100) -> str:
        """Run a command, and give what it printed."""
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.project, env=self.variables | {"COLUMNS": str(columns)}, input=given,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
        )  # fmt: skip
        if done.returncode:
            raise WrongError(f"{command}\n{done.stdout}exit code {done.returncode}")
        return done.stdout

    def run_until(self, files: str, command: str) -> None:
        """Run a command until there are such files, and interrupt it as Ctrl-C does."""
        process = subprocess.Popen(
            ["bash", "-c", command], cwd=self.project, env=self.variables, stdin=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            while process.poll() is None and not list(self.project.glob(files)):
                time.sleep(0.2)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            if process.wait() != INTERRUPTED:
                raise WrongError(f"{command}\nexit code {process.returncode}, where an interrupt gives {INTERRUPTED}")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _copy(project: Path, to: Path) -> None:
    """Copy all files of the project, but nothing that was built from them."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=project, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (project / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(project / name, to / name)


def main(folder: Path) -> int:
    """Walk through both pages."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let what runs in the background ignore it
    examples = [(page, one) for page in (README, TOUR) for one in read_examples(page.read_text(encoding="utf-8"))]
    folder.mkdir()
    walk = Walk(folder)
    for page, example in examples:
        try:
            walk.take(page, example)
        except WrongError as error:
            print(error)
            return 1
    print(f"{len(examples)} examples do what the pages say")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
