"""An export is found in its folder, and one that is not whole is told from one that is."""

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


def _refused(folder: Path) -> PkskError:
    with pytest.raises(PkskError) as refused:
        list(open_export(folder).items())
    assert refused.value.expected
    assert refused.value.fix
    return refused.value


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


def test_an_export_of_aws_has_no_definition_and_is_read_all_the_same(export: Export) -> None:
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


def test_a_folder_without_an_export_is_refused(tmp_path: Path) -> None:
    assert _refused(tmp_path).code == "export-missing"
    assert _refused(tmp_path / "nothing").code == "export-missing"


def test_of_several_exports_one_must_be_named(tmp_path: Path, export: Export) -> None:
    second = exported(shop(), tmp_path / "out")
    refusal = _refused(tmp_path / "out")

    assert refusal.code == "export-several"
    assert export.name in refusal.expected
    assert str(second.folder) in refusal.fix
    assert open_export(second.folder) == second


@pytest.mark.parametrize("renamed", [True, False])
def test_an_unfinished_export_is_an_error(tmp_path: Path, export: Export, renamed: bool) -> None:
    (export.folder / "manifest-summary.json").unlink()
    if renamed:
        export.folder.rename(export.folder.with_name(f"{export.name}.unfinished"))

    assert _refused(tmp_path / "out").code == "export-unfinished"


def test_an_unfinished_export_beside_a_finished_one_is_ignored(tmp_path: Path, export: Export) -> None:
    (export.folder.parent / "01-a.unfinished" / "data").mkdir(parents=True)

    assert open_export(tmp_path / "out") == export


@pytest.mark.parametrize("name", ["manifest-summary", "manifest-files", "table"])
def test_a_manifest_that_was_changed_is_refused_by_its_checksum(export: Export, name: str) -> None:
    path = export.folder / f"{name}.json"
    path.write_text(path.read_text() + " ")
    refusal = _refused(export.folder)

    assert refusal.code == "export-checksum"
    assert f"{name}.json" in refusal.problem


@pytest.mark.parametrize("name", ["manifest-summary", "manifest-files", "table"])
@pytest.mark.parametrize("content", ["", "{", "[]", "7", '{"a": 1}', "\xff", "[" * 100_000])
def test_a_wrong_manifest_is_an_error(export: Export, name: str, content: str) -> None:
    path = export.folder / f"{name}.json"
    path.write_bytes(content.encode("latin-1"))
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))

    assert _refused(export.folder).code == "export-manifest"


@pytest.mark.parametrize("count", [6, 8, -7, "7", None, True, 7.0])
def test_a_count_that_is_not_that_of_the_files_is_refused(export: Export, count: object) -> None:
    _change(export.folder, "manifest-summary", itemCount=count)

    assert _refused(export.folder).code == "export-manifest"


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"outputFormat": "ION"}, "Amazon Ion"),
        ({"outputFormat": "PARQUET"}, "PARQUET is not a format"),
        ({"exportType": "INCREMENTAL_EXPORT"}, "incremental export"),
    ],
)
def test_an_export_that_pksk_does_not_read_is_refused(
    export: Export, members: dict[str, str], said: str
) -> None:
    _change(export.folder, "manifest-summary", **members)
    refusal = _refused(export.folder)

    assert refusal.code == "import-format"
    assert said in refusal.problem


def test_a_file_that_is_missing_is_refused_before_any_is_read(export: Export) -> None:
    export.files[1].path.unlink()

    with pytest.raises(PkskError) as refused:
        open_export(export.folder)
    assert refused.value.code == "export-manifest"
    assert export.files[1].path.name in refused.value.problem


def test_a_file_that_is_named_twice_is_refused(export: Export) -> None:
    path = export.folder / "manifest-files.json"
    first = path.read_text().splitlines()[0]
    path.write_text(f"{first}\n{first}\n")
    path.with_suffix(".md5").write_text(md5(path.read_bytes()))

    assert _refused(export.folder).code == "export-manifest"
