"""Every example in the explanations raises the error that it explains."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from pksk.engine import Engine
from pksk.errors import PkskError
from pksk.testing import intercept
from pksk.testing.budget import Budgets
from pksk.testing.plugin import tables_of
from tests.project.tree import PACKAGE

PAGE = (PACKAGE / "explanations" / "testing.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n.*?^    (.+?)$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("code", "example"), SECTIONS)
def test_every_example_raises_the_error_it_explains(code: str, example: str) -> None:
    names = {
        "intercept": intercept,
        "pksk_budget": Budgets(Engine.open()),
        "tables_of": tables_of,
        "without_botocore": _without_botocore,
    }
    with pytest.raises(PkskError) as raised:
        eval(example, names)

    assert raised.value.code == code


def _without_botocore(intercepting: Callable[[], Any]) -> None:
    with patch.dict(sys.modules, {"botocore.auth": None}), intercepting():
        pass
