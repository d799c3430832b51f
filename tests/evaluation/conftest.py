"""A small setting: made-up loans and a decision tree."""

from __future__ import annotations

import pytest

from lormika.evaluation.common import CommonGround
from lormika.evaluation.setting import prepare


@pytest.fixture(scope="session")
def setting(tmp_path_factory):
    return prepare("loans", "tree", tmp_path_factory.mktemp("models"), instances=3, train_rows=400)


@pytest.fixture(scope="session")
def grounds(setting):
    return CommonGround(setting, 300)
