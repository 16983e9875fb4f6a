from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pksk.engine import Delays, Engine
from pksk.errors import PkskError
from tests.project.tree import PACKAGE

PAGE = (PACKAGE / "explanations" / "engine.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n.*?^    (.+?)$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("code", "example"), SECTIONS)
def test_every_example_raises_the_error_it_explains(code: str, example: str) -> None:
    with pytest.raises(PkskError) as raised:
        eval(example, {"Engine": Engine})

    assert raised.value.code == code


@pytest.mark.parametrize(
    "settings",
    [
        {"account": "12345"},
        {"account": 123456789012},
        {"region": ""},
        {"region": "us-east-1/../x"},
        {"clock": 5},
        {"delays": 5},
        {"partitioning": 4},
    ],
)
def test_an_invalid_setting_is_rejected_before_a_file_is_created(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(PkskError) as raised:
        Engine.open(tmp_path / "tables.db", **settings)

    assert raised.value.code == "engine-setting"
    assert repr(next(iter(settings.values()))) in raised.value.problem
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "5", True])
def test_an_invalid_delay_is_rejected(seconds: float) -> None:
    with pytest.raises(PkskError) as raised:
        Delays(backfill=seconds)

    assert raised.value.problem.startswith("backfill is ")


@pytest.mark.parametrize("path", [":memory:", "memory:"])
def test_both_spellings_of_memory_create_no_file(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    Engine.open(path).close()

    assert list(tmp_path.iterdir()) == []
