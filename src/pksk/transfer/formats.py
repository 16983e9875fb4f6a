"""Which format a file of items is in, by its name and by its first bytes, and which ones are not read."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, NoReturn, TypeAlias

from pksk.errors import FileProblem, quote_path

from .layout import INCREMENTAL

__all__ = ["FORMATS", "GZIP", "Format", "format_of", "is_data_file", "refuse_bytes", "refuse_format"]

Format: TypeAlias = Literal["dynamodb-json", "csv"]
FORMATS: Final[tuple[Format, ...]] = ("dynamodb-json", "csv")

GZIP: Final = b"\x1f\x8b"
_BY_NAME: Final[dict[str, Format]] = {
    ".json": "dynamodb-json",
    ".jsonl": "dynamodb-json",
    ".ndjson": "dynamodb-json",
    ".csv": "csv",
    ".tsv": "csv",
}
_REFUSED: Final = {".ion": "ION", ".10n": "ION", ".zst": "ZSTD", ".zstd": "ZSTD"}
_BEGINNINGS: Final = {b"\xe0\x01\x00\xea": "ION", b"$ion": "ION", b"\x28\xb5\x2f\xfd": "ZSTD"}
_TOLD: Final = {
    "ION": (
        "it is in Amazon Ion, which pksk does not read",
        "export the table again as DYNAMODB_JSON (aws dynamodb export-table-to-point-in-time "
        "--export-format DYNAMODB_JSON).",
    ),
    "ZSTD": ("it is packed with zstd, which pksk does not unpack", "unpack it first: zstd -d FILE."),
    INCREMENTAL: (
        "it is an incremental export: the changes of a time, and not the items of a table",
        "export the whole table (--export-type FULL_EXPORT).",
    ),
}


def format_of(path: Path) -> Format:
    """The format that a file's name tells.

    Example:
        >>> format_of(Path("orders.csv.gz")), format_of(Path("orders.json"))
        ('csv', 'dynamodb-json')
    """
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in (".gz", ".gzip")]
    for ending in endings[-2:]:
        if ending in _REFUSED:
            refuse_format(path, _REFUSED[ending])
    found = _BY_NAME.get(endings[-1]) if endings else None
    if found is None:
        refuse_format(path, "")
    return found


def is_data_file(path: Path) -> bool:
    """Whether a file in a folder holds items: not one that is hidden, or begins with an underscore.

    Example:
        >>> is_data_file(Path(".DS_Store")), is_data_file(Path("_started")), is_data_file(Path("a.csv"))
        (False, False, True)
    """
    return not path.name.startswith((".", "_"))


def refuse_bytes(path: Path, first: bytes) -> None:
    """Refuse a file that begins as one in a format that is not read, whatever it is called."""
    found = _BEGINNINGS.get(first[:4])
    if found:
        refuse_format(path, found)


def refuse_format(path: Path, kind: str) -> NoReturn:
    """Say why a file or an export cannot be read."""
    reason, fix = _TOLD.get(kind, (f"{kind or 'what it holds'} is not a format that pksk reads", ""))
    if not kind:
        reason = "its name does not tell what it holds"
    raise FileProblem(
        "import-format",
        f"{quote_path(str(path))}: {reason}.",
        expected="Items are in DynamoDB JSON (.json, .jsonl) or CSV (.csv, .tsv), plain or packed with gzip (.gz).",
        fix=fix or "say which of them it is: --format dynamodb-json, or --format csv.",
    ) from None
