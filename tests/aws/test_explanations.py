"""Every example in the explanations raises the error that it explains."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from pksk.aws import AwsClient, AwsOptions
from pksk.errors import PkskError
from tests.project.tree import PACKAGE

PAGE = (PACKAGE / "explanations" / "aws.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n.*?^    (.+?)$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("code", "example"), SECTIONS)
def test_every_example_raises_the_error_it_explains(code: str, example: str) -> None:
    names = {
        "AwsClient": AwsClient,
        "AwsOptions": AwsOptions,
        "without_botocore": _without_botocore,
        "without_region": lambda make: make(),  # as all of these tests are
    }
    with pytest.raises(PkskError) as raised:
        eval(example, names)

    assert raised.value.code == code


def _without_botocore(make: Callable[[], Any]) -> None:
    with patch.dict(sys.modules, {"botocore.session": None}):
        make()
