"""Clients: a new one gets a number, and those who come again are found by what they say."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any, Final

from pksk import AlreadyExists, Put, Store

from ..clients import Client, client_numbers
from ..errors import FieldUnknown, NotBornYet, NumbersTaken, TooManyWords, check_year, checked_text, validated

__all__ = ["enrol", "find_clients"]

# Ten runs of words, each asked for as a given and as a family name.
_MOST_WORDS: Final = 4
_TRIES: Final = 3
# What else a desk fills in; the rest of a client is drawn, or kept by what the client is given.
_FORM: Final = (
    "ethnic_group", "street", "postcode", "status", "homeless", "adults", "children", "seniors"
)  # fmt: skip


def enrol(db: Store, given_name: str, family_name: str, born: date, **more: Any) -> Client:
    """A new client, with a number that nobody else gets; `more` are other fields of the form.

    Everything is checked before a number is drawn, so that a mistake in the form leaves no gap. Where the number is
    taken, as after clients were loaded, the counter is moved past those that are there.
    """
    form = _form(given_name, family_name, born, more)
    for _ in range(_TRIES):
        number = db.next(client_numbers)
        try:
            return db.create(form.model_copy(update={"client_id": str(number)}))
        except AlreadyExists:
            db.reconcile(client_numbers, max(number, _highest(db)))
    raise NumbersTaken(number)


def _form(given_name: str, family_name: str, born: date, more: dict[str, Any]) -> Client:
    for name in more:
        if name not in _FORM:
            raise FieldUnknown(name, _FORM)
    names = {
        "given_name": checked_text("given name", given_name),
        "family_name": checked_text("family name", family_name),
    }
    form = validated(Client, {"ethnic_group": "Other", **more, "client_id": "new", "born": born} | names)
    check_year(form.born)
    if form.born > date.today():
        raise NotBornYet(form.born)
    # Keys that are empty or too long, and what is too much for an item, are refused here.
    Put(form)
    return form


def _highest(db: Store) -> int:
    """The highest number in use, by a scan: only where a number was taken, which should not be."""
    numbers = (each.client_id for each in db.scan(Client.everyone()))
    return max((int(each) for each in numbers if each.isdecimal()), default=0)


def find_clients(db: Store, text: str) -> list[Client]:
    """Whoever a text is about: a number, a date of birth, or names of up to four words; the best matches first.

    Names are partition keys of two indexes, so each is asked for as a whole: there is no search by its beginning. A
    name may have several words, and which of them belong together nobody knows: so all that follow each other may.
    """
    words_given = text.split()
    if len(words_given) > _MOST_WORDS:
        raise TooManyWords(text, _MOST_WORDS)
    if len(words_given) == 1 and words_given[0].isdecimal():
        found = db.get(Client.one(words_given[0]))
        return [found] if found else []
    if len(words_given) == 1 and (day := _day(words_given[0])):
        return db.run(Client.born_on(day))
    matched: Counter[str] = Counter()
    once: dict[str, Client] = {}
    for name in _runs(words_given):
        for ask in (Client.with_given_name, Client.with_family_name):
            for client in db.iter(ask(name)):
                once[client.client_id] = client
                matched[client.client_id] += len(name.split())
    return sorted(once.values(), key=lambda each: (-matched[each.client_id], *_numbered(each.client_id)))


def _numbered(client_id: str) -> tuple[int, str]:
    """As numbers are ordered; who was given something else for a number stands among them."""
    return len(client_id), client_id


def _runs(words_given: list[str]) -> list[str]:
    """The words, one by one and as many as follow each other, each run once."""
    ends = range(1, len(words_given) + 1)
    return list(dict.fromkeys(" ".join(words_given[start:end]) for end in ends for start in range(end)))


def _day(word: str) -> date | None:
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None
