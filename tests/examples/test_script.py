"""The script imports and reports, in memory, in a file and on an endpoint, and says what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from examples.script.design import Order, orders
from examples.script.report import BadFile, import_orders, main, report
from pksk import Store, Table
from pksk.server import Server
from tests.project.tree import ROOT

FILE = ROOT / "examples" / "data" / "orders.csv"
PRINTED = """\
4 orders imported
2026-03-02  bob        1     99.90  6" nails
2026-03-04  ann        2      3.00  call before noon, please
2026-03-05  cy         1      7.25
3 open orders: 110.15

                   uses  calls  consumed                              estimated
batch Order           1      1  8 write units (table 4, by-status 4)  8 write units (table 4, by-status 4)
Order.with_status     1      1  0.5 read units (by-status 0.5)        2 read units (by-status 2)
"""


@pytest.fixture
def pksk_tables() -> list[Table]:
    return [orders]


def test_the_file_is_imported_and_open_orders_are_reported(pksk_store: Store) -> None:
    imported = import_orders(pksk_store, FILE)

    assert imported == pksk_store.count(Order.scan()) == 4
    assert list(report(pksk_store)) == PRINTED.splitlines()[1:5]


def test_importing_twice_changes_nothing(pksk_store: Store) -> None:
    import_orders(pksk_store, FILE)
    before = list(report(pksk_store))

    import_orders(pksk_store, FILE)

    assert list(report(pksk_store)) == before


def test_the_script_runs_by_itself_in_memory() -> None:
    command = [sys.executable, "-Werror", "-m", "examples.script.report", str(FILE)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)

    assert (done.stdout, done.stderr) == (PRINTED, "")


def test_the_script_runs_on_a_file_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHOP_TARGET", str(tmp_path / "shop.db"))

    assert [main([str(FILE)]), main([str(FILE)])] == [0, 0]
    assert capsys.readouterr().out.count("3 open orders: 110.15") == 2


def test_the_script_runs_on_an_endpoint(
    pksk_server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHOP_TARGET", pksk_server.url)

    assert main([str(FILE)]) == 0
    assert capsys.readouterr().out == PRINTED


def test_errors_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [main([]), main([str(tmp_path / "none.csv")])] == [2, 1]
    errors = capsys.readouterr().err
    assert "usage" in errors
    assert "none.csv" in errors


HEAD = b"customer,number,day,status,total,note\n"
GOOD = b"ann,1,2026-03-02,open,9.50,\n"


@pytest.mark.parametrize(
    ("content", "messages"),
    [
        (HEAD + GOOD + b"ann,two,2026-03-02,open,9.50,\n", ("line 3:", "number", "two")),
        (
            HEAD + b'bob,1,2026-03-02,open,1,"two\nlines"\n' + b"bob,2,2026-03-02,lost,1,\n",
            ("line 4:", "status"),
        ),
        (HEAD + GOOD + GOOD + "zo\u00eb,1,2026-03-02,open,1,\n".encode("latin-1"), ("line 4:", "UTF-8")),
        (HEAD + GOOD + b"ann,12345678,2026-03-02,open,9.50,\n", ("line 3:", "number", "12345678")),
        (HEAD + GOOD + b'ann,2,2026-03-02,open,9.50,"open\n', ("line 3:", "unexpected end of data")),
    ],
    ids=["value", "after two lines", "not UTF-8", "key", "quote"],
)
def test_an_error_in_a_file_names_its_line_and_nothing_is_imported(
    content: bytes,
    messages: tuple[str, ...],
    tmp_path: Path,
    pksk_store: Store,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(content)

    assert main([str(bad)]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith(f"{bad}, ")
    assert [part for part in messages if part not in errors] == []
    with pytest.raises(BadFile):
        import_orders(pksk_store, bad)
    assert pksk_store.count(Order.scan()) == 0
