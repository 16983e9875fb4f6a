"""Users and settings: a first sign-in creates the user, never two."""

from __future__ import annotations

from pksk import ConditionFailed, Store, UniqueViolation

from ..errors import InvalidInput, Missing, error_of_write
from ..people import Settings, User
from ..tables import ids


def sign_in(db: Store, issuer: str, subject: str, email: str | None = None) -> User:
    """The user of a login, who is created if there is none.

    The index finds most of them. It may not have a user who was just created by another process or a double click.
    Then the login is already taken, and the error names the user who has it.
    """
    if not (issuer.strip() and subject.strip()):
        raise InvalidInput(f"A login has an issuer and a subject; these are {issuer!r} and {subject!r}.")
    user = db.first(User.logged_in(issuer, subject))
    if user is not None:
        return user
    try:
        return db.run(User.add(User(id=db.next(ids), issuer=issuer, subject=subject, email=email)))
    except UniqueViolation as taken:
        owner = int(taken.owner["pk"]["S"])
    stored = db.get(User.one(owner).consistently())
    if stored is None:
        raise Missing("user", owner)
    return stored


def change_settings(db: Store, read: Settings, **values: str) -> Settings:
    """Change some settings, unless they have changed since they were read."""
    try:
        return db.run(Settings.change(read.model_copy(update={"values": read.values | values})))
    except ConditionFailed as failed:
        raise error_of_write(failed, "settings", read.name) from failed
