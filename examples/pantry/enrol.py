"""Clients: a new one gets a number, and those who come again are found by what they say."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any, Final

from pksk import Put, Store

from .clients import Client, client_numbers
from .errors import NameMissing, NotBornYet, TooManyWords

__all__ = ["enrol", "find_clients"]

# Ten runs of words, each asked for as a given and as a family name.
_MOST_WORDS: Final = 4


def enrol(db: Store, given_name: str, family_name: str, born: date, **more: Any) -> Client:
    """A new client, with a number that nobody else gets; `more` are other fields of a `Client`."""
    if born > date.today():
        raise NotBornYet(born)
    # Everything is checked before a number is drawn, so that a mistake in the form leaves no gap.
    names = {"given_name": _name(given_name), "family_name": _name(family_name)}
    form = Client.model_validate(
        {"ethnic_group": "Other", **more, "client_id": "new"} | names | {"born": born}
    )
    Put(form)
    return db.create(form.model_copy(update={"client_id": str(db.next(client_numbers))}))


def find_clients(db: Store, text: str) -> list[Client]:
    """Whoever a text is about: a number, a date of birth, or names of up to four words; the best matches first.

    Names are partition keys of two indexes, so each is asked for as a whole: there is no search by its beginning. A
    name may have several words, and which of them belong together nobody knows: so all that follow each other may.
    """
    words = text.split()
    if len(words) > _MOST_WORDS:
        raise TooManyWords(text, _MOST_WORDS)
    if len(words) == 1 and words[0].isdecimal():
        found = db.get(Client.one(words[0]))
        return [found] if found else []
    if len(words) == 1 and (day := _day(words[0])):
        return db.run(Client.born_on(day))
    matched: Counter[str] = Counter()
    once: dict[str, Client] = {}
    for name in _runs(words):
        for ask in (Client.with_given_name, Client.with_family_name):
            for client in db.iter(ask(name)):
                once[client.client_id] = client
                matched[client.client_id] += len(name.split())
    return sorted(once.values(), key=lambda each: (-matched[each.client_id], int(each.client_id)))


def _name(written: str) -> str:
    """A name as it is looked for: one space between words, and at least one word."""
    name = " ".join(written.split())
    if not name:
        raise NameMissing(written)
    return name


def _runs(words: list[str]) -> list[str]:
    """The words, one by one and as many as follow each other, each run once."""
    ends = range(1, len(words) + 1)
    return list(dict.fromkeys(" ".join(words[start:end]) for end in ends for start in range(end)))


def _day(word: str) -> date | None:
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None
