"""Other tables of the desk: service types, users, settings, the print queue and the log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime

from pksk import Attribute, Delete, Entity, Get, Key, Put, Query, Scan, Table, access, between

from .services import Category, Usda

service_types = Table("svctypes", pk="svcTypeId", sk=None, discriminator=None)
users = Table("users", pk="userName", sk=None, discriminator=None)
settings = Table("settings", pk="name", sk=None, discriminator=None)
receipts = Table("receipts", pk="printer", sk="queuedAt", discriminator=None)
logs = Table("logs", pk="category", sk="loggedAt", discriminator=None)


class ServiceType(Entity, table=service_types, items=60):
    type_id: Annotated[str, Attribute("svcTypeId")]
    name: Annotated[str, Attribute("svcName")]
    category: Annotated[Category, Attribute("svcCat")]
    usda: Annotated[Usda, Attribute("svcUSDA")] = "NA"
    buttons: Annotated[Literal["Primary", "Secondary"], Attribute("svcBtns")] = "Primary"
    voucher: bool = False

    primary = Key("{type_id}")

    @access()
    @classmethod
    def one(cls, type_id: str) -> Get[ServiceType]:
        """A service type."""
        return cls.primary.get(type_id=type_id)

    @access(items=60)
    @classmethod
    def every(cls) -> Scan[ServiceType]:
        """All service types: a scan of a few dozen items, cheaper than any index."""
        return cls.scan()

    def described(self) -> dict[str, object]:
        """The fields that a service of this type copies."""
        return self.model_dump(exclude={"voucher"})


class User(Entity, table=users, items=100):
    user_name: Annotated[str, Attribute("userName")]
    role: str

    primary = Key("{user_name}")

    @access()
    @classmethod
    def one(cls, user_name: str) -> Get[User]:
        """A user."""
        return cls.primary.get(user_name=user_name)


class Setting(Entity, table=settings, items=50):
    name: str
    value: str = ""

    primary = Key("{name}")

    @access()
    @classmethod
    def one(cls, name: str) -> Get[Setting]:
        """A setting."""
        return cls.primary.get(name=name)


class Receipt(Entity, table=receipts):
    printer: str
    queued_at: Annotated[AwareDatetime, Attribute("at")]
    text: str

    primary = Key("{printer}", "{queued_at}")

    @access(items=3)
    @classmethod
    def waiting(cls, printer: str) -> Query[Receipt]:
        """The receipts that a printer still has to print, in order."""
        return cls.primary(printer=printer)

    @access()
    @classmethod
    def queue(cls, receipt: Receipt) -> Put[Receipt]:
        """Add a receipt."""
        return Put(receipt).if_absent()

    @access()
    @classmethod
    def printed(cls, printer: str, queued_at: datetime) -> Delete[Receipt]:
        """Remove a printed receipt."""
        return cls.primary.delete(printer=printer, queued_at=queued_at)


class LogEntry(Entity, table=logs):
    category: str
    logged_at: Annotated[AwareDatetime, Attribute("at")]
    message: str

    primary = Key("{category}", "{logged_at}")

    @access(
        items=200,
        example={"start": datetime(2022, 9, 1, tzinfo=UTC), "end": datetime(2022, 9, 2, tzinfo=UTC)},
    )
    @classmethod
    def within(cls, category: str, start: datetime, end: datetime) -> Query[LogEntry]:
        """The log of a category between two times."""
        return cls.primary(category=category, logged_at=between(start, end))
