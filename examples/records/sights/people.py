"""Users, settings, names, and the sequence."""

from __future__ import annotations

from ...tour import Tour
from ..people import Settings, User
from ..places import NameVariants
from ..sign_in import change_settings, sign_in
from ..table import ids
from .known import Known, alike, refused, same

__all__ = ["numbers", "people"]

_BLOCK = 500


def numbers(tour: Tour, known: Known) -> None:
    """Let the sequence go on where the data ends, and draw a block."""
    tour.section(
        "Numbers: all ids come from one item, which is the busiest of all; a block of them is one write"
    )
    tour.call(
        "The sequence goes on where the data ends", lambda db: db.reconcile(ids, known.last_id), known.last_id
    )
    block = range(known.last_id + 1, known.last_id + 1 + _BLOCK)
    tour.call(f"A block of {_BLOCK} numbers", lambda db: db.take(ids, _BLOCK), block)
    known.last_id = block[-1]


def people(tour: Tour, known: Known) -> None:
    """Sign in, for the first time and again; change the settings."""
    tour.section("People: whoever signs in is found by login, or made, and never twice")
    users = known.of(User)
    one = users[-1]
    tour.run(User.one(one.id), same(one))
    tour.run(User.logged_in(one.issuer, one.subject), alike([one]))
    tour.call("A user signs in", lambda db: sign_in(db, one.issuer, one.subject), same(one))
    new = User(
        id=known.next_id(),
        issuer="https://login.example.org/",
        subject="auth|new & old",
        email="n@example.org",
    )
    tour.call(
        "Somebody signs in for the first time",
        lambda db: sign_in(db, new.issuer, new.subject, new.email),
        same(new),
    )
    tour.call("And again", lambda db: sign_in(db, new.issuer, new.subject), same(new))
    settings = known.of(Settings)[0]
    read = tour.run(Settings.one(), same(settings))
    changed = settings.model_copy(update={"values": settings.values | {"language": "de"}})
    tour.call("A setting is changed", lambda db: change_settings(db, read, language="de"), same(changed))
    tour.call(
        "Somebody else changes what was read before that",
        refused(lambda db: change_settings(db, read, language="fr")),
        f"The settings {settings.name} was changed by somebody else since it was read.",
    )
    names = known.of(NameVariants)[0]
    tour.run(NameVariants.one(names.name, names.kind), same(names))
