"""Reads and checks a price file."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NoReturn, TypeGuard

from pksk.capacity.prices import INCLUDED, PRICE_NAMES, Price, Prices, Region, Tariff
from pksk.dataclass import dataclass
from pksk.errors import FileError, did_you_mean, quote
from pksk.schema.description import TABLE_CLASSES

_EXAMPLE: Final = "storage_gb_month = 0.25"


def read_prices(path: str | Path | None) -> Prices:
    """The prices of a file; without a file, those included in pksk."""
    if path is None:
        return parse_prices((files("pksk.capacity") / "prices.toml").read_text("utf-8"), INCLUDED)
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):  # a device or a pipe may never end
            raise _unreadable(path, "it is a folder, a device or a pipe")
        return parse_prices(Path(path).read_bytes().decode("utf-8-sig"), str(path))
    except FileNotFoundError:
        _reject_missing(Path(path))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(
            "file-encoding",
            f"{path}, line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8.",
            expected="A price file is TOML, which is text in UTF-8.",
            fix="save the file as UTF-8.",
        ) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, f"it cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _unreadable(path: str | Path, problem: str) -> FileError:
    return FileError(
        "file-unreadable",
        f"{path}: {problem}.",
        expected="A price file is a regular, readable file.",
        fix="name the file itself, and check its permissions.",
    )


def parse_prices(text: str, file: str) -> Prices:
    r"""The prices that a text in TOML states."""
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError(
            "prices-toml",
            f"{file}: it is not TOML: {error}.",
            expected="A price file has a table for each region and class, as in [regions.us-east-1.standard].",
            fix="correct the line; the file included in pksk is an example.",
        ) from None
    return _Reader.of(data, file).prices(data)


@dataclass(frozen=True)
class _Reader:
    """Checks the prices of one file."""

    file: str
    as_of: date
    currency: str
    source: str

    @classmethod
    def of(cls, data: Mapping[str, Any], file: str) -> _Reader:
        names = ("as_of", "currency", "source", "regions")
        _check_names(file, "", data, names)
        as_of, currency = data.get("as_of"), data.get("currency")
        source = data.get("source", "")
        if not _is_date(as_of):
            _reject(
                file, "as_of", as_of, "It is the day that the prices are of.", "write as_of = 2026-01-31."
            )
        if not isinstance(currency, str) or not (
            currency.isascii() and currency.isupper() and len(currency) == 3
        ):
            _reject(file, "currency", currency, "It is three capital letters.", 'write currency = "USD".')
        if not isinstance(source, str):
            _reject(file, "source", source, "It is a text.", 'write source = "AWS price list".')
        return cls(file, as_of, currency, source)

    def prices(self, data: Mapping[str, Any]) -> Prices:
        regions = self._table("regions", data.get("regions"))
        read = {name: self._region(name, classes) for name, classes in regions.items()}
        return Prices(self.file, self.as_of, self.currency, read)

    def _region(self, name: str, value: object) -> Region:
        where = f"regions.{name}"
        classes = self._table(where, value)
        _check_names(self.file, where, classes, TABLE_CLASSES)
        tariffs = {word: self._tariff(name, word, rows) for word, rows in classes.items()}
        return Region(self.file, name, tariffs)

    def _tariff(self, region: str, table_class: str, value: object) -> Tariff:
        where = f"regions.{region}.{table_class}"
        rows = self._table(where, value)
        free = self._rows(f"{where}.free", self._table(f"{where}.free", rows.get("free", {})), "amount")
        paid = {name: row for name, row in rows.items() if name != "free"}
        prices = self._rows(where, paid, "price")
        return Tariff(self.file, region, table_class, self.currency, self.as_of, prices, free)

    def _rows(self, where: str, rows: Mapping[str, Any], value_name: str) -> dict[str, Price]:
        _check_names(self.file, where, rows, PRICE_NAMES)
        return {name: self._row(f"{where}.{name}", row, value_name) for name, row in rows.items()}

    def _row(self, where: str, row: object, value_name: str) -> Price:
        stated = row if isinstance(row, Mapping) else {value_name: row}
        _check_names(self.file, where, stated, (value_name, "certain", "source", "as_of"))
        certain = stated.get("certain", True)
        source, as_of = stated.get("source", self.source), stated.get("as_of", self.as_of)
        if not isinstance(certain, bool):
            _reject(self.file, f"{where}.certain", certain, "It is true or false.", "write certain = false.")
        if not isinstance(source, str):
            _reject(self.file, f"{where}.source", source, "It is a text.", "put it in quotes.")
        if not _is_date(as_of):
            _reject(self.file, f"{where}.as_of", as_of, "It is a day.", "write as_of = 2026-01-31.")
        key = f"{where}.{value_name}" if isinstance(row, Mapping) else where
        return Price(self._amount(key, stated.get(value_name)), certain, source, as_of)

    def _amount(self, key: str, value: object) -> Decimal:
        number = isinstance(value, int | Decimal) and not isinstance(value, bool)
        if number and (exact := Decimal(value)).is_finite() and exact >= 0:  # type: ignore[arg-type]
            return exact
        expected = "A price is a number, 0 or more, without quotes."
        _reject(
            self.file, key, value, expected, f"write it as in {_EXAMPLE}, or leave the line out if not known."
        )

    def _table(self, where: str, value: object) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        _reject(
            self.file, where, value, "It is a table.", "write [regions.us-east-1.standard] over its prices."
        )


def _is_date(value: object) -> TypeGuard[date]:
    return isinstance(value, date) and not isinstance(value, datetime)


def _reject(file: str, key: str, value: object, expected: str, fix: str) -> NoReturn:
    text = str(value) if isinstance(value, Decimal) else quote(value)
    problem = (
        f"{file}: {key} is missing." if value is None else f"{file}: {key} = {text} is not a value for it."
    )
    raise FileError("prices-value", problem, expected=expected, fix=fix)


def _check_names(file: str, where: str, file_names: Iterable[str], allowed: Iterable[str]) -> None:
    names = list(allowed)
    for name in file_names:
        if name not in names:
            near = did_you_mean(name, names)
            raise FileError(
                "prices-unknown-name",
                f"{file}: {where}{'.' if where else ''}{name} is not known.",
                expected=f"Names here are: {', '.join(names)}.",
                fix=f"did you mean {near!r}?" if near else "write one of these, or leave it out.",
            )


def _reject_missing(path: Path) -> NoReturn:
    names = os.listdir(path.parent) if path.parent.is_dir() else []
    near = did_you_mean(path.name, names)
    raise FileError(
        "file-missing",
        f"{path}: the file does not exist.",
        fix=f"did you mean {str(path.parent / near)!r}?" if near else "check the name and the folder.",
    ) from None
