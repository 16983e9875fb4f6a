"""Users, settings, names, and the sequence."""

from __future__ import annotations

from ...tour import Tour
from ..expected import Expected, alike, error_of, same
from ..operations.people import change_settings, sign_in
from ..people import Settings, User
from ..places import NameVariants
from ..tables import ids

_BLOCK = 500


def sequence_steps(tour: Tour, expected: Expected) -> None:
    """Move the sequence past the data, and draw a block."""
    tour.section("Ids: all come from one item, which is the busiest of all; a block of them is one write")
    tour.call(
        "The sequence continues after the data",
        lambda db: db.reconcile(ids, expected.last_id),
        expected.last_id,
    )
    block = range(expected.last_id + 1, expected.last_id + 1 + _BLOCK)
    tour.call(f"A block of {_BLOCK} ids", lambda db: db.take(ids, _BLOCK), block)
    expected.last_id = block[-1]


def people_steps(tour: Tour, expected: Expected) -> None:
    """Sign in for the first time and again; change the settings."""
    tour.section("People: a user who signs in is found by login, or created, but never twice")
    users = expected.of(User)
    one = users[-1]
    tour.run(User.one(one.id), same(one))
    tour.run(User.logged_in(one.issuer, one.subject), alike([one]))
    tour.call("A user signs in", lambda db: sign_in(db, one.issuer, one.subject), same(one))
    new = User(
        id=expected.next_id(),
        issuer="https://login.example.org/",
        subject="auth|new & old",
        email="n@example.org",
    )
    tour.call("A new user signs in", lambda db: sign_in(db, new.issuer, new.subject, new.email), same(new))
    tour.call("They sign in again", lambda db: sign_in(db, new.issuer, new.subject), same(new))
    settings = expected.of(Settings)[0]
    read = tour.run(Settings.one(), same(settings))
    changed = settings.model_copy(update={"values": settings.values | {"language": "de"}})
    tour.call("A setting is changed", lambda db: change_settings(db, read, language="de"), same(changed))
    tour.call(
        "Changing it again as it was first read raises an error",
        error_of(lambda db: change_settings(db, read, language="fr")),
        f"The settings {settings.name} has changed since it was read.",
    )
    names = expected.of(NameVariants)[0]
    tour.run(NameVariants.one(names.name, names.kind), same(names))
