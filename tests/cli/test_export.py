"""`pksk export`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pksk import Engine, Table
from pksk.transfer import open_export
from tests.cli.run_pksk import pksk, pksk_process, process_environment
from tests.cli.transfer_files import ORDERS, ROWS, fill


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    fill()
    return tmp_path


def test_an_export_prints_its_items_and_its_folder() -> None:
    ran = pksk("export", "orders", "exports")
    [folder] = Path("exports/AWSDynamoDB").iterdir()

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"table   orders\nitems   2 in 1 file\nbytes   53\nfolder  {folder}\n"
    assert list(open_export("exports").items()) == ROWS or list(open_export("exports").items()) == ROWS[::-1]


def test_an_export_as_json_names_its_files() -> None:
    document = json.loads(pksk("export", "orders", "exports", "--segments", "3", "--json").out)

    assert (document["table"], document["items"], document["unfinished"]) == ("orders", 2, [])
    assert len(document["files"]) == 3
    assert all(Path(file).is_file() for file in document["files"])


def test_the_folder_of_a_killed_export_is_shown() -> None:
    left = Path("exports/AWSDynamoDB/01-a.unfinished")
    left.mkdir(parents=True)
    ran = pksk("export", "orders", "exports")

    assert f"unfinished  {left}: an export that still runs or has failed\n" in ran.out
    assert json.loads(pksk("export", "orders", "exports", "--json").out)["unfinished"] == [str(left)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ordrs", "exports"], "Fix: did you mean 'orders'?"),
        (["zzz", "exports"], "Tables are: orders."),
        (["orders", "pksk.db"], "cannot be written to (it is a file)"),
        (["orders", "no/exports"], "there is no such folder"),
        (["orders", "exports", "--data", "psk.db"], "Fix: did you mean 'pksk.db'?"),
        (["orders", "exports", "--data", "notes.txt"], "pksk explain storage-not-sqlite"),
        (["orders", "exports", "--data", "."], "pksk explain storage-is-folder"),
        (["orders", "exports", "--segments", "0"], "pksk explain export-segments"),
        (["orders", "exports", "--segments", "x"], "'x' is not a valid integer"),
        (["orders"], "Missing argument 'FOLDER'"),
    ],
)
def test_an_invalid_export_leaves_no_files(arguments: list[str], message: str) -> None:
    Path("notes.txt").write_text("Milk, eggs, bread. " * 100)
    before = sorted(os.listdir())
    ran = pksk("export", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert sorted(os.listdir()) == before


def test_a_file_in_use_is_rejected() -> None:
    with Engine.open("pksk.db"):
        ran = pksk("export", "orders", "exports")

    assert (ran.code, ran.out) == (2, "")
    assert "pksk explain storage-in-use" in ran.err


def test_a_full_disk_is_reported_and_leaves_no_files() -> None:
    full = (
        "import errno, os\n"
        "def full(_): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        "os.fsync = full"
    )
    ran = pksk_process("export", "orders", "exports", before=full)

    assert (ran.code, ran.out) == (2, "")
    assert "exports' cannot be written to (No space left on device); nothing was left behind." in ran.err
    assert not Path("exports").exists()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_export_cannot_be_imported(sent: signal.Signals) -> None:
    """An interrupted export leaves no files; a killed one leaves files that are not an export."""
    slow = (
        "import time\nfrom importlib import import_module\ne = import_module('pksk.transfer.export_table')\n"
        "class Slow(e.DataFile):\n"
        "    def add(self, item):\n"
        "        super().add(item)\n"
        "        print('writing', flush=True)\n"
        "        time.sleep(60)\n"
        "e.DataFile = Slow\n"
    )
    start = f"{slow}\nimport sys; from pksk.cli import main; sys.exit(main(['export', 'orders', 'exports']))"
    with subprocess.Popen(
        [sys.executable, "-c", start],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(sent)
        process.communicate()

    if sent is signal.SIGINT:
        assert not Path("exports").exists()
        return
    ran = pksk("import", "exports", "copy")
    assert (ran.code, ran.out) == (2, "")
    assert re.search(r"exports/AWSDynamoDB/\S+\.unfinished' is not finished", ran.err)
    assert "unfinished  " in pksk("export", "orders", "exports").out


def test_with_json_an_error_is_a_document() -> None:
    ran = pksk("export", "ordrs", "exports", "--json")

    assert json.loads(ran.err)["error"]["code"] == "table-missing"


def test_a_large_table_is_exported_quickly() -> None:
    with Engine.open("pksk.db", durable=False) as engine:
        engine.call("CreateTable", Table("many", sk=None).create_request())
        for batch in range(100):
            puts = [{"PutRequest": {"Item": {"pk": {"S": f"{batch}-{n}"}}}} for n in range(25)]
            engine.call("BatchWriteItem", {"RequestItems": {"many": puts}})
    began = time.perf_counter()

    assert "items   2,500 in 4 files" in pksk("export", "many", "exports", "--segments", "4").out
    assert time.perf_counter() - began < 5
    assert ORDERS.name == "orders"
