"""Registers: the lines of old books, made up for a place and some years."""

from __future__ import annotations

from random import Random

from .names import GIVEN_NAMES, MEN, SURNAMES, WOMEN, often

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
    given = often(random, MEN if kind == "Military" else GIVEN_NAMES)
    told = {
        "given": given,
        "surname": surname,
        KINDS[kind]: f"{year}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
        "place": place,
    }
    if kind in ("Births", "Church"):
        told |= {"father": f"{often(random, MEN)} {surname}", "mother": often(random, WOMEN)}
    if kind == "Marriages":
        told |= {"spouse": f"{often(random, MEN if given in WOMEN else WOMEN)} {often(random, SURNAMES)}"}
    if kind in ("Deaths", "Burials", "Census"):
        told |= {"age": str(random.randint(0, 90))}
    return told
