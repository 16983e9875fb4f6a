"""Finding an export in its folder, and recognising an incomplete one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pksk.errors import PkskError
from pksk.transfer import Export, open_export

from .tables import exported, md5, scanned, shop


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return exported(shop(), tmp_path / "out", segments=2)


def _error_of(folder: Path) -> PkskError:
    with pytest.raises(PkskError) as raised:
        list(open_export(folder).items())
    assert raised.value.expected
    assert raised.value.fix
    return raised.value


def _change(folder: Path, name: str, **members: object) -> None:
    """Change members of a manifest, with the checksum that belongs to it."""
    path = folder / f"{name}.json"
    found = json.loads(path.read_text()) | members
    path.write_text(json.dumps(found))
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))


def test_an_export_is_found_by_any_of_its_folders(tmp_path: Path, export: Export) -> None:
    for path in (
        tmp_path / "out",
        export.folder.parent,
        export.folder,
        export.folder / "manifest-summary.json",
    ):
        assert open_export(path) == export
        assert open_export(str(path)).folder == export.folder


def test_items_are_read_lazily(export: Export) -> None:
    items = export.items()
    first = next(items)
    shutil.rmtree(export.folder)

    assert first in scanned(shop(), "shop")


def test_an_export_of_aws_without_a_definition_is_read(export: Export) -> None:
    for name in ("table.json", "table.md5", "_started"):
        (export.folder / name).unlink()
    for name in ("manifest-summary", "manifest-files"):
        (export.folder / f"{name}.md5").rename(export.folder / f"{name}.checksum")
    found = open_export(export.folder)

    assert found.table is None
    assert len(list(found.items())) == 7


def test_an_export_with_a_prefix_is_found_by_the_names_of_its_files(export: Export) -> None:
    path = export.folder / "manifest-files.json"
    path.write_text(path.read_text().replace('"AWSDynamoDB/', '"2026-Nov/AWSDynamoDB/'))
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))

    assert len(list(open_export(export.folder).items())) == 7


def test_a_folder_without_an_export_raises(tmp_path: Path) -> None:
    assert _error_of(tmp_path).code == "export-missing"
    assert _error_of(tmp_path / "nothing").code == "export-missing"


def test_one_of_several_exports_must_be_named(tmp_path: Path, export: Export) -> None:
    second = exported(shop(), tmp_path / "out")
    error = _error_of(tmp_path / "out")

    assert error.code == "export-several"
    assert export.name in error.expected
    assert str(second.folder) in error.fix
    assert open_export(second.folder) == second


@pytest.mark.parametrize("renamed", [True, False])
def test_an_unfinished_export_is_an_error(tmp_path: Path, export: Export, renamed: bool) -> None:
    (export.folder / "manifest-summary.json").unlink()
    if renamed:
        export.folder.rename(export.folder.with_name(f"{export.name}.unfinished"))

    assert _error_of(tmp_path / "out").code == "export-unfinished"


def test_an_unfinished_export_beside_a_finished_one_is_ignored(tmp_path: Path, export: Export) -> None:
    (export.folder.parent / "01-a.unfinished" / "data").mkdir(parents=True)

    assert open_export(tmp_path / "out") == export


@pytest.mark.parametrize("name", ["manifest-summary", "manifest-files", "table"])
def test_a_changed_manifest_does_not_match_its_checksum(export: Export, name: str) -> None:
    path = export.folder / f"{name}.json"
    path.write_text(path.read_text() + " ")
    error = _error_of(export.folder)

    assert error.code == "export-checksum"
    assert f"{name}.json" in error.problem


@pytest.mark.parametrize("name", ["manifest-summary", "manifest-files", "table"])
@pytest.mark.parametrize("content", ["", "{", "[]", "7", '{"a": 1}', "\xff", "[" * 100_000])
def test_an_invalid_manifest_raises(export: Export, name: str, content: str) -> None:
    path = export.folder / f"{name}.json"
    path.write_bytes(content.encode("latin-1"))
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))

    assert _error_of(export.folder).code == "export-manifest"


@pytest.mark.parametrize("count", [6, 8, -7, "7", None, True, 7.0])
def test_a_count_that_differs_from_the_files_raises(export: Export, count: object) -> None:
    _change(export.folder, "manifest-summary", itemCount=count)

    assert _error_of(export.folder).code == "export-manifest"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"outputFormat": "ION"}, "Amazon Ion"),
        ({"outputFormat": "PARQUET"}, "PARQUET is not a format"),
        ({"exportType": "INCREMENTAL_EXPORT"}, "incremental export"),
    ],
)
def test_an_unsupported_export_raises(export: Export, members: dict[str, str], message: str) -> None:
    _change(export.folder, "manifest-summary", **members)
    error = _error_of(export.folder)

    assert error.code == "import-format"
    assert message in error.problem


def test_a_missing_file_raises_before_any_is_read(export: Export) -> None:
    export.files[1].path.unlink()

    with pytest.raises(PkskError) as raised:
        open_export(export.folder)
    assert raised.value.code == "export-manifest"
    assert export.files[1].path.name in raised.value.problem


def test_a_file_named_twice_raises(export: Export) -> None:
    path = export.folder / "manifest-files.json"
    first = path.read_text().splitlines()[0]
    path.write_text(f"{first}\n{first}\n")
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))

    error = _error_of(export.folder)
    assert error.code == "export-manifest"
    assert "line 2 repeats a file" in error.problem
