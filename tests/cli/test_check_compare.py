"""`pksk check --compare`: what a change does, against a file, a package, or a revision of git."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from textwrap import dedent

import pytest

from pksk.review import compare
from tests.cli.run_pksk import Ran, pksk
from tests.review.designs import review_of

# Starts programs, which takes long.
pytestmark = pytest.mark.wider

OLD = """
from pksk import Entity, Key, Put, Table, access

shop = Table("shop")


class User(Entity, table=shop, items=1_000_000):
    user_id: str
    primary = Key("USER", "{user_id}")

    @access(rate=2000, item_size=400)
    @classmethod
    def add(cls, user: "User") -> Put["User"]:
        return Put(user)
"""
NEW = OLD.replace('Key("USER", "{user_id}")', 'Key("USER#{user_id}", "META")').replace("2000", "1500")
WORSE = OLD.replace("2000", "2400") + dedent(
    """

    class Visit(Entity, table=shop, items=1_000_000):
        visit_id: str
        primary = Key("VISITS", "{visit_id}")

        @access(rate=1500, item_size=400)
        @classmethod
        def add(cls, visit: "Visit") -> Put["Visit"]:
            return Put(visit)
    """
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with the old design in a commit, a tag and a branch, and the new one in the checkout."""
    folder = tmp_path / "repository"
    (folder / "app").mkdir(parents=True)
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.chdir(folder)
    git("init", "--quiet", "--initial-branch=main")
    (folder / "app" / "design.py").write_text(OLD)
    commit("old")
    git("tag", "v1")
    (folder / "app" / "design.py").write_text(NEW)
    return folder


def git(*arguments: str) -> str:
    names = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    done = subprocess.run(["git", *names, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def commit(message: str) -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", message)


def compared(*arguments: str) -> Ran:
    return pksk("check", *arguments)


@pytest.mark.parametrize("revision", ["main", "v1"])
def test_a_revision_of_git_is_compared_and_nothing_is_left_behind(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    state = git("status", "--porcelain"), git("worktree", "list")
    done = compared("app/design.py", "--compare", revision, "--json")

    found = json.loads(done.out)
    assert [each["rule"] for each in found["fixed"]] == ["constant-partition-key"]
    assert found["new"] == []
    assert found["compared_with"] == revision
    total = found["month"]["total"]
    assert float(total["before"]["amount"]) > float(total["after"]["amount"]) > 0
    assert (git("status", "--porcelain"), git("worktree", "list")) == state
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not list(repository.rglob("__pycache__"))


def test_from_a_subfolder_with_a_package_that_imports_its_own_modules(repository: Path) -> None:
    (repository / "app" / "__init__.py").write_text("")
    (repository / "app" / "rates.py").write_text("RATE = 3000\n")
    (repository / "app" / "design.py").write_text(
        "from app.rates import RATE\n" + OLD.replace("2000", "RATE")
    )
    commit("a package")
    (repository / "app" / "rates.py").write_text("RATE = 10\n")
    os.chdir(repository / "app")
    done = compared("design.py:User", "--compare", "HEAD")

    assert "1 fixed" in done.out
    assert "User.add on shop, write: 3,000 of 1,000 until a split, headroom 0.333 -> 10 of" in done.out


def test_in_a_hook_of_git_its_variables_do_not_matter(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "nothing")

    assert "1 fixed" in compared("app/design.py", "--compare", "main").out


def test_new_findings_fail_and_known_ones_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(OLD)
    Path("new.py").write_text(WORSE)
    worse, same = compared("new.py", "--compare", "old.py"), compared("old.py", "--compare", "old.py")

    assert worse.code == 1
    assert "findings 1 new, 0 fixed, 1 unchanged" in worse.out
    assert "new.py:19: error: Visit.primary  constant-partition-key" in worse.out
    assert "User.add: $10,00" not in worse.out
    assert same.code == 0
    assert same.out == "Compared with old.py: findings 0 new, 0 fixed, 1 unchanged.\n"
    assert compared("new.py", "--compare", "old.py", "--fail-on", "never").code == 0


def test_a_package_is_compared_and_its_modules_keep_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, text in (("before/shop", OLD), ("shop", NEW)):
        Path(folder).mkdir(parents=True)
        Path(folder, "__init__.py").write_text("from shop.design import shop\n")
        Path(folder, "design.py").write_text(text)
    done = compared("shop", "--compare", "before/shop", "--json")

    assert [each["rule"] for each in json.loads(done.out)["fixed"]] == ["constant-partition-key"]


def test_markdown_has_tables_of_costs_and_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(OLD)
    Path("new.py").write_text(WORSE)
    lines = compared("new.py", "--compare", "old.py", "--format", "markdown").out.splitlines()

    assert lines[0] == "**Compared with old.py: findings 1 new, 0 fixed, 1 unchanged.**"
    assert "| Visit.add | - | $2,463.75 |" in lines
    assert any(line.startswith("| User.add on shop, write | 2,000 of 1,000 until a split") for line in lines)
    assert any(
        line.startswith("- **error**: Visit.primary `constant-partition-key` at new") for line in lines
    )


@pytest.mark.parametrize(
    ("target", "old", "code", "text"),
    [
        ("app/design.py", "mian", "check-compare", "did you mean 'main'?"),
        ("app/design.py", "--help-me", "check-compare", "no revision of the git repository"),
        ("app/new.py", "main", "check-compare-target", "app/new.py did not exist in 'main'"),
        ("../outside.py", "main", "check-compare", "is in no git repository"),
        ("app/design.py", "broken", "check-compare-import", "ZeroDivisionError"),
        ("app/design.py", "exiting", "check-compare-import", "ended the program"),
    ],
)
def test_what_cannot_be_compared_is_an_error_with_a_fix(
    repository: Path, target: str, old: str, code: str, text: str
) -> None:
    for branch, source in (("broken", "1 / 0\n"), ("exiting", "import sys\nsys.exit(3)\n")):
        (repository / "app" / "design.py").write_text(source)
        git("checkout", "--quiet", "-b", branch)
        commit(branch)
        git("checkout", "--quiet", "main")
    for name in ("app/design.py", "app/new.py", "../outside.py"):
        (repository / name).write_text(NEW)
    done = compared(target, f"--compare={old}")

    assert done.code == 2
    assert f"(pksk explain {code})" in done.err
    assert text in done.err


def test_a_format_without_a_comparison_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.py").write_text(OLD)
    done = compared("old.py", "--compare", "old.py", "--format", "html")

    assert done.code == 2
    assert "--compare prints text, markdown, json, and not html" in done.err


def test_a_load_whose_spread_is_no_longer_declared_is_not_known() -> None:
    source = """
        shop = Table("shop")

        class User(Entity, table=shop, items=1_000_000):
            user_id: {type}
            primary = Key("USER#{{user_id}}", "META")

            @access(rate=5000, item_size=400)
            @classmethod
            def add(cls, user: "User") -> Put["User"]:
                return Put(user)
    """
    before = review_of(source.format(type="Annotated[str, Spread(values=100)]"))
    (change,) = compare(before, review_of(source.format(type="str"))).loads

    assert change.text == "50 of at most 1,000, headroom 20 -> not known, as its spread is not declared"
