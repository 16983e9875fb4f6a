"""All of the data: settings, policies and people first, then park after park, each with its season."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from pksk import Entity

from ..places import PassAsset, ProtectedArea
from ..policies import Config, LatestPolicy, PolicyVersion
from ..waiting_room import Connection, Listener
from .park import PARKS, POLICIES, Park, identity, park_name
from .season import People


def generate(items: int) -> Iterator[Entity]:
    """So many entities, each after what it refers to; a few more if one park alone has more.

    Parks are complete, so that pools and bookings agree; the rest is filled with people who have not booked yet.
    """
    people = People(max(20, items // 25))
    days = min(120, max(3, items // 100))
    count = 0
    for number, part in enumerate(_parts(people, days)):
        if number > 1 and count + len(part) > items:
            break
        count += len(part)
        yield from part
    yield from people.users(people.many, people.many + items - count)


def _parts(people: People, days: int) -> Iterator[list[Entity]]:
    yield list(_settings(people))
    yield from (list(Park(number, days, people).entities()) for number in count(1))


def _settings(people: People) -> Iterator[Entity]:
    random = Random("parks: settings")
    yield Config(scope="admin", values={"region": "west"})
    yield Config(scope="public", values={"banner": "Fire ban in effect"})
    yield Config(scope="featureFlags", values={"waitingRoom": "on", "refunds": "on"})
    yield from _policies()
    for number in range(1, 6):
        register_number, name = f"{random.randint(1, 9999):04d}", park_name(number + len(PARKS))
        yield ProtectedArea(register_number=register_number, display_name=name, global_id=identity(random))
    for version in (1, 2):
        yield PassAsset(kind="pass", number=1, version=version, quantity=100 * version)
    yield from people.users(0, people.many)
    for number in range(1, 5):
        name = f"L0SM9cOFvHcCI{number:02d}="
        yield Listener(connection_id=name)
        yield Connection(connection_id=name, queue="QUEUE#park_1#dayuse#1", user=people.subject(number))


def _policies() -> Iterator[Entity]:
    for policy_type, rules in POLICIES.items():
        for policy_id in (1, 2):
            versions = [
                PolicyVersion(
                    policy_type=policy_type,
                    policy_id=policy_id,
                    version=version,
                    rules={name: f"{value} ({version})" for name, value in rules.items()},
                )
                for version in range(1, 2 + policy_id)
            ]
            yield from versions
            yield LatestPolicy(**versions[-1].model_dump())
