"""What can go wrong at the desk, each with what the desk can do about it."""

from __future__ import annotations

from datetime import date

from .services import Service

__all__ = [
    "ClientInactive",
    "ClientUnknown",
    "FirstService",
    "NameMissing",
    "NotAVoucher",
    "NotBornYet",
    "PantryError",
    "ServiceUnknown",
    "TooManyWords",
    "TypeUnknown",
    "VoucherFilled",
    "VoucherTaken",
    "VoucherUnknown",
]


class PantryError(Exception):
    """The base of them."""


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


class NameMissing(PantryError):
    def __init__(self, written: str) -> None:
        super().__init__(f"{written!r} is no name. A client needs a given name and a family name.")


class TooManyWords(PantryError):
    def __init__(self, text: str, most: int) -> None:
        super().__init__(
            f"{text!r} has more than {most} words. Give the given name or the family name, a number or a date of birth."
        )


class NotBornYet(PantryError):
    def __init__(self, born: date) -> None:
        super().__init__(
            f"{born} is in the future, and nobody was born then. Look at the date of birth again."
        )


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


class VoucherUnknown(PantryError):
    def __init__(self, voucher: str) -> None:
        super().__init__(f"No voucher {voucher!r} waits: it was filled or struck out, or never given.")


class VoucherTaken(PantryError):
    """A number that waits already; `service` is the one that has it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        super().__init__(
            f"Voucher {service.fill_voucher!r} of client {service.client_id!r} waits already. "
            "Give another number, or strike out that one."
        )


class VoucherFilled(PantryError):
    """Somebody was quicker; `service` is as it is now."""

    def __init__(self, service: Service) -> None:
        self.service = service
        super().__init__(
            f"Voucher {service.fill_voucher!r} was filled by {service.filled_by} on {service.filled_at}."
        )
