"""What is found in the README to be run, and what counts as printed."""

from __future__ import annotations

import re
import tomllib

import pytest

from examples import README, TOUR, read_examples, shows
from special import SPECIAL

EXTRAS = re.compile(r"pip install (?:-\w )?'?[\w.]*\[([\w,]+)\]")

PAGE = """\
Begin with `pip install '.[one]'`, not with `lormika batch … --prepare`:

```bash
lormika demo        # a comment
lormika demo --k 3
```

```text
nine lines
…
```

```console
$ lormika info
version
…
core
$ lormika mine a.csv > "#.txt"
```

```python
print(3)
```
"""


def test_examples_come_in_their_order_with_what_they_show():
    found = [(one.line, one.language, one.code, one.shown) for one in read_examples(PAGE)]
    assert found == [
        (1, "shell", "pip install '.[one]'", None),
        (4, "shell", "lormika demo", None),
        (5, "shell", "lormika demo --k 3", "…\nnine lines\n…\n"),
        (14, "shell", "lormika info", "version\n…\ncore\n"),
        (18, "shell", 'lormika mine a.csv > "#.txt"', ""),
        (21, "python", "print(3)\n", None),
    ]


def test_a_block_of_another_language_is_not_passed_over():
    with pytest.raises(ValueError, match="line 3: nobody knows how to run a block of julia"):
        read_examples("# Title\n\n```julia\nexplain()\n```\n")
    with pytest.raises(ValueError, match=r"line 1: .* no language"):
        read_examples("```\nlormika demo\n```\n")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "a  \nb\n\n", True),
        ("a\nb", "a\nb\nc", False),
        ("a\nb", "b", False),
        ("…\nb\n…", "a\na\nb\nc", True),
        ("…\nb", "b", True),
        ("…\nb\n…\nb\n…", "a\nb\nc", False),
        ("a …\nb", "a c\nb", False),
        ("1.5 (3)", "1x5 (3)", False),
    ],
)
def test_what_was_printed_is_what_is_shown(shown, printed, same):
    assert shows(shown, printed) is same


def test_the_pages_have_examples_and_those_that_are_special():
    examples = [one for page in (README, TOUR) for one in read_examples(page.read_text(encoding="utf-8"))]
    assert examples[0].code.startswith("pip install . ")
    assert sum(one.shown is not None for one in examples) >= 5
    for special in SPECIAL:
        assert any(special.fits(one.code) for one in examples), special.part


def test_extras_that_pages_name_exist():
    project = README.parent
    known = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    pages = [README, *sorted((project / "docs").glob("**/*.md"))]
    named = [(page.name, extra) for page in pages for extras in EXTRAS.findall(page.read_text(encoding="utf-8"))
             for extra in extras.split(",")]  # fmt: skip
    assert len(named) > 10
    assert [one for one in named if one[1] not in known] == []
