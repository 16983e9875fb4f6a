"""The error about a damaged source has its position, and no table is left."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pksk import Engine
from pksk.errors import PkskError
from pksk.transfer import Export, import_table
from pksk.transfer.item_file import LONGEST_LINE

from .tables import exported, lines_of, md5, order, rewrite, shop

GOOD = [order(number) for number in range(4)]
KEYS = {"pk": "S", "number": "N"}


def _error_of(source: Path, **options: Any) -> PkskError:
    """The error of an import; the engine has no table afterwards."""
    engine = Engine.open()
    with pytest.raises(PkskError) as raised:
        import_table(engine, source, "copy", **options)

    assert engine.call("ListTables", {}) == {"TableNames": []}
    assert raised.value.expected
    assert raised.value.fix
    return raised.value


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return exported(shop(50), tmp_path / "out", segments=2)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_flipped_bit_in_an_export_is_found(export: Export, data: st.DataObject) -> None:
    paths = sorted(path for path in export.folder.rglob("*") if path.is_file() and path.stat().st_size)
    path = data.draw(st.sampled_from(paths))
    content = path.read_bytes()
    at, bit = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 7))
    changed = bytearray(content)
    changed[at] ^= 1 << bit
    path.write_bytes(changed)

    try:
        assert _error_of(export.folder).code in {"export-checksum", "export-manifest"}
    finally:
        path.write_bytes(content)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_truncated_file_of_an_export_is_found(export: Export, data: st.DataObject) -> None:
    paths = sorted(path for path in export.folder.rglob("*") if path.is_file() and path.stat().st_size)
    path = data.draw(st.sampled_from(paths))
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])

    try:
        assert _error_of(export.folder).code in {"export-checksum", "export-manifest"}
    finally:
        path.write_bytes(content)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_truncated_gzip_without_a_manifest_is_found(tmp_path: Path, data: st.DataObject) -> None:
    packed = gzip.compress(lines_of(*GOOD).encode(), mtime=0)
    file = tmp_path / "items.json.gz"
    file.write_bytes(packed[: data.draw(st.integers(2, len(packed) - 1))])
    error = _error_of(file, keys=KEYS)

    assert error.code == "file-gzip"
    assert re.search(r"items\.json\.gz, after line \d+: ", error.problem)


def test_bytes_after_gzip_data_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "items.json.gz"
    file.write_bytes(gzip.compress(lines_of(*GOOD).encode()) + b"more")

    assert _error_of(file, keys=KEYS).code == "file-gzip"


def test_a_file_with_fewer_items_than_its_manifest_raises(export: Export) -> None:
    lines = gzip.decompress(export.files[0].path.read_bytes()).splitlines(keepends=True)
    rewrite(export, b"".join(lines[1:]))
    path = export.folder / "manifest-files.json"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    entries[0]["md5Checksum"] = md5(export.files[0].path.read_bytes())
    path.write_text("\n".join(map(json.dumps, entries)))
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))
    error = _error_of(export.folder)

    assert error.code == "export-count"
    assert f"{len(lines) - 1} items, but its manifest says {len(lines)}" in error.problem


LINES = {
    "not JSON": ("file-json", b'{"Item": {"pk": }}'),
    "cut off": ("file-json", b'{"Item": {"pk": {"S": "a"}, "num'),
    "two on a line": ("file-json", b'{"Item": {}} {"Item": {}}'),
    "NaN": ("file-json", b'{"Item": NaN}'),
    "nested without end": ("file-json", b"[" * 100_000),
    "not UTF-8": ("file-encoding", b'{"Item": {"pk": {"S": "\xff"}}}'),
    "a name twice": ("file-repeated-name", b'{"Item": {"pk": {"S": "a"}, "pk": {"S": "b"}}}'),
    "no item": ("file-not-an-item", b"7"),
    "bare item": ("file-not-an-item", b'{"pk": {"S": "a"}, "number": {"N": "1"}}'),
    "array": ("file-not-an-item", b'[{"Item": {"pk": {"S": "a"}}}]'),
    "more than an item": ("file-not-an-item", b'{"Item": {"pk": {"S": "a"}}, "Keys": {}}'),
    "unknown type": ("file-item", b'{"Item": {"pk": {"St": "a"}}}'),
    "wrong content": ("file-item", b'{"Item": {"pk": {"S": 7}}}'),
    "many digits": ("file-item", b'{"Item": {"pk": {"S": "a"}, "number": {"N": "%s"}}}' % (b"7" * 39)),
    "empty set": ("file-item", b'{"Item": {"pk": {"S": "a"}, "x": {"SS": []}}}'),
    "lone surrogate": ("file-item", b'{"Item": {"pk": {"S": "\\ud800"}}}'),
    "not base64": ("file-item", b'{"Item": {"pk": {"S": "a"}, "x": {"B": "?"}}}'),
    "too large": ("file-item", b'{"Item": {"pk": {"S": "a"}, "x": {"S": "%s"}}}' % (b"x" * 409_600)),
    "no partition key": ("import-item", b'{"Item": {"number": {"N": "1"}}}'),
    "no sort key": ("import-item", b'{"Item": {"pk": {"S": "a"}}}'),
    "key of another type": ("import-item", b'{"Item": {"pk": {"N": "1"}, "number": {"N": "1"}}}'),
    "empty key": ("import-item", b'{"Item": {"pk": {"S": ""}, "number": {"N": "1"}}}'),
    "long key": ("import-item", b'{"Item": {"pk": {"S": "%s"}, "number": {"N": "1"}}}' % (b"k" * 2049)),
    "change": ("import-format", b'{"Keys": {"pk": {"S": "a"}}, "NewImage": {"pk": {"S": "a"}}}'),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("packed", [True, False])
def test_the_error_about_an_invalid_line_has_its_file_and_number(
    tmp_path: Path, name: str, packed: bool
) -> None:
    code, line = LINES[name]
    content = lines_of(*GOOD[:2]).encode() + line + b"\n" + lines_of(*GOOD[2:]).encode()
    file = tmp_path / ("items.json.gz" if packed else "items.json")
    file.write_bytes(gzip.compress(content) if packed else content)
    error = _error_of(file, keys=KEYS)

    assert error.code == code
    assert error.problem.startswith(f"{file}, line 3: ")


@pytest.mark.parametrize("name", [name for name, (code, _) in LINES.items() if code != "import-format"])
def test_an_invalid_line_can_be_skipped_and_is_reported(tmp_path: Path, name: str) -> None:
    code, line = LINES[name]
    file = tmp_path / "items.json"
    file.write_bytes(lines_of(*GOOD[:2]).encode() + line + b"\n" + lines_of(*GOOD[2:]).encode())
    imported = import_table(Engine.open(), file, "copy", keys=KEYS, skip_bad=True)

    assert (imported.items, imported.skipped) == (4, 1)
    assert [(each.line, each.problem.code) for each in imported.problems] == [(3, code)]


def test_the_error_about_a_repeated_name_has_the_name(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    file.write_bytes(b'{"Item": {"pk": {"S": "a"}, "x": {"S": "b"}, "y": {"S": "b"}, "x": {"S": "c"}}}\n')

    assert "'x'" in _error_of(file, keys=KEYS).problem


def test_at_most_twenty_invalid_lines_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    file.write_text("x\n" * 100 + lines_of(*GOOD))
    imported = import_table(Engine.open(), file, "copy", keys=KEYS, skip_bad=True)

    assert (imported.items, imported.skipped, len(imported.problems)) == (4, 100, 20)


def test_an_invalid_line_in_the_last_file_leaves_no_table(tmp_path: Path) -> None:
    for number, item in enumerate(GOOD):
        (tmp_path / f"{number}.json").write_text(lines_of(item))
    (tmp_path / "9.json").write_text("{")
    error = _error_of(tmp_path, keys=KEYS)

    assert error.problem.startswith(f"{tmp_path / '9.json'}, line 1: ")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("items.ion", b"$ion_1_0 {}", "Amazon Ion"),
        ("items.10n.gz", gzip.compress(b"", mtime=0), "Amazon Ion"),
        ("items.json", b"$ion_1_0 {Item:{id:1.}}", "Amazon Ion"),
        ("items.json.gz", gzip.compress(b"$ion_1_0 {Item:{id:1.}}", mtime=0), "Amazon Ion"),
        ("items.json", b"\xe0\x01\x00\xea\x00", "Amazon Ion"),
        ("items.json.zst", b"", "zstd"),
        ("items.csv", b"\x28\xb5\x2f\xfd\x00", "zstd"),
        ("items.txt", b"", "does not show its format"),
        ("items", b"", "does not show its format"),
    ],
)
def test_an_unsupported_format_raises(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    error = _error_of(tmp_path / name, keys=KEYS)

    assert error.code == "import-format"
    assert message in error.problem


def test_the_error_for_utf_16_says_so(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("pk,number\na,1\n", "utf-16")

    assert "UTF-16" in _error_of(tmp_path / "items.csv", keys=KEYS).problem


def test_an_endless_line_raises(tmp_path: Path) -> None:
    (tmp_path / "items.json").write_bytes(b'{"Item": {"pk": {"S": "' + b"x" * LONGEST_LINE)

    assert _error_of(tmp_path / "items.json", keys=KEYS).code == "file-endless"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_raises_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "items.json")

    assert _error_of(tmp_path / "items.json", keys=KEYS).code == "file-unreadable"


@pytest.mark.parametrize("content", ["", "\n\n", "pk,number\n"])
def test_a_file_without_items_raises(tmp_path: Path, content: str) -> None:
    name = "items.csv" if "," in content else "items.json"
    (tmp_path / name).write_text(content)

    assert _error_of(tmp_path / name, keys=KEYS).code == "file-empty"


def test_an_empty_folder_and_a_missing_one_raise(tmp_path: Path) -> None:
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / ".hidden").touch()

    assert _error_of(tmp_path / "exports", keys=KEYS).code == "file-empty"
    error = _error_of(tmp_path / "export", keys=KEYS)
    assert (error.code, error.fix) == ("file-missing", f"did you mean '{tmp_path / 'exports'}'?")
