"""What an import is given: an export, a folder of files, or one file."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from pksk.errors import FileProblem, InvalidValue, did_you_mean, quote, quote_path

from .csv_rows import DELIMITERS
from .data import COMMA, Data
from .definition import Definition
from .export import Export, open_export
from .formats import FORMATS, format_of, is_data_file
from .layout import DATA, ROOT, STARTED, SUMMARY

__all__ = ["CsvOptions", "Source", "open_source"]


@dataclass(frozen=True)
class CsvOptions:
    """How CSV is written, where it is not with commas and a line of names."""

    delimiter: str | None = None
    header: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Source:
    """The files to read in their order, and the definition of their table where it is known."""

    path: Path
    files: tuple[Data, ...]
    table: Definition | None = None
    may_be_empty: bool = False

    @property
    def size_bytes(self) -> int:
        """How much there is to read."""
        return sum(os.path.getsize(data.path) for data in self.files)


def open_source(path: Path, form: str | None, options: CsvOptions) -> Source:
    """The files that a path stands for, each with its format; what cannot be read is refused."""
    _check_options(form, options)
    if not os.path.lexists(path):
        _refuse_missing(path)
    if path.is_dir() and _is_export(path):
        return _of_export(open_export(path), path)
    if path.name == f"{SUMMARY}.json":
        return _of_export(open_export(path), path)
    if path.exists() and not (path.is_dir() or path.is_file()):
        _refuse_flowing(path)
    found = _files_in(path) if path.is_dir() else [path]
    files = tuple(_data(each, form, options) for each in found)
    return Source(path, files)


def _of_export(export: Export, path: Path) -> Source:
    return Source(path, export.files, export.table, may_be_empty=True)


def _is_export(path: Path) -> bool:
    begun = (path / STARTED).exists() and (path / DATA).is_dir()
    return begun or path.name == ROOT or (path / ROOT).is_dir() or (path / f"{SUMMARY}.json").exists()


def _files_in(folder: Path) -> list[Path]:
    try:
        found = sorted(each for each in folder.iterdir() if each.is_file() and is_data_file(each))
    except OSError as error:
        raise FileProblem(
            "file-unreadable",
            f"{folder}: it cannot be read ({error.strerror or error}).",
            expected="A folder of items is one that you may read.",
            fix="check its permissions.",
        ) from None
    if not found:
        raise FileProblem(
            "file-empty",
            f"{folder}: there is no file of items in it.",
            expected="Items are in an export, in a folder of files, or in one file.",
            fix="check the name of the folder.",
        )
    return found


def _data(path: Path, form: str | None, options: CsvOptions) -> Data:
    told = next((each for each in FORMATS if each == form), None)
    found = Data(path, told or format_of(path))
    if found.format != "csv":
        return found
    by_name = "\t" if ".tsv" in path.suffixes else COMMA
    return replace(found, delimiter=options.delimiter or by_name, header=options.header)


def _check_options(form: str | None, options: CsvOptions) -> None:
    if form is not None and form not in FORMATS:
        near = did_you_mean(form, FORMATS)
        raise InvalidValue(
            "import-option",
            f"{quote(form)} is not a format that is read.",
            expected=f"Formats are: {', '.join(FORMATS)}.",
            fix=f"did you mean {quote(near)}?" if near else "give one of these, or none.",
        )
    if options.delimiter is not None and options.delimiter not in DELIMITERS:
        raise InvalidValue(
            "import-option",
            f"{quote(options.delimiter)} is not a delimiter.",
            expected=f"Columns are divided by one of: {', '.join(DELIMITERS.values())}.",
            fix="give one of these.",
        )
    if options.header is not None:
        _check_header(options.header)


def _check_header(header: tuple[str, ...]) -> None:
    if not header or not all(header) or len(set(header)) != len(header):
        raise InvalidValue(
            "import-option",
            f"{quote(','.join(header))} does not name columns.",
            expected="A header has a name for each column, and no name twice.",
            fix="name each column once.",
        )


def _refuse_flowing(path: Path) -> NoReturn:
    raise FileProblem(
        "file-unreadable",
        f"{path}: it is a pipe or a device.",
        expected="A file of items is a regular file, since it is read twice: checked first, and then written.",
        fix="write what comes out of it to a file, and import that.",
    )


def _refuse_missing(path: Path) -> NoReturn:
    names = os.listdir(path.parent) if path.parent.is_dir() else []
    near = did_you_mean(path.name, names)
    raise FileProblem(
        "file-missing",
        f"{path}: there is no such file or folder.",
        expected="Items are in an export, in a folder of files, or in one file.",
        fix=f"did you mean {quote_path(str(path.parent / near))}?"
        if near
        else "check the name and the folder.",
    )
