"""Options stand in one place: what editors and the command line know of them is the same."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import get_type_hints

import pytest

from lormika import Explainer, InputError, SearchOptions, Settings, mine_rules
from lormika.cli.batch import batch
from lormika.cli.explain import explain
from lormika.cli.mine import mine
from lormika.constraints import Constraints
from lormika.frames.values import Scalar
from lormika.option import options_of
from lormika.options import MINING, NEED_INSTANCE, MiningKeywords, SearchKeywords, SettingKeywords

# Known only to type checkers, where options are defined.
NAMES = {"Constraints": Constraints, "Mapping": Mapping, "Scalar": Scalar, "Sequence": Sequence}


@pytest.mark.parametrize(("kind", "keywords"), [(Settings, SettingKeywords), (SearchOptions, SearchKeywords)])
def test_keywords_are_the_fields_with_their_types(kind, keywords):
    hints = get_type_hints(kind, localns=NAMES)
    assert get_type_hints(keywords, localns=NAMES) == {one.name: hints[one.name] for one in fields(kind)}


def test_mining_takes_all_that_needs_no_instance():
    every = get_type_hints(SearchKeywords, localns=NAMES)
    assert get_type_hints(MiningKeywords) == {name: every[name] for name in every if name not in NEED_INSTANCE}
    for name in NEED_INSTANCE:
        with pytest.raises(InputError, match=f"{name} needs an instance"):
            mine_rules({"a": [1, 2]}, [0, 1], **{name: "category"})


@pytest.mark.parametrize(("command", "without"), [(explain, set()), (batch, {"n_jobs"})])
def test_the_command_line_has_every_option(command, without):
    names = set(inspect.signature(command).parameters)
    every = set(options_of(Settings)) | set(options_of(SearchOptions)) | {"cut", "search_time_limit"}
    assert every - names == without


def test_mine_has_its_own_defaults():
    assert set(inspect.signature(mine).parameters) >= set(MiningKeywords.__annotations__) | {"bins", "cut"}
    assert (MINING.k, MINING.filter, MINING.min_count) == (10, "none", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_neighbours": 2}, "min_neighbours=2: give a whole number, from 3"),
        ({"max_neighbours": 39}, "max_neighbours=39: give a whole number, at least 40"),
        ({"thin": "thick"}, "thin='thick': choose one of nearest, random"),
        ({"snap": 1}, "snap=1: give True or False"),
        ({"kernel_width": 0}, "kernel_width=0: give a finite number, from"),
        ({"bins": 1}, "bins=1: give a whole number, from 2"),
        ({"k": 3}, r"k is an option of explain\(…\)"),
        ({"bin": 3}, "there is no option 'bin'; did you mean 'bins'?"),
        ({"zzz": 3}, "there is no option 'zzz'; there are 'min_neighbours'"),
    ],
)
def test_a_wrong_setting_is_named(options, message):
    with pytest.raises(InputError, match=message):
        Settings().but(options)


def test_an_explainer_refuses_what_explain_takes():
    with pytest.raises(InputError, match=r"objective is an option of explain\(…\)"):
        Explainer(lambda frame: [0] * len(frame), {"a": [1]}, objective="lift")


def test_the_default_weight_follows_confirm():
    assert SearchOptions().weight == "effect"
    assert SearchOptions().but({"confirm": False}).weight == "none"
    assert SearchOptions(weight="none").but({"k": 3}).weight == "none"
    assert SearchOptions().but({"confirm": False, "weight": "effect"}).weight == "effect"
