"""The example of every explanation about exports, imports and backups raises its code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pksk.cli.explain import explanations
from tests.cli import transfer_files
from tests.cli.run_pksk import SOURCE, pksk

CODES = re.findall(r"^## (\S+)", (SOURCE / "pksk/explanations/transfer.md").read_text("utf-8"), re.M)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    transfer_files.fill()
    transfer_files.broken_exports()
    transfer_files.files()
    transfer_files.unusual_tables()
    transfer_files.backups("nightly", "weekly", "weekly")


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("code", CODES)
def test_every_example_raises_the_error_it_explains(code: str) -> None:
    [example] = re.findall(r"^    (.*)$", explanations()[code], re.M)
    # Examples use the table orders, which exists here.
    table = {"import": "orders-new"}.get(shlex.split(example)[1], "orders")
    ran = pksk(*[table if word == "orders" else word for word in shlex.split(example)[1:]])

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(f"(pksk explain {code})\n")
    assert re.search(r"^Fix: ", explanations()[code], re.M)
