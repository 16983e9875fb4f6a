"""Registers: the lines of old books, made up for a place and some years."""

from __future__ import annotations

from random import Random

from .names import GIVEN_NAMES, SURNAMES, often

__all__ = ["KINDS", "line"]

# What the collections are about, and how a line of each calls its day.
KINDS = {
    "Births": "born",
    "Marriages": "married",
    "Deaths": "died",
    "Census": "counted",
    "Burials": "buried",
    "Wills": "proved",
    "Passengers": "arrived",
    "Land": "granted",
    "Church": "baptised",
    "Military": "enlisted",
}


def line(random: Random, kind: str, place: str, year: int) -> dict[str, str]:
    """One line of a register of some kind, at a place and in a year."""
    surname = often(random, SURNAMES)
    told = {
        "given": often(random, GIVEN_NAMES),
        "surname": surname,
        KINDS[kind]: f"{year}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
        "place": place,
    }
    if kind in ("Births", "Church"):
        told |= {"father": f"{often(random, GIVEN_NAMES)} {surname}", "mother": often(random, GIVEN_NAMES)}
    if kind == "Marriages":
        told |= {"spouse": f"{often(random, GIVEN_NAMES)} {often(random, SURNAMES)}"}
    if kind in ("Deaths", "Burials", "Census"):
        told |= {"age": str(random.randint(0, 90))}
    return told
