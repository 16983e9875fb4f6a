"""Clients: enrol new ones with a number, and find known ones by number, name or date of birth."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any, Final

from pksk import AlreadyExists, Put, Store

from ..clients import Client, client_numbers
from ..errors import FieldUnknown, NotBornYet, NumbersTaken, TooManyWords, check_year, checked_text, validated

# Ten runs of words, each read as a given and as a family name.
_MOST_WORDS: Final = 4
_TRIES: Final = 3
# Other fields of the form; other fields of a client are generated, or set by services.
_FORM: Final = ("ethnic_group", "street", "postcode", "status", "homeless", "adults", "children", "seniors")


def enrol(db: Store, given_name: str, family_name: str, born: date, **more: Any) -> Client:
    """Enrol a new client with a unique number; `more` are other fields of the form.

    Everything is checked before a number is drawn, so that a mistake in the form leaves no gap. If the number is
    taken, for example after clients were loaded, the counter is moved past the existing ones.
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
    # Raises an error for empty or too long keys, and for an item that is too large.
    Put(form)
    return form


def _highest(db: Store) -> int:
    """The highest number in use, found by a scan; needed only in the rare case that a number is taken."""
    numbers = (each.client_id for each in db.scan(Client.everyone()))
    return max((int(each) for each in numbers if each.isdecimal()), default=0)


def find_clients(db: Store, text: str) -> list[Client]:
    """The clients that a text describes, best matches first.

    A text is a number, a date of birth, or up to four words of names. Names are partition keys of two indexes, so
    they can only be read as a whole, not by their beginning. A name may have several words, so all runs of
    consecutive words are tried.
    """
    words_given = text.split()
    if len(words_given) > _MOST_WORDS:
        raise TooManyWords(text, _MOST_WORDS)
    if len(words_given) == 1 and words_given[0].isdecimal():
        by_id = db.get(Client.one(words_given[0]))
        return [by_id] if by_id else []
    if len(words_given) == 1 and (day := _day(words_given[0])):
        return db.run(Client.born_on(day))
    matched: Counter[str] = Counter()
    once: dict[str, Client] = {}
    for name in _runs(words_given):
        for by_name in (Client.with_given_name, Client.with_family_name):
            for client in db.iter(by_name(name)):
                once[client.client_id] = client
                matched[client.client_id] += len(name.split())
    return sorted(once.values(), key=lambda each: (-matched[each.client_id], *_numbered(each.client_id)))


def _numbered(client_id: str) -> tuple[int, str]:
    """Orders client ids as numbers; ids that are not numbers sort among them by length."""
    return len(client_id), client_id


def _runs(words_given: list[str]) -> list[str]:
    """All runs of consecutive words, each once."""
    ends = range(1, len(words_given) + 1)
    return list(dict.fromkeys(" ".join(words_given[start:end]) for end in ends for start in range(end)))


def _day(word: str) -> date | None:
    try:
        return date.fromisoformat(word)
    except ValueError:
        return None
