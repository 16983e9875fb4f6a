"""Clients: a new one gets a number, and those who come again are found by what they say."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any, Final

from pksk import Store

from .clients import Client, client_numbers
from .errors import NotBornYet

__all__ = ["enrol", "find_clients"]

_MOST_WORDS: Final = 3


def enrol(db: Store, given_name: str, family_name: str, born: date, **more: Any) -> Client:
    """A new client, with a number that nobody else gets; `more` are other fields of a `Client`."""
    if born > date.today():
        raise NotBornYet(born)
    # Everything is checked before a number is drawn, so that a mistake in the form leaves no gap.
    form = Client.model_validate(
        {"ethnic_group": "Other", **more, "client_id": "new"}
        | {"given_name": given_name, "family_name": family_name, "born": born}
    )
    return db.create(form.model_copy(update={"client_id": str(db.next(client_numbers))}))


def find_clients(db: Store, text: str) -> list[Client]:
    """Whoever a text is about: a number, a date of birth, or up to three names; the best matches first.

    Names are partition keys of two indexes, so each is asked for as a whole: there is no search by its beginning.
    """
    words = text.split()[:_MOST_WORDS]
    if len(words) == 1 and words[0].isdecimal():
        found = db.get(Client.one(words[0]))
        return [found] if found else []
    if len(words) == 1 and (day := _day(words[0])):
        return db.run(Client.born_on(day))
    queries = [ask(word) for ask in (Client.with_given_name, Client.with_family_name) for word in words]
    hits = [client for query in queries for client in db.iter(query)]
    often = Counter(client.client_id for client in hits)
    once = {client.client_id: client for client in hits}
    return sorted(once.values(), key=lambda each: (-often[each.client_id], int(each.client_id)))


def _day(word: str) -> date | None:
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None
