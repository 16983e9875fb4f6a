"""The errors of the desk, with what the desk can do about each, and the checks of its forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from pksk.errors import did_you_mean

from .services import Service


class PantryError(Exception):
    """The base class of all errors here."""


class ClientUnknown(PantryError):
    def __init__(self, client_id: str) -> None:
        super().__init__(
            f"There is no client {client_id!r}. Look for a name or a date of birth, or enrol them."
        )


class ClientInactive(PantryError):
    def __init__(self, client_id: str) -> None:
        super().__init__(f"Client {client_id!r} is inactive. Save the client as active first.")


class TypeUnknown(PantryError):
    def __init__(self, type_id: str) -> None:
        super().__init__(f"There is no service of the type {type_id!r}.")


class NotAVoucher(PantryError):
    def __init__(self, type_id: str, *, voucher: str | None) -> None:
        wrong = "is given by voucher, and has no number" if voucher is None else "needs no voucher"
        super().__init__(f"A service of the type {type_id!r} {wrong}.")


class EmptyText(PantryError):
    def __init__(self, what: str, written: str) -> None:
        super().__init__(f"{written!r} is not a {what}. Write at least one letter or digit.")


class FieldUnknown(PantryError):
    def __init__(self, name: str, known: Sequence[str]) -> None:
        near = did_you_mean(name, known)
        meant = f" Did you mean {near!r}?" if near else ""
        super().__init__(f"The form of a client has no {name!r}.{meant} It has: {', '.join(known)}.")


class FieldWrong(PantryError):
    """Values that a form does not accept, each with its field and the reason."""

    def __init__(self, problems: Iterable[tuple[str, object, str]]) -> None:
        messages = (f"{name.replace('_', ' ')} cannot be {value!r}: {why}." for name, value, why in problems)
        super().__init__(" ".join(messages))


class YearOutOfRange(PantryError):
    def __init__(self, when: date | int, first: int, last: int) -> None:
        super().__init__(f"{when} is out of range. Give a year from {first} to {last}.")


class SpanReversed(PantryError):
    def __init__(self, first: date, last: date) -> None:
        super().__init__(f"From {first} to {last} there is no day. Give the earlier date first.")


class NumbersTaken(PantryError):
    def __init__(self, number: int) -> None:
        super().__init__(
            f"The number {number} of a new client is taken again: others assign numbers by hand. "
            "Enrol again when they are done."
        )


class TooManyWords(PantryError):
    def __init__(self, text: str, most: int) -> None:
        super().__init__(
            f"{text!r} has more than {most} words. Give the given name or the family name, a number or a date of birth."
        )


class NotBornYet(PantryError):
    def __init__(self, born: date) -> None:
        super().__init__(f"{born} is in the future. Check the date of birth.")


class FirstService(PantryError):
    def __init__(self, service: Service) -> None:
        super().__init__(
            f"Service {service.service_id!r} is the first food of client {service.client_id!r}. "
            "Strike it out and check in again, so that another one becomes the first."
        )


class ServiceUnknown(PantryError):
    def __init__(self, client_id: str, service_id: str) -> None:
        super().__init__(
            f"Client {client_id!r} has no service {service_id!r} there. It may have been moved or struck out: "
            "look at the history again."
        )


class AlreadyEntered(PantryError):
    """A check-in that was sent before, or a service id that was used before."""

    def __init__(self, service_id: str, client_id: str, at: datetime) -> None:
        super().__init__(
            f"Service {service_id!r} was entered before, for client {client_id!r} at {at:%Y-%m-%dT%H:%M}. "
            "If that is another one, give another id."
        )


class ChangedMeanwhile(PantryError):
    def __init__(self, service: Service) -> None:
        super().__init__(
            f"Service {service.service_id!r} of client {service.client_id!r}, or the first food of this client, is "
            "being changed by others. Look at the history, and try again."
        )


class VoucherUnknown(PantryError):
    def __init__(self, voucher: str) -> None:
        super().__init__(f"No voucher {voucher!r} waits: it was filled or struck out, or never given.")


class VoucherTaken(PantryError):
    """A voucher with this number waits already; `service` has it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        super().__init__(
            f"Voucher {service.fill_voucher!r} of client {service.client_id!r} waits already. "
            "Give another number, or strike out that one."
        )


class VoucherFilled(PantryError):
    """The voucher was filled before; `service` is its current state."""

    def __init__(self, service: Service) -> None:
        self.service = service
        super().__init__(
            f"Voucher {service.fill_voucher!r} was filled by {service.filled_by} on {service.filled_at}."
        )


class FilledBeforeIssued(PantryError):
    def __init__(self, service: Service, issued: datetime, filled: datetime) -> None:
        super().__init__(
            f"Voucher {service.fill_voucher!r} of {issued:%Y-%m-%dT%H:%M} cannot be filled before that, on "
            f"{filled:%Y-%m-%dT%H:%M}. Look at both times again."
        )


M = TypeVar("M", bound=BaseModel)

_YEARS: Final = range(1900, 9999)


def validated(kind: type[M], values: Mapping[str, Any]) -> M:
    """A model of these values; raises `FieldWrong` with the values that it does not accept."""
    try:
        return kind.model_validate(values)
    except ValidationError as wrong:
        problems = [(".".join(map(str, each["loc"])), each["input"], each["msg"]) for each in wrong.errors()]
        raise FieldWrong(problems) from wrong


def checked_text(what: str, written: str) -> str:
    """A text with single spaces between words; raises `EmptyText` if there is no word."""
    text = " ".join(written.split())
    if not text:
        raise EmptyText(what, written)
    return text


def check_year(when: date | int) -> None:
    """Raise an error for an implausible year."""
    if (when if isinstance(when, int) else when.year) not in _YEARS:
        raise YearOutOfRange(when, _YEARS[0], _YEARS[-1])


def check_span(first: date, last: date) -> None:
    """Raise an error for a span that ends before it begins: its report would be empty and look like a quiet time."""
    if first > last:
        raise SpanReversed(first, last)
