"""A pantry whose history is found by a scan, and whose indexes hold what nobody looks for."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import NaiveDatetime

from pksk import GSI, Attribute, Entity, F, Key, Put, Query, Scan, Table, access, between

services = Table(
    "services",
    sk=None,
    indexes=[
        GSI("by-year", pk="year", sk="time_and_id"),
        GSI("by-client", pk="client", sk="filled_and_id"),
        GSI("by-voucher", pk="voucher", sk="voucher_sort"),
        GSI("by-valid", pk="valid", sk="valid_sort"),
    ],
)
visits = Table("visits")


class Service(Entity, table=services, items=2_000_000):
    """A service under its own id, which nobody knows who looks for the history of a client."""

    service_id: str
    client_id: str
    at: NaiveDatetime
    filled: Annotated[date | None, Attribute("filledOn")] = None
    voucher: Annotated[bool, Attribute("isVoucher")] = False
    is_valid: bool = True

    primary = Key("{service_id}")
    by_year = Key("{at:%Y}", "{at:%Y-%m-%d}#{service_id}", index="by-year")
    filled_services = Key("CLIENT#{client_id}", "{filled}#{service_id}", index="by-client")
    vouchers = Key("VOUCHER#{voucher:yes/no}", "{service_id}", index="by-voucher")
    valid = Key("VALID#{is_valid:yes/no}", "{service_id}", index="by-valid")

    @access(rate=5, item_size=400)
    @classmethod
    def history(cls, client_id: str) -> Scan[Service]:
        return cls.scan().filter(F.client_id == client_id)

    @access(rate="20/day", items=9_000, item_size=400)
    @classmethod
    def of_year(cls, year: NaiveDatetime) -> Query[Service]:
        return cls.by_year(at=between(year, year.replace(month=12, day=31)))

    @access(rate=2, items=40, item_size=400)
    @classmethod
    def of_client(cls, client_id: str) -> Query[Service]:
        """Misses the services that were not filled, as they have no day in the key of the index."""
        return cls.filled_services(client_id=client_id)

    @access(rate="100/day", items=60, item_size=400)
    @classmethod
    def vouchers_to_fill(cls) -> Query[Service]:
        return cls.vouchers(voucher=True)

    @access(rate=1_500, item_size=400)
    @classmethod
    def add(cls, service: Service) -> Put[Service]:
        return Put(service)


class Visit(Entity, table=visits, items=2_000_000):
    client_id: str
    at: NaiveDatetime

    primary = Key("{client_id}", "{at:%Y-%m-%dT%H:%M}", one_per_bucket=("at",))

    @access(rate=2, items=10, item_size=200)
    @classmethod
    def last(cls, client_id: str) -> Query[Visit]:
        return cls.primary(client_id=client_id).reverse().limit(10)


FINDINGS = {
    ("warning", "too-little-capacity", "services"): "Scans of everything take more than any table may use.",
    (
        "error",
        "scan",
        "Service.history",
    ): "The client is known when the history is read, and the service id is not.",
    ("warning", "time-partition-key", "Service.by_year"): "All writes go to the key of the current year.",
    (
        "info",
        "left-out-of-index",
        "Service.filled_services",
    ): "An item without a part of the sort key is not in the index.",
    ("warning", "few-partition-keys", "Service.vouchers"): "Two values for all services.",
    (
        "warning",
        "could-be-sparse",
        "Service.vouchers",
    ): "An index of the vouchers that wait should hold those alone.",
    ("warning", "few-partition-keys", "Service.valid"): "Two values for all services.",
    ("warning", "unused-index", "services/by-valid"): "No report asks for valid services.",
    ("info", "local-time-in-key", "Visit.primary"): "A local time comes twice when clocks are set back.",
}
