"""`pksk check` on designs that cannot be read, on absurd numbers, and on hostile texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run_pksk import pksk
from tests.review.designs import PREAMBLE
from tests.review.hostile import HOSTILE
from tests.review.sarif_schema import violations

GOOD = """
from pksk import Entity, Key, Query, Table, access

shop = Table("shop")


class User(Entity, table=shop, items=100):
    user_id: str
    primary = Key("USER", "{user_id}")

    @access(rate=5, items=10, item_size=400)
    @classmethod
    def all(cls) -> Query["User"]:
        return cls.primary()
"""
BROKEN = {
    "raises.py": ("\nx = 1 / 0\n", 'File "raises.py", line 2'),
    "syntax.py": ("\n\nclass User(:\n", "line 3"),
    "wrong.py": (GOOD.replace("{user_id}", "{user}"), "wrong.py, line 7: class User"),
    "empty.py": ("x = 1\n", "there is no Table in empty.py"),
    "ends.py": ("import sys\nsys.exit(0)\n", "ends.py, line 2: sys.exit(0)"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(GOOD)
    for name, (source, _) in BROKEN.items():
        (tmp_path / name).write_text(source)
    return tmp_path


@pytest.mark.parametrize("name", BROKEN)
def test_other_designs_are_reviewed_and_the_review_is_marked_as_partial(name: str) -> None:
    done = pksk("check", name, "good.py")

    assert done.code == 2
    assert "in 1 entity and 1 access pattern." in done.out
    _, _, partial = done.out.partition("Read in part:\n")
    assert BROKEN[name][1] in partial
    assert "(pksk explain " in partial


@pytest.mark.parametrize("form", ["markdown", "html", "sarif", "json"])
def test_every_format_marks_a_partial_review(form: str) -> None:
    done = pksk("check", "good.py", "raises.py", "--format", form)

    assert done.code == 2
    if form == "json":
        assert "ZeroDivisionError" in json.loads(done.out)["partial"][0]
    elif form == "sarif":
        log = json.loads(done.out)
        (invocation,) = log["runs"][0]["invocations"]
        assert violations(log) == []
        assert invocation["executionSuccessful"] is False
        assert "ZeroDivisionError" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    else:
        assert "ZeroDivisionError" in done.out
        assert "part" in done.out.partition("ZeroDivisionError")[0]


def test_without_any_design_all_errors_are_printed() -> None:
    done = pksk("check", "raises.py", "empty.py", "missing.py")

    assert (done.code, done.out) == (2, "")
    for text in ("ZeroDivisionError", "there is no Table in empty.py", "missing.py: there is no such file"):
        assert text in done.err


@pytest.mark.parametrize(
    ("declared", "absurd", "line"),
    [
        ("items=100", "items=10**400", "line 7: class User"),
        ("items=100", "items=100, per_partition=10**16", "line 7: class User"),
        ("rate=5", "rate=1e300", "line 11: @access("),
        ("rate=5", "rate=10**400", "line 11: @access("),
        ("rate=5", 'rate="9000000000000000000000/s"', "line 11: @access("),
        ("rate=5", "rate=float('nan')", "line 11: @access("),
        ("items=10,", "items=10**5000,", "line 11: @access("),
        ("item_size=400", "item_size=10**16", "line 11: @access("),
        ("item_size=400", "item_size=-1", "line 11: @access("),
        ("rate=5", "rate=5, spread=pksk.Spread(values=10**400, zipf=1)", "line 11: @access("),
        ("rate=5", "rate=5, spread=pksk.Spread(largest=float('inf'))", "line 11: @access("),
    ],
)
def test_an_absurd_number_is_an_error_with_its_line(
    folder: Path, declared: str, absurd: str, line: str
) -> None:
    source = GOOD.replace(declared, absurd, 1).replace("\nfrom pksk", "import pksk\nfrom pksk", 1)
    (folder / "absurd.py").write_text(source)
    done = pksk("check", "absurd.py")

    assert done.code == 2
    assert f"absurd.py, {line}" in done.err
    assert "Traceback" not in done.err
    assert len(done.err) < 1000


@pytest.mark.parametrize("figure", ["items=10**15", "rate=1e15", "item_size=10**15", "rate=5e-324"])
def test_the_largest_and_smallest_numbers_are_reviewed_in_every_format(folder: Path, figure: str) -> None:
    name = figure.partition("=")[0]
    before = {"items": "items=100", "rate": "rate=5", "item_size": "item_size=400"}[name]
    (folder / "large.py").write_text(GOOD.replace(before, figure, 1))

    for form in ("text", "markdown", "html", "sarif", "json"):
        done = pksk("check", "large.py", "--format", form, "--fail-on", "never")
        assert done.code == 0, done.err


def test_the_name_of_a_target_cannot_control_the_terminal() -> None:
    done = pksk("check", "a\x1b[31m\u202eb.py")

    assert done.code == 2
    assert "a\\x1b[31m\\u202eb.py: there is no such file" in done.err


@pytest.mark.parametrize("form", ["text", "markdown", "html", "sarif", "json"])
def test_texts_of_a_design_cannot_control_the_terminal(folder: Path, form: str) -> None:
    (folder / "hostile.py").write_text(PREAMBLE + HOSTILE, encoding="utf-8")
    done = pksk("check", "hostile.py", "--format", form, "--fail-on", "never")

    assert done.code == 0, done.err
    assert done.out.replace("\n", "").replace("\t", "").isprintable()
