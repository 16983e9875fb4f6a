"""Users, settings, and the sequence that every id comes from."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field, computed_field

from pksk import Attribute, Entity, Get, Key, Put, Query, Update, access

from .table import records


class User(Entity, table=records):
    """A user, known by who vouches for them and by what name; both as a query string, which has no ambiguity."""

    id: int
    issuer: str
    subject: str
    email: str | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def login(self) -> str:
        return urlencode({"iss": self.issuer, "sub": self.subject})

    primary = Key("{id}", "user")
    by_login = Key("user", "{login}", index="gsi_sk_altSort", codec="raw")

    @access()
    @classmethod
    def one(cls, user_id: int) -> Get[User]:
        """A user by id."""
        return cls.primary.get(id=user_id)

    @access(items=1)
    @classmethod
    def logged_in(cls, issuer: str, subject: str) -> Query[User]:
        """A user by login. The index may not know yet of one that was made just before."""
        return cls.by_login(login=urlencode({"iss": issuer, "sub": subject}))

    @access()
    @classmethod
    def add(cls, user: User) -> Put[User]:
        """A new user."""
        return Put(user).if_absent()


class Settings(Entity, table=records, items=1):
    name: str
    values: dict[str, str] = {}

    primary = Key("settings", "settings")
    by_kind = Key("settings", "{name}", index="gsi_sk_altSort", codec="raw")

    @access()
    @classmethod
    def one(cls) -> Get[Settings]:
        """The settings."""
        return cls.primary.get()


class Sequence(Entity, table=records, items=1):
    """The last number given. Every new thing adds to this one item, and so it is the busiest of all."""

    value: Annotated[int, Attribute("sequenceValue")] = 0

    primary = Key("sequence", "sequence")

    @access()
    @classmethod
    def take(cls, many: Annotated[int, Field(ge=1, le=10_000)] = 1) -> Update[Sequence]:
        """The next numbers, as many as are needed at once: those up to the value that comes back."""
        return cls.primary.update().add(value=many).upsert()
