"""Every example in the explanations of writes is refused with the code that it explains."""

from __future__ import annotations

import re
from datetime import date
from importlib.resources import files
from textwrap import dedent
from typing import Any

import pytest

import pksk
from pksk import Entity, F, Key, PkskError, Put, Table, batch, sequence, transaction
from tests.model.writes.shop import Order

TEXT = files(pksk).joinpath("explanations/writes.md").read_text("utf-8")
EXAMPLES = {
    section.splitlines()[0].strip(): dedent("\n".join(re.findall(r"(?m)^    .*$", section)))
    for section in TEXT.split("\n## ")[1:]
}
NAMES: dict[str, Any] = {
    "Order": Order, "F": F, "Put": Put, "batch": batch, "transaction": transaction, "date": date, "__name__": __name__,
    "Table": Table, "sequence": sequence, "Entity": Entity, "Key": Key,
}  # fmt: skip


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_about_a_write_is_refused_with_that_code(code: str) -> None:
    with pytest.raises(PkskError) as caught:
        exec(EXAMPLES[code], dict(NAMES))

    assert caught.value.code == code
    assert caught.value.fix
