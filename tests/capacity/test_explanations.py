"""The example of every explanation of costs and prices fails with the code that it explains."""

from __future__ import annotations

import re
from decimal import Decimal
from textwrap import dedent

import pytest

from pksk import capacity, schema
from pksk.errors import PkskError
from tests.project.tree import PACKAGE

PAGE = (PACKAGE / "explanations" / "cost.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
NAMES = {name: getattr(package, name) for package in (capacity, schema) for name in package.__all__}


@pytest.mark.parametrize(("code", "section"), SECTIONS, ids=[code for code, _ in SECTIONS])
def test_every_example_raises_the_error_it_explains(code: str, section: str) -> None:
    example = dedent("\n".join(line for line in section.splitlines() if line.startswith("    ")))

    with pytest.raises(PkskError) as raised:
        exec(example, {"Decimal": Decimal, **NAMES})
    assert raised.value.code == code
    assert raised.value.fix
