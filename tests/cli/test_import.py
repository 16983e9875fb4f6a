"""`pksk import`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pksk import Engine
from tests.cli.run_pksk import pksk, process_environment
from tests.cli.transfer_files import ROWS, export_into, files, fill
from tests.transfer.tables import scanned

KEYS = ("--key", "customer:S", "--sort", "number:N")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files()
    return tmp_path


def _items(table: str, path: str = "pksk.db") -> list[object]:
    with Engine.open(path) as engine:
        return scanned(engine, table)


def test_an_export_of_pksk_needs_no_options() -> None:
    fill()
    export_into("exports")
    ran = pksk("import", "exports", "copy", "--data", "other.db")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "table  copy, created now\nitems  2 from 1 file\nbytes  53\n"
    assert _items("copy", "other.db") == ROWS


def test_csv_is_imported_with_its_keys_as_options() -> None:
    assert pksk("import", "orders.csv", "orders", *KEYS).code == 0
    assert _items("orders")[0] == {
        "customer": {"S": "ann"},
        "number": {"N": "1"},
        "total": {"S": "12.50"},
    }


def test_csv_with_another_delimiter_and_without_a_header_needs_options() -> None:
    Path("items.csv").write_text("ann|1\n")
    ran = pksk("import", "items.csv", "orders", *KEYS, "--delimiter", "pipe", "--header", "customer,number")

    assert ran.code == 0
    assert _items("orders") == [{"customer": {"S": "ann"}, "number": {"N": "1"}}]


def test_a_table_is_created_by_a_request_in_a_file() -> None:
    fill("source.db")
    with Engine.open("source.db") as engine:
        described = engine.call("DescribeTable", {"TableName": "orders"})["Table"]
    request = {name: described[name] for name in ("TableName", "KeySchema", "AttributeDefinitions")}
    Path("request.json").write_text(json.dumps({**request, "BillingMode": "PAY_PER_REQUEST"}))

    assert pksk("import", "orders.csv", "made", "--create", "request.json").code == 0
    assert len(_items("made")) == 2


def test_an_import_as_json_lists_skipped_lines() -> None:
    Path("items.json").write_text('{"Item": {"id": {"S": "a"}}}\nx\n')
    document = json.loads(pksk("import", "items.json", "orders", "--key", "id:S", "--skip-bad", "--json").out)

    assert (document["items"], document["skipped"], document["created"]) == (1, 1, True)
    assert [each["code"] for each in document["problems"]] == ["file-json"]


def test_skipped_lines_are_printed() -> None:
    Path("items.json").write_text('{"Item": {"id": {"S": "a"}}}\nx\ny\n')
    out = pksk("import", "items.json", "orders", "--key", "id:S", "--skip-bad").out

    assert "skipped  2 lines\n         items.json, line 2: not JSON" in out


def test_items_are_added_to_a_table_only_with_append() -> None:
    fill()
    export_into("exports")

    assert "pksk explain import-into" in pksk("import", "exports", "orders").err
    assert pksk("import", "exports", "orders", "--append").out.startswith("table  orders\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ordrs.csv", "orders"], "Fix: did you mean 'orders.csv'?"),
        (["orders.csv", "orders"], "The first item has: customer:S, number:S, total:S."),
        (["orders.csv", "orders", "--key", "customer"], "Fix: write --key customer:S."),
        (["orders.csv", "orders", "--key", "customer:str"], "Fix: write --key customer:S."),
        (["orders.csv", "orders", "--sort", "number:N"], "--sort needs --key"),
        (["orders.csv", "orders", "--key", "id:S"], "line 2: the item has no 'id'"),
        (["orders.csv", "x", *KEYS], "pksk explain service-rejected"),
        (["orders.csv", "orders", *KEYS, "--delimiter", "coma"], "'comma'"),
        (["orders.csv", "orders", *KEYS, "--format", "ion"], "'dynamodb-json'"),
        (["orders.csv", "orders", "--create", "no.json"], "no.json: there is no such file"),
        (["orders.csv", "orders", "--create", "orders.csv"], "orders.csv: not JSON"),
        (["orders.csv", "orders", "--create", "."], "cannot be read"),
        (["orders.ion", "orders", *KEYS], "Amazon Ion"),
        (["orders.csv", "orders", *KEYS, "--data", "no/pksk.db"], "pksk explain storage-folder-missing"),
        (["orders.csv", "orders", *KEYS, "--data", "orders.ion"], "pksk explain storage-not-sqlite"),
        (["orders.csv"], "Missing argument 'TABLE'"),
    ],
)
def test_an_invalid_import_creates_no_file(arguments: list[str], message: str) -> None:
    before = sorted(os.listdir())
    ran = pksk("import", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert sorted(os.listdir()) == before


def test_an_invalid_line_leaves_an_existing_database_unchanged() -> None:
    fill()
    Path("items.json").write_text('{"Item": {"id": {"S": "a"}}}\n' * 1000 + '{"Item":')
    ran = pksk("import", "items.json", "new", "--key", "id:S")

    assert "items.json, line 1001: not JSON" in ran.err
    with Engine.open("pksk.db") as engine:
        assert engine.call("ListTables", {}) == {"TableNames": ["orders"]}


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_import_can_be_restarted(sent: signal.Signals) -> None:
    lines = "".join(f'{{"Item": {{"id": {{"S": "{number}"}}}}}}\n' for number in range(60))
    Path("items.json").write_text(lines)
    slow = (
        "import time\nfrom importlib import import_module\ni = import_module('pksk.transfer.import_table')\n"
        "class Slow(i.BatchWriter):\n"
        "    def flush(self):\n"
        "        super().flush()\n"
        "        print('writing', flush=True)\n"
        "        time.sleep(60)\n"
        "i.BatchWriter = Slow\n"
        "import sys; from pksk.cli import main; sys.exit(main(['import', 'items.json', 'copy', '--key', 'id:S']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", slow],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=process_environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(sent)
        process.communicate()
    again = ["import", "items.json", "copy", "--key", "id:S"]

    if sent is signal.SIGINT:
        assert not Path("pksk.db").exists()
    else:
        ran = pksk(*again)
        assert (ran.code, ran.out) == (2, "")
        assert "comes from an import that was killed, and has 25 of its items." in ran.err
        again.append("--restart")
    assert pksk(*again).out.startswith("table  copy, created now\nitems  60 from 1 file\n")
    assert len(_items("copy")) == 60


def test_one_attribute_is_not_both_keys() -> None:
    ran = pksk("import", "orders.json", "orders", "--key", "id:S", "--sort", "id:S")

    assert ran.code == 2
    assert "--key and --sort both name 'id'" in ran.err
    assert not Path("pksk.db").exists()


def test_the_error_about_a_lower_case_type_suggests_the_upper_case_one() -> None:
    assert "Fix: write --key id:N." in pksk("import", "orders.json", "orders", "--key", "id:n").err
    assert "Fix: write --key n:S." in pksk("import", "orders.json", "orders", "--key", "n").err


def test_importing_into_memory_is_rejected() -> None:
    ran = pksk("import", "orders.json", "orders", "--key", "id:S", "--data", ":memory:")

    assert ran.code == 2
    assert "name a file" in ran.err
