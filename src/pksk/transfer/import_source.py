"""The source of an import: an export or files of items, and the definition of their table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import FileError, InvalidValue, did_you_mean, quote

from .csv_rows import DELIMITERS, read_csv
from .export import Export, open_export
from .export_files import DATA, ROOT, STARTED, SUMMARY
from .file_errors import missing_file_error, pipe_error, unreadable_file_error
from .item_checks import KeyRules, VectorRules
from .item_file import COMMA, FORMATS, ItemFile, format_of, is_data_file
from .json_lines import read_json
from .table_definition import TableDefinition

_SOURCES = "Items are in an export, in a folder of files, or in one file."


@dataclass(frozen=True)
class CsvOptions:
    """The delimiter and the column names of CSV, unless it has commas and a header line."""

    delimiter: str | None = None
    header: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ImportSource:
    """The files in their order, and the definition of their table if it is known."""

    path: Path
    files: tuple[ItemFile, ...]
    table: TableDefinition | None = None
    may_be_empty: bool = False

    @property
    def size_bytes(self) -> int:
        """The size of all files."""
        return sum(os.path.getsize(data.path) for data in self.files)


def open_source(path: Path, form: str | None, options: CsvOptions) -> ImportSource:
    """The files of a path, each with its format; raises an error if they cannot be read."""
    _check_options(form, options)
    if not os.path.lexists(path):
        raise missing_file_error(path, what="file or folder", expected=_SOURCES)
    if path.is_dir() and _is_export(path):
        return _export_source(open_export(path), path)
    if path.name == f"{SUMMARY}.json":
        return _export_source(open_export(path), path)
    if path.exists() and not (path.is_dir() or path.is_file()):
        raise pipe_error(path)
    paths = _files_in(path) if path.is_dir() else [path]
    files = tuple(_data(each, form, options) for each in paths)
    return ImportSource(path, files)


def _export_source(export: Export, path: Path) -> ImportSource:
    return ImportSource(path, export.files, export.table, may_be_empty=True)


def _is_export(path: Path) -> bool:
    is_started = (path / STARTED).exists() and (path / DATA).is_dir()
    return is_started or path.name == ROOT or (path / ROOT).is_dir() or (path / f"{SUMMARY}.json").exists()


def _files_in(folder: Path) -> list[Path]:
    try:
        files = sorted(each for each in folder.iterdir() if each.is_file() and is_data_file(each))
    except OSError as error:
        raise unreadable_file_error(str(folder), error) from None
    if not files:
        raise FileError(
            "file-empty",
            f"{folder}: there is no file of items in it.",
            expected=_SOURCES,
            fix="check the name of the folder.",
        )
    return files


def _data(path: Path, form: str | None, options: CsvOptions) -> ItemFile:
    known_form = next((each for each in FORMATS if each == form), None)
    file = ItemFile(path, known_form or format_of(path))
    if file.format != "csv":
        return file
    by_name = "\t" if ".tsv" in path.suffixes else COMMA
    return replace(file, delimiter=options.delimiter or by_name, header=options.header)


def _check_options(form: str | None, options: CsvOptions) -> None:
    if form is not None and form not in FORMATS:
        near = did_you_mean(form, FORMATS)
        raise InvalidValue(
            "import-option",
            f"{quote(form)} is not a format that pksk reads.",
            expected=f"Formats are: {', '.join(FORMATS)}.",
            fix=f"did you mean {quote(near)}?" if near else "use one of these, or leave the format out.",
        )
    if options.delimiter is not None and options.delimiter not in DELIMITERS:
        raise InvalidValue(
            "import-option",
            f"{quote(options.delimiter)} is not a delimiter.",
            expected=f"Delimiters are: {', '.join(DELIMITERS.values())}.",
            fix="use one of these.",
        )
    if options.header is not None:
        _check_header(options.header)


def _check_header(header: tuple[str, ...]) -> None:
    if not header or not all(header) or len(set(header)) != len(header):
        raise InvalidValue(
            "import-option",
            f"{quote(','.join(header))} is not a list of column names.",
            expected="A header has a name for each column, and no name twice.",
            fix="write each name once.",
        )


_TYPES = ("S", "N", "B")


def import_definition(
    source: ImportSource,
    table: str,
    keys: Mapping[str, str] | None,
    create: Mapping[str, Any] | None,
    existing: TableDefinition | None,
) -> TableDefinition:
    """The definition of the table of an import; raises an error if keys or definitions contradict each other."""
    _check_keys(keys)
    definitions = (
        existing,
        _requested_definition(create).with_name(table) if create is not None else None,
        source.table.with_name(table) if source.table else None,
        TableDefinition.of_keys(table, keys) if keys else None,
    )
    known = [each for each in definitions if each is not None]
    if not known:
        _reject_unknown(source, table)
    best = known[0]
    for other in known[1:]:
        if other.keys != best.keys:
            _reject_different(table, best, other, exists=existing is not None)
    _check_indexes(best)
    return best


def _requested_definition(create: Mapping[str, Any]) -> TableDefinition:
    definition = TableDefinition(dict(create))
    try:
        _ = definition.keys, definition.with_name("x").name
        fits = bool(definition.keys)
    except (LookupError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise InvalidValue(
            "import-keys",
            "This is not a CreateTable request: it does not define the keys of the table.",
            expected="A request has KeySchema and AttributeDefinitions, as that of Table(...).create_request().",
            fix="write such a request.",
        )
    return definition


def _check_indexes(definition: TableDefinition) -> None:
    try:
        KeyRules(definition)
        VectorRules(definition)
    except (LookupError, TypeError, AttributeError):
        raise InvalidValue(
            "import-keys",
            "This is not a CreateTable request: an index in it has no keys, or keys that are not defined.",
            expected="Each index has a name and a KeySchema, or a vector and its dimensions, and AttributeDefinitions "
            "has the type of each key attribute.",
            fix="write a request that CreateTable takes.",
        ) from None


def _check_keys(keys: Mapping[str, str] | None) -> None:
    if keys is None:
        return
    if not 1 <= len(keys) <= 2:
        raise InvalidValue(
            "import-keys",
            f"{quote(dict(keys))} has {len(keys)} attributes.",
            expected="A table has a partition key, or a partition key and a sort key.",
            fix='write one or two attributes and their types, such as {"pk": "S", "sk": "N"}.',
        )
    for name, kind in keys.items():
        if not name or kind not in _TYPES:
            near = did_you_mean(str(kind).upper(), _TYPES)
            raise InvalidValue(
                "import-keys",
                f"{quote(f'{name}:{kind}')} is not a key attribute and its type.",
                expected=f"A key is of type {', '.join(_TYPES[:-1])} or {_TYPES[-1]}.",
                fix=f"write {name or 'pk'}:{near or 'S'}.",
            )


def _reject_unknown(source: ImportSource, table: str) -> NoReturn:
    attributes = _first_attributes(source)
    raise InvalidValue(
        "import-keys",
        f"There is no table {quote(table)}, and {source.path} does not have its keys.",
        expected=f"The first item has: {attributes}." if attributes else "Only an export of pksk has them.",
        fix="write them, as in --key pk:S --sort sk:S, or create the table first.",
    )


def _first_attributes(source: ImportSource) -> str:
    """The attributes of the first item that can be keys."""
    data = source.files[0] if source.files else None
    if data is None:
        return ""
    rows = read_csv(data, data.lines(), {}) if data.format == "csv" else read_json(data.lines())
    item = next((row for _, row in rows), None)
    if not isinstance(item, dict):
        return ""
    typed = [(name, kind) for name, value in item.items() for kind in value]
    return ", ".join(f"{name}:{kind}" for name, kind in typed if kind in _TYPES)


def _reject_different(table: str, best: TableDefinition, other: TableDefinition, *, exists: bool) -> NoReturn:
    verb = "has" if exists else "would have"
    raise InvalidValue(
        "import-keys",
        f"Table {quote(table)} {verb} the keys {_keys_text(best)}, and not {_keys_text(other)}.",
        expected="The keys in the options, in the export and in the table are the same.",
        fix="leave --key and --sort out, or import into another table.",
    )


def _keys_text(definition: TableDefinition) -> str:
    return ", ".join(f"{name}:{kind}" for name, kind in definition.keys.items())
