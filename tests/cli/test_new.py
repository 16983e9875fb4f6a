"""`pksk new`: a starting design that runs and never overwrites a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pksk.cli.new import check_name, write_folder
from pksk.errors import FileError, PkskError
from tests.cli.mermaid_grammar import read
from tests.cli.run_pksk import pksk, pksk_process, process_environment
from tests.project.tree import ROOT


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*command: str, cwd: Path) -> str:
    command = (sys.executable, "-m", *command)
    environment = process_environment()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_design_is_two_files_in_a_folder(here: Path) -> None:
    ran = pksk("new", "bakery")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "bakery/bakery.py       the design: a table, two entities, an index, two access patterns\n"
        "bakery/test_bakery.py  its test\n"
        "\n"
        "See it with pksk design bakery/bakery.py, and test it with pytest bakery.\n"
    )
    assert sorted(os.listdir(here / "bakery")) == ["bakery.py", "test_bakery.py"]


def test_its_test_passes_in_its_folder_and_from_outside(here: Path) -> None:
    pksk("new", "bakery")

    for folder in (here / "bakery", here):
        assert "3 passed" in _run("pytest", "-q", "-p", "no:cacheprovider", "-W", "error", cwd=folder)


@pytest.mark.wider
def test_it_passes_our_own_linters(here: Path) -> None:
    pksk("new", "bakery")
    folder, config = here / "bakery", str(ROOT / "pyproject.toml")

    _run("ruff", "check", "--no-cache", "--config", config, "--ignore", "D103", ".", cwd=folder)
    _run("ruff", "format", "--no-cache", "--config", config, "--diff", ".", cwd=folder)
    _check_types("", cwd=folder)


@pytest.mark.wider
def test_the_mypy_plugin_of_pydantic_accepts_it(here: Path) -> None:
    pksk("new", "bakery")
    plugin = ROOT / "tests" / "typing" / "mypy_plugin.ini"

    _check_types(str(plugin), cwd=here / "bakery")


def _check_types(config: str, cwd: Path) -> None:
    cache = ROOT / ".mypy_cache" / ("new-plugin" if config else "new")
    files = ("bakery.py", "test_bakery.py")
    _run("mypy", "--strict", f"--config-file={config}", f"--cache-dir={cache}", *files, cwd=cwd)


def test_it_can_be_printed_in_every_format(here: Path) -> None:
    pksk("new", "bakery")
    document = json.loads(pksk("design", "bakery/bakery.py", "--json").out)
    [table] = document["tables"]

    assert (table["name"], len(table["indexes"])) == ("bakery", 1)
    assert [entity["name"] for entity in table["entities"]] == ["Customer", "Order"]
    assert len(read(pksk("design", "bakery/bakery.py", "--format", "mermaid").out).entities) == 2


def test_the_folder_can_be_chosen(here: Path) -> None:
    (here / "apps").mkdir()
    document = json.loads(pksk("new", "bakery", "--here", "apps", "--json").out)

    assert document == {
        "folder": "apps/bakery",
        "files": ["apps/bakery/bakery.py", "apps/bakery/test_bakery.py"],
    }
    assert (here / "apps/bakery/bakery.py").is_file()


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_existing_files_are_not_overwritten(kind: str, here: Path) -> None:
    there = here / "bakery"
    if kind == "link":
        there.symlink_to("nowhere")
    else:
        (there.mkdir if kind == "folder" else there.touch)()
    ran = pksk("new", "bakery")

    assert (ran.code, ran.out) == (2, "")
    assert "bakery already exists, and is not overwritten." in ran.err
    assert os.listdir(here) == ["bakery"]


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("web-shop", "pksk new web_shop"),
        ("2024", "pksk new design_2024"),
        ("class", "pksk new class_design"),
        ("random", "pksk new random_design"),
        ("pydantic", "pksk new pydantic_design"),
        ("pksk", "pksk new pksk_design"),
        ("conftest", "pksk new conftest_design"),
        ("ab", "pksk new ab_design"),
        ("apps/web shop", "pksk new web_shop --here apps"),
        ("größe", "pksk new gr_e_design"),
        ("_", "pksk new design"),
        ("x" * 200, f"pksk new {'x' * 93}"),
        ("", "pksk new design"),
        ("bakery.py", "pksk new bakery"),
    ],
)
def test_the_error_about_an_invalid_name_suggests_a_valid_one(name: str, fix: str) -> None:
    with pytest.raises(PkskError) as raised:
        check_name(name)

    assert raised.value.code == "new-name"
    if "gr" not in fix:
        assert raised.value.fix == fix
    assert check_name(raised.value.fix.split()[2])


def test_a_full_disk_leaves_no_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str, encoding: str) -> int:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(FileError, match="No space left on device"):
        write_folder(here / "bakery", {"bakery.py": "x = 1\n"})

    assert os.listdir(here) == []


def test_a_folder_that_another_process_creates_first_stays(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def slow(path: Path, text: str, encoding: str) -> int:
        (here / "bakery").mkdir(exist_ok=True)
        (here / "bakery" / "theirs").touch()
        return write(path, text, encoding)

    monkeypatch.setattr(Path, "write_text", slow)
    with pytest.raises(FileError, match="already exists"):
        write_folder(here / "bakery", {"bakery.py": "x = 1\n"})

    assert [os.listdir(here), os.listdir(here / "bakery")] == [["bakery"], ["theirs"]]


def test_an_interrupt_leaves_no_files(here: Path) -> None:
    interrupted = (
        "import os, signal\nfrom pathlib import Path\n"
        "Path.write_text = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)"
    )
    ran = pksk_process("new", "bakery", before=interrupted)

    assert (ran.code, ran.out, ran.err) == (128 + signal.SIGINT, "", "")
    assert os.listdir(here) == []
