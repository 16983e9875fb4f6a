"""The people who book."""

from __future__ import annotations

from uuid import UUID

from pksk import Entity, Get, Key, Scan, access

from .tables import transactional

__all__ = ["User"]


class User(Entity, table=transactional, discriminator="user"):
    """A person. All stand in one partition, which a load of more than 3,000 reads a second would feel."""

    subject: UUID
    email: str | None = None
    phone: str | None = None

    primary = Key("user", "{subject}")

    @access()
    @classmethod
    def one(cls, subject: UUID) -> Get[User]:
        """A person."""
        return cls.primary.get(subject=subject)

    @access()
    @classmethod
    def every(cls) -> Scan[User]:
        """Everyone, to feed the search index anew: a scan, and it says so."""
        return cls.scan()
