"""`pksk explain`, and the rules for explanations."""

from __future__ import annotations

import json
import re
import shlex
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import annotated_types
import pytest

import pksk as package
from pksk.cells import CellLevel
from pksk.cli.explain import explanations
from pksk.errors import PkskError
from tests.cli.run_pksk import SOURCE, pksk

NAMES = {
    **{name: getattr(package, name) for name in package.__all__},
    **{each.__name__: each for each in (date, datetime, timedelta, timezone, Decimal)},
    "Annotated": Annotated, "CellLevel": CellLevel, "Literal": Literal, "UTC": UTC, "annotated_types": annotated_types,
}  # fmt: skip


def _codes_of(page: str) -> list[str]:
    return re.findall(r"^## (\S+)", (SOURCE / f"pksk/explanations/{page}.md").read_text("utf-8"), re.M)


def _example(code: str) -> str:
    return "\n".join(re.findall(r"^    (.*)$", explanations()[code], re.M))


def test_a_code_may_be_in_capitals() -> None:
    assert pksk("explain", "KEY-NaN") == pksk("explain", "key-nan")


def test_explain_prints_what_a_code_means_and_how_to_fix_it() -> None:
    ran = pksk("explain", "key-nan")

    assert ran.out.startswith("key-nan\n\nA Decimal is NaN or infinite.")
    assert "\nFix: " in ran.out


def test_explain_without_a_code_lists_them_all() -> None:
    lines = pksk("explain").out.splitlines()

    assert [line.split()[0] for line in lines] == list(explanations())
    assert next(line for line in lines if line.startswith("key-nan ")).endswith(
        "A Decimal is NaN or infinite."
    )


def test_the_error_about_an_unknown_code_suggests_the_nearest() -> None:
    ran = pksk("explain", "key-to-long")

    assert (ran.code, ran.out) == (2, "")
    assert "Fix: did you mean 'key-too-long'?" in ran.err


def test_explain_as_json_gives_code_summary_and_text() -> None:
    one, every = (
        json.loads(pksk("explain", "key-nan", "--json").out),
        json.loads(pksk("explain", "--json").out),
    )

    assert one["summary"] == "A Decimal is NaN or infinite."
    assert {"code": "key-nan", "summary": one["summary"]} in every


@pytest.mark.parametrize("code", [*_codes_of("keys"), *_codes_of("files")])
def test_an_explanation_has_an_example_and_a_fix(code: str) -> None:
    assert _example(code)
    assert re.search(r"^Fix: ", explanations()[code], re.M)


@pytest.mark.parametrize("code", _codes_of("keys"))
def test_the_example_about_a_key_raises_that_code(code: str) -> None:
    with pytest.raises(PkskError) as raised:
        exec(_example(code), dict(NAMES))

    assert raised.value.code == code


# Those whose examples need a file or take long.
ELSEWHERE = {"file-encoding", "file-endless", "file-gzip", "file-not-an-item", "file-unwritable"}


@pytest.mark.parametrize("code", [code for code in _codes_of("files") if code not in ELSEWHERE])
def test_the_example_about_the_command_line_raises_that_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = pksk(*shlex.split(_example(code))[1:])

    assert ran.code == 2
    assert f"(pksk explain {code})" in ran.err
