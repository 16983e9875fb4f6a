"""People who do not exist: clients with their households, drawn so that names and places are as uneven as real ones."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from typing import Final

from .clients import Client

__all__ = ["new_client"]

_GIVEN: Final = (
    "Maria", "Jose", "Ana", "Juan", "Rosa", "Linh", "Minh", "Carlos", "Elena", "Luis",
    "Grace", "Amina", "Omar", "Fatima", "David", "Ruth", "Samuel", "Teresa", "Ivan", "Nadia",
)  # fmt: skip
_FAMILY: Final = (
    "Lopez", "Garcia", "Nguyen", "Tran", "Martinez", "Hernandez", "Smith", "Brown", "Santos", "Reyes",
    "Pham", "Flores", "Johnson", "Ali", "Okafor", "Silva", "Cruz", "Petrov", "Kim", "Chen", "Rivera",
)  # fmt: skip
_STREETS: Final = (
    "Oak",
    "Mill",
    "Station",
    "Church",
    "Garden",
    "River",
    "Hill",
    "Market",
    "Orchard",
    "School",
)
_POSTCODES: Final = ("40112", "40116", "40122", "40127", "40110", "40148", "40133")
_GROUPS: Final = ("Latino", "Asian", "White", "Black", "Pacific Islander", "Other")


def new_client(rng: Random, number: int, day: date) -> Client:
    """A client who comes for the first time on this day."""
    homeless = rng.random() < 0.06
    seniors = rng.choices((0, 1, 2), (75, 18, 7))[0]
    return Client(
        client_id=str(number),
        given_name=_common(rng, _GIVEN),
        family_name=_common(rng, _FAMILY),
        born=day - timedelta(days=rng.randint(18 * 365, 88 * 365)),
        ethnic_group=_common(rng, _GROUPS, 2),
        street="" if homeless else f"{rng.randint(1, 990)} {rng.choice(_STREETS)} Street",
        postcode=_common(rng, _POSTCODES, 2),
        homeless=homeless,
        adults=rng.choices((0 if seniors else 1, 1, 2, 3), (5, 45, 40, 10))[0],
        children=rng.choices((0, 1, 2, 3, 4), (40, 22, 20, 12, 6))[0],
        seniors=seniors,
        first_served=day,
    )


def _common(rng: Random, among: tuple[str, ...], skew: float = 1.3) -> str:
    """One of these, the first ones more often."""
    return among[int(len(among) * rng.random() ** skew)]
