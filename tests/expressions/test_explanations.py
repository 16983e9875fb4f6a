"""The example of every explanation fails with the code that it explains."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from pksk import expressions
from pksk.errors import PkskError
from pksk.expressions.texts import TEXTS
from tests.project.tree import PACKAGE

PAGE = (PACKAGE / "explanations" / "expressions.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("code", "section"), SECTIONS, ids=[code for code, _ in SECTIONS])
def test_every_example_raises_the_error_it_explains(code: str, section: str) -> None:
    example = dedent("\n".join(line for line in section.splitlines() if line.startswith("    ")))
    known = {name: getattr(expressions, name) for name in expressions.__all__}

    with pytest.raises(PkskError) as raised:
        exec(example, known)
    assert raised.value.code == code


def test_every_text_of_the_service_is_explained() -> None:
    assert sorted(TEXTS.keys() - {code for code, _ in SECTIONS}) == []
