"""Generated data: the desk, then visit by visit through the years, always the same."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Final

from pksk import Entity

from .clients import Client
from .desk import LogEntry, Receipt, ServiceType, Setting, User
from .services import Category, Service

LAST_DAY: Final = date(2022, 12, 30)

SERVICE_TYPES: Final = (
    ServiceType(type_id="food-1", name="Food", category="Food_Pantry", usda="USDA"),
    ServiceType(type_id="food-2", name="Food, second visit", category="Food_Pantry", usda="NonUSDA"),
    ServiceType(type_id="food-3", name="Food, emergency", category="Food_Pantry", usda="Emergency"),
    ServiceType(type_id="clothes", name="Clothes", category="Clothes_Closet"),
    ServiceType(type_id="diapers", name="Diapers", category="Clothes_Closet", buttons="Secondary"),
    ServiceType(type_id="card", name="Card replaced", category="Administration", buttons="Secondary"),
    ServiceType(type_id="school", name="School bag", category="Back_To_School", voucher=True),
    ServiceType(type_id="turkey", name="Turkey", category="Thanksgiving", voucher=True),
    ServiceType(type_id="toys", name="Toys", category="Christmas", voucher=True),
)
_USERS: Final = ("ann", "bob", "carmen", "dung", "eva")
_OFTEN: Final[dict[Category, int]] = {"Food_Pantry": 76, "Clothes_Closet": 20, "Administration": 4}
_SEASONS: Final[dict[int, tuple[Category, float]]] = {
    8: ("Back_To_School", 0.15),
    11: ("Thanksgiving", 0.25),
    12: ("Christmas", 0.4),
}
_DAYS_TO_FILL: Final = 6
# Of which 60,000 are services.
_ITEMS_A_YEAR: Final = 65_000
_VISITS_A_CLIENT: Final = 12


def generate(items: int) -> Iterator[Entity]:
    """So many entities, always the same; a client comes before their services."""
    desk = [*SERVICE_TYPES, *_desk()]
    yield from desk
    yield from _visits(items - len(desk))


def _desk() -> Iterator[Entity]:
    yield from (User(user_name=name, role="desk" if name != "ann" else "admin") for name in _USERS)
    yield Setting(name="openingHours", value="Mon-Fri 9:00-15:00")
    morning = datetime.combine(LAST_DAY, time(9), UTC)
    for number, name in enumerate(_USERS):
        yield LogEntry(category="login", logged_at=morning + timedelta(minutes=number), message=name)
    for number in range(3):
        yield Receipt(printer="desk-1", queued_at=morning + timedelta(minutes=5 * number), text="Food")


def _visits(items: int) -> Iterator[Entity]:
    """Visits in order of time; some are of new clients, the others of known ones, some of which come often."""
    rng = Random(2022)
    days = _open_days(max(2, round(items / _ITEMS_A_YEAR)))
    known: list[Client] = []
    count = 0
    while count < items:
        at = datetime.combine(days[count * len(days) // items], time(9)) + timedelta(
            minutes=rng.randrange(360)
        )
        new = not known or (rng.random() < 1 / _VISITS_A_CLIENT and count < items - 1)
        if new:
            known.append(new_client(rng, len(known) + 1, at.date()))
            yield known[-1]
        client = known[-1] if new else known[int(len(known) * rng.random() ** 1.3)]
        yield _service(rng, client, at, new=new)
        count += 2 if new else 1


def _service(rng: Random, client: Client, at: datetime, *, new: bool) -> Service:
    kind = SERVICE_TYPES[0] if new else _kind(rng, at.date())
    waited = at + timedelta(days=rng.randint(1, _DAYS_TO_FILL))
    filled = kind.voucher and rng.random() < 0.9 and waited.date() <= LAST_DAY
    service = Service(
        **client.household().model_dump(),
        client_id=client.client_id,
        at=at,
        service_id=f"c{rng.getrandbits(96):024x}",
        category=kind.category,
        type_id=kind.type_id,
        name=kind.name,
        buttons=kind.buttons,
        usda=kind.usda,
        first=new,
        valid=new or rng.random() > 0.01,
        items=max(1, client.individuals) if kind.voucher else 1,
        served_by=rng.choice(_USERS),
        fill_pending="PENDING" if kind.voucher and not filled else None,
        fill_voucher=f"V{rng.randrange(10**8):08d}" if kind.voucher else None,
        filled_at=waited if filled else None,
        filled_by=rng.choice(_USERS) if filled else None,
        filled_items=max(1, client.individuals) if filled else None,
    )
    return service if service.valid else service.model_copy(update={"fill_pending": None})


def _kind(rng: Random, day: date) -> ServiceType:
    category, share = _SEASONS.get(day.month, ("Food_Pantry", 0.0))
    # Vouchers are given only if they can be filled before the feast.
    if rng.random() >= share or day + timedelta(days=_DAYS_TO_FILL) >= _feast(day):
        category = rng.choices(list(_OFTEN), list(_OFTEN.values()))[0]
    kinds = [each for each in SERVICE_TYPES if each.category == category]
    return kinds[int(len(kinds) * rng.random() ** 2)]


def _feast(day: date) -> date:
    """The end of a month's season: the first of September, the fourth Thursday of November, Christmas."""
    if day.month == 11:
        return date(day.year, 11, 22 + (3 - date(day.year, 11, 1).weekday()) % 7)
    return date(day.year, 12, 25) if day.month == 12 else date(day.year, 9, 1)


def _open_days(years: int) -> list[date]:
    """All days from Monday to Friday in so many years."""
    first = date(LAST_DAY.year - years + 1, 1, 1)
    days = (first + timedelta(days=number) for number in range((LAST_DAY - first).days + 1))
    return [day for day in days if day.weekday() < 5]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_GIVEN: Final = _words(
    "Maria Jose Ana Juan Rosa Linh Minh Carlos Elena Luis Grace Amina Omar Fatima David Ruth Samuel Teresa "
    "Ivan Nadia"
)
_FAMILY: Final = _words(
    "Lopez Garcia Nguyen Tran Martinez Hernandez Smith Brown Santos Reyes Pham Flores Johnson Ali Okafor "
    "Silva Cruz Petrov Kim Chen Rivera"
)
_STREETS: Final = _words("Oak Mill Station Church Garden River Hill Market Orchard School")
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
