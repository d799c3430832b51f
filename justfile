# Everyday commands: `just` lists them, `just NAME` runs one. Those that only repeat another tool's name are short on purpose.

_default:
    @just --list

# Install the package with all that tests and checks need; again after a change in C++.
setup:
    pip install -e '.[test,dev]'

# All tests, or those named: just test tests/views
test *WHAT:
    pytest {{WHAT}}

# A quick turn: few random examples, without processes, browser and clusters.
quick *WHAT="tests/stages tests/frames tests/views/test_text.py tests/test_explainer.py":
    LORMIKA_EXAMPLES=3 pytest -q {{WHAT}}

# Style and the import contract.
lint:
    ruff check .
    ruff format --check .
    lint-imports

# Mend what can be mended by itself.
tidy:
    ruff check --fix .
    ruff format .

types:
    mypy

# What docs take from the code, and every example of the README in its order.
docs:
    python docs/columns.py
    walk=$(mktemp -d) && python tests/readme/walk.py "$walk/walk" && rm -rf "$walk"

# The site, with three examples of the gallery: `pip install -e '.[test,docs]'` first.
site:
    python docs/build.py --quick

# Benchmarks, or those named: just bench search
bench *WHAT:
    python benchmarks/run.py {{WHAT}}

# Everything that must hold before a change lands, in fresh environments.
ci:
    bash .ci/run

# What can be checked of a release by itself; the rest is in docs/releasing.md.
release-check:
    test -z "$(git status --porcelain)"
    grep -q "^## $(python -c 'import lormika; print(lormika.__version__)')" CHANGELOG.md
    rm -rf dist
    python -m pip wheel --quiet --no-deps --wheel-dir dist .
    bash .ci/run
