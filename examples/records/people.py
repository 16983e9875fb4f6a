"""Users and settings."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import Field

from pksk import Entity, F, Get, Key, Put, Query, Unique, access

from .tables import LastUpdate, records


def login_of(issuer: str, subject: str) -> str:
    """The login of a user as a query string of issuer and subject: no single character is a safe separator."""
    return urlencode({"iss": issuer, "sub": subject})


def _login(fields: dict[str, Any]) -> str:
    return login_of(fields["issuer"], fields["subject"])


class User(Entity, table=records):
    """A user. The login is unique, which the index alone could not ensure, since it lags."""

    id: int
    issuer: str
    subject: str
    email: str | None = None
    login: Annotated[str, Unique()] = Field(default_factory=_login)

    primary = Key("{id}", "user")
    # pksk: accept constant-partition-key: few people contribute, and each login is one query
    by_login = Key("user", "{login}", index="gsi_sk_altSort", codec="raw")

    @access()
    @classmethod
    def one(cls, user_id: int) -> Get[User]:
        """A user by id."""
        return cls.primary.get(id=user_id)

    @access(items=1)
    @classmethod
    def logged_in(cls, issuer: str, subject: str) -> Query[User]:
        """A user by login. The index may not have one that was just created."""
        return cls.by_login(login=login_of(issuer, subject))

    @access()
    @classmethod
    def add(cls, user: User) -> Put[User]:
        """A new user."""
        return Put(user).if_absent()


class Settings(Entity, table=records, items=1):
    name: str
    values: dict[str, str] = {}
    last_update: LastUpdate = None

    primary = Key("settings", "settings", single_item=True)
    # pksk: accept unused-key: all entities are in this index, and there is one item
    by_kind = Key("settings", "{name}", index="gsi_sk_altSort", codec="raw")

    @access()
    @classmethod
    def one(cls) -> Get[Settings]:
        """The settings."""
        return cls.primary.get()

    @access()
    @classmethod
    def change(cls, settings: Settings) -> Put[Settings]:
        """Save changed settings, if they have not changed since they were read."""
        return Put(settings).when(F.name.exists() & (F.last_update == settings.last_update))
