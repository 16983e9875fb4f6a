"""IP addresses in keys, conditions, filters and estimates."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Network
from typing import Any

import pytest

from pksk import Entity, F, InvalidValue, Key, Query, Table, TemplateError, access, between, connect, gt

network = Table("network")
ADDRESSES = [IPv4Address(f"10.0.0.{last}") for last in (9, 10, 100, 2)]


class Lease(Entity, table=network):
    site: str
    address: IPv4Address
    gateway: IPv4Address
    routes: tuple[IPv4Network, ...] = ()
    prefix: IPv6Network | None = None

    primary = Key("SITE#{site}", "IP#{address}")


@access()
def in_range(site: str, first: IPv4Address, last: IPv4Address) -> Query[Lease]:
    """The leases of a site in a range of addresses."""
    return Lease.primary(site=site, address=between(first, last))


def lease(address: IPv4Address) -> Lease:
    return Lease(
        site="a", address=address, gateway=IPv4Address("10.0.0.1"), routes=(IPv4Network("10.0.0.0/8"),)
    )


def test_a_query_returns_addresses_in_their_order_and_exactly_those_of_a_range() -> None:
    with connect("memory:") as db:
        db.create_tables(network)
        db.batch_put(*map(lease, ADDRESSES))

        found = [each.address for each in db.iter(Lease.primary(site="a"))]
        above = [
            each.address for each in db.iter(Lease.primary(site="a", address=gt(IPv4Address("10.0.0.9"))))
        ]

        assert found == sorted(ADDRESSES)
        assert above == sorted(ADDRESSES)[2:]
        assert db.get(Lease.primary.get(site="a", address=IPv4Address("10.0.0.9"))) == lease(ADDRESSES[0])


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        (F.gateway == IPv4Address("10.0.0.1"), 4),
        (F.gateway == IPv4Address("10.0.0.2"), 0),
        (F.gateway.is_in(IPv4Address("10.0.0.1"), IPv4Address("10.0.0.3")), 4),
        (F.routes == [IPv4Network("10.0.0.0/8")], 4),
        (F.gateway.begins("10."), 4),
        (F.prefix == IPv6Network("2001:db8::/32"), 0),
    ],
)
def test_a_filter_compares_addresses_and_networks(condition: Any, count: int) -> None:
    with connect("memory:") as db:
        db.create_tables(network)
        db.batch_put(*map(lease, ADDRESSES))

        assert len(list(db.iter(Lease.primary(site="a").filter(condition)))) == count


@pytest.mark.parametrize("compared", [IPv4Address("10.0.0.9"), IPv6Address("::9"), IPv4Network("10.0.0.0/8")])
def test_an_ordered_comparison_of_addresses_raises(compared: Any) -> None:
    for compare in (lambda: F.gateway < compared, lambda: F.gateway.between(compared, compared)):
        with pytest.raises(InvalidValue, match="does not sort by address") as error:
            compare()

        assert error.value.code == "filter-order"


def test_text_is_not_compared_by_order_with_an_address_either() -> None:
    with pytest.raises(InvalidValue, match="does not work on a field of type IP address") as error:
        _ = Lease.primary(site="a").filter(F.gateway < "10.0.0.9").plan

    assert error.value.code == "filter-order"


def test_requests_with_addresses_are_estimated() -> None:
    one = Lease.primary.get(site="a", address=ADDRESSES[0]).explain()
    some = Lease.primary(site="a", address=between(*ADDRESSES[:2])).explain()

    assert "0.5 read units" in str(one)
    assert some.exact
    assert in_range("a", *ADDRESSES[:2]).explain().exact
    assert [each.outcome().problem for each in network.patterns] == [""]


@pytest.mark.parametrize("kind", [IPv4Network, IPv6Network, IPv4Interface, IPv4Address | IPv6Address])
def test_a_key_of_a_type_without_a_fixed_order_raises(kind: Any) -> None:
    with pytest.raises(TemplateError, match="keys cannot hold"):

        class Odd(Entity, table=Table("odd")):
            net: kind

            primary = Key("NET#{net}", "META")
