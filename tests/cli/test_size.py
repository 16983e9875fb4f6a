"""`pksk size`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run_pksk import pksk, pksk_process

PLAIN = '{"pk": "CUST#1", "total": 12.50, "lines": [{"n": 1}]}'
WIRE = '{"pk": {"S": "CUST#3"}, "b": {"B": "AAE="}}'
EXPORT = '{"Item": {"pk": {"S": "CUST#2"}, "total": {"N": "9"}}}'
MIXED = f"{PLAIN}\n{EXPORT}\n{WIRE}\n"


def _document(*args: str, stdin: str | bytes = "") -> dict[str, Any]:
    ran = pksk("size", *args, "--json", stdin=stdin)
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def _sizes(stdin: str | bytes) -> list[tuple[int, str]]:
    return [(item["bytes"], item["form"]) for item in _document("-", stdin=stdin)["items"]]


def test_a_report_has_a_row_for_each_item_and_their_totals() -> None:
    assert pksk("size", "-", stdin=MIXED).out == (
        "item    bytes  read  eventual  tx read  write  tx write\n"
        "line 1     32     1       0.5        2      1         2  plain JSON\n"
        "line 2     15     1       0.5        2      1         2  DynamoDB JSON\n"
        "line 3     11     1       0.5        2      1         2  DynamoDB JSON\n"
        "\n"
        "items        3 (1 plain JSON, 2 DynamoDB JSON)\n"
        "bytes        58 in all, 19.3 on average\n"
        "largest      32 bytes (line 1)\n"
        "read units   3 strong, 1.5 eventual, 6 transactional, item by item\n"
        "write units  3 standard, 6 transactional, item by item\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        WIRE,
        json.dumps(json.loads(WIRE), indent=4),
        f"[{WIRE}]",
        f'{{"Item": {WIRE}}}',
        f'{{"Items": [{WIRE}], "Count": 1, "ScannedCount": 1, "ConsumedCapacity": null}}',
        "\ufeff" + WIRE,
    ],
)
def test_an_item_has_one_size_in_every_kind_of_file(text: str) -> None:
    assert _sizes(text) == [(11, "DynamoDB JSON")]


def test_gzip_is_unpacked_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    packed = gzip.compress(MIXED.encode())
    (tmp_path / "orders.jsonl.gz").write_bytes(packed)

    assert _document(str(tmp_path / "orders.jsonl.gz"))["total"] == _document("-", stdin=packed)["total"]


@pytest.mark.parametrize(
    ("item", "form"),
    [
        ('{"stock": {"S": 4}}', "plain JSON"),
        ('{"stock": {"S": 4, "M": 2}}', "plain JSON"),
        ('{"id": {"S": "a"}, "n": 5}', "plain JSON"),
        ('{"Item": {"name": "x"}}', "plain JSON"),
        ("{}", "plain JSON"),
        ('{"id": {"S": "a"}, "n": {"NULL": true}}', "DynamoDB JSON"),
    ],
)
def test_the_format_of_an_item_is_detected_from_its_values(item: str, form: str) -> None:
    assert [found for _, found in _sizes(item)] == [form]


def test_an_argument_can_be_an_item() -> None:
    assert _document('{"pk": "CUST#1"}')["items"][0]["source"] == "argument 1"


def test_items_of_several_files_have_the_name_of_their_file(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(PLAIN)

    out = pksk("size", str(tmp_path / "a.json"), str(tmp_path / "b.json")).out

    assert f"{tmp_path / 'b.json'}, line 1" in out
    assert "items        2 (2 plain JSON)" in out


def test_items_on_one_line_have_a_number() -> None:
    assert "line 1, item 2" in pksk("size", "-", stdin=f"[{PLAIN}, {PLAIN}]").out


def test_units_follow_the_size() -> None:
    item = _document("-", stdin=json.dumps({"a": "x" * 5000}))["items"][0]

    assert item["read_units"] == {"strong": 2.0, "eventual": 1.0, "transactional": 4.0}
    assert item["write_units"] == {"standard": 5.0, "transactional": 10.0}


def test_an_item_above_400_kb_is_marked() -> None:
    ran = pksk("size", "-", stdin=json.dumps({"a": "x" * 409_600}))

    assert ran.code == 0
    assert "! plain JSON; above 400 KB, DynamoDB rejects it" in ran.out
    assert "too large    1 above 400 KB (409,600 bytes), which DynamoDB rejects" in ran.out


def test_the_20_largest_of_many_items_are_printed() -> None:
    lines = "".join(json.dumps({"a": "x" * size}) + "\n" for size in range(50))

    document = _document("-", stdin=lines)

    assert [item["bytes"] for item in document["items"]] == list(range(50, 30, -1))
    assert (document["shows_all"], document["total"]["items"]) == (False, 50)
    assert "The largest 20 of 50 items (--all shows each):" in pksk("size", "-", stdin=lines).out


def test_20_items_are_all_printed_in_order() -> None:
    lines = "".join(json.dumps({"a": "x" * size}) + "\n" for size in range(20))

    document = _document("-", stdin=lines)

    assert document["shows_all"]
    assert [item["bytes"] for item in document["items"]] == list(range(1, 21))


@pytest.mark.parametrize("count", [50, 1500])
def test_all_prints_each_item_in_order(count: int) -> None:
    lines = "".join(json.dumps({"a": "x" * (size % 7)}) + "\n" for size in range(count))

    document = _document("-", "--all", stdin=lines)
    report = pksk("size", "-", "--all", stdin=lines).out

    assert [item["line"] for item in document["items"]] == list(range(1, count + 1))
    assert report.count("plain JSON\n") == count


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"", "file-empty", "there is no item in it"),
        (b"[]", "file-empty", "there is no item in it"),
        (b'{"a": 1}\n[2]', "file-not-an-item", "line 2: 2 is not an item"),
        (b'{"a": 1}\n{"b": "\xff"}', "file-encoding", "line 2: byte 0xff is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "file-encoding", "UTF-16"),
        (gzip.compress(MIXED.encode() * 99)[:-20], "file-gzip", "damaged or cut off"),
        (b'{"a": 1}\n{"a": 1,}', "file-json", "line 2"),
        (b'{"a": 1, "a": 2}', "file-repeated-name", "names 'a' twice"),
        (b'{"id": {"S": "a"}, "n": {"N": "many"}}', "file-item", "line 1: n: "),
        (b'{"id": {"S": "a"}, "n": {"N": 5}}', "file-item", "line 1: n: N holds 5"),
        (b'{"n": 123456789012345678901234567890123456789}', "file-item", "line 1: n: "),
    ],
)
def test_an_invalid_file_is_rejected_before_any_output(content: bytes, code: str, message: str) -> None:
    ran = pksk("size", "-", "--all", stdin=content)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("standard input")
    assert f"(pksk explain {code})" in ran.err
    assert message in ran.err


def test_the_error_about_a_missing_file_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "orders.jsonl").write_text(PLAIN)

    ran = pksk("size", str(tmp_path / "ordres.jsonl"))

    assert ran.code == 2
    assert f"did you mean '{tmp_path / 'orders.jsonl'}'?" in ran.err


def test_a_folder_is_rejected(tmp_path: Path) -> None:
    assert "(pksk explain file-unreadable)" in pksk("size", str(tmp_path)).err


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    line = json.dumps({"pk": {"S": "x" * 400}, "n": {"N": "5"}}) + "\n"
    (tmp_path / "long.jsonl").write_text(line * 60_000)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_DATA, (100_000_000, 100_000_000))"

    ran = pksk_process("size", "--all", str(tmp_path / "long.jsonl"), before=limit)

    assert (ran.code, ran.err) == (0, "")
    assert "items        60,000 (60,000 DynamoDB JSON)" in ran.out
