"""Every example in the explanations of reads is refused with the code that it explains."""

from __future__ import annotations

import re
from datetime import datetime
from importlib.resources import files
from textwrap import dedent
from typing import Any

import pytest
from pydantic import BaseModel

import pksk
from pksk import Entity, F, Get, Key, PkskError, Query, access, begins, collect
from tests.model.test_explanations import NAMES, orders

TEXT = files(pksk).joinpath("explanations/reads.md").read_text("utf-8")
EXAMPLES = {
    section.splitlines()[0].strip(): dedent("\n".join(re.findall(r"(?m)^    .*$", section)))
    for section in TEXT.split("\n## ")[1:]
}


NEAR = pksk.VectorIndex("near", attribute="v", dimensions=2, pk="tenant", filters=["lang"])


class Line(Entity, table=orders):
    id: str
    n: int
    primary = Key("ORDER#{id}", "LINE#{n:03d}")


class Noted(Entity, table=pksk.Table("noted")):
    id: str
    total: int
    note: str
    primary = Key("NOTED#{id}", "META")


class Note(Entity, table=pksk.Table("notes", indexes=[NEAR])):
    tenant: str
    id: str
    title: str = ""
    lang: str | None = None
    v: list[float]
    primary = Key("{tenant}#{id}", "NOTE")
    near = Key("{tenant}", index="near")


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_about_a_read_is_refused_with_that_code(code: str) -> None:
    names: dict[str, Any] = {
        **NAMES, "Line": Line, "BaseModel": BaseModel, "F": F, "Get": Get, "Query": Query, "access": access,
        "collect": collect, "begins": begins, "datetime": datetime, "Note": Note,
    }  # fmt: skip
    if code == "where-no-index":
        names["Order"] = Noted

    with pytest.raises(PkskError) as caught:
        exec(EXAMPLES[code], names)

    assert code in (caught.value.code, getattr(caught.value.__cause__, "code", ""))
    assert caught.value.fix
