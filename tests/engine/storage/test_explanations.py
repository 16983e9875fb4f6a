"""The example in every explanation of a storage error raises that error."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from textwrap import dedent

import pytest

from pksk.engine import Engine, check_file
from pksk.engine.storage import SqliteStorage, open_storage
from pksk.engine.storage.sqlite.file import require_sqlite
from pksk.errors import FileError
from tests.engine.state.test_table_record import with_record_format
from tests.project.tree import PACKAGE

from .files import as_someone_else, cut_short, of_version

PAGE = (PACKAGE / "explanations" / "storage.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    Path("a-folder").mkdir()
    Path("of-someone-else").mkdir(mode=0o500)
    Path("notes.txt").write_text("Milk, eggs, bread. " * 100)
    cut_short(Path("cut-short.db"))
    of_version(Path("from-next-year.db"), 99)
    of_version(Path("from-long-ago.db"), 0)
    browser = sqlite3.connect("browser-history.db")
    browser.execute("CREATE TABLE visits (url TEXT)")
    browser.close()
    with_record_format(Path("from-another-version.db"), 99)


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize(("code", "section"), SECTIONS, ids=[code for code, _ in SECTIONS])
def test_every_example_raises_the_error_it_explains(code: str, section: str) -> None:
    example = dedent("\n".join(line for line in section.splitlines() if line.startswith("    ")))
    known: dict[str, object] = {
        "Engine": Engine,
        "check_file": check_file,
        "require_sqlite": require_sqlite,
        "open_storage": open_storage,
    }
    someone = as_someone_else() if code == "storage-permission" else as_someone_else(when=False)

    with pytest.raises(FileError) as raised, someone:
        exec(example, known)
    opened = known.get("first")
    if isinstance(opened, SqliteStorage):
        opened.close()

    assert raised.value.code == code
    assert raised.value.expected
    assert raised.value.fix
    assert re.search(r"^Fix: ", section, re.MULTILINE)
