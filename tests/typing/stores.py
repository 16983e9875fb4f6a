"""What type checkers infer of a store's methods, for programs that wait and for those that await."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import assert_type

from pydantic import BaseModel

from pksk import (
    AsyncStore,
    F,
    ItemUnreadable,
    Page,
    Put,
    SearchResult,
    Store,
    batch,
    collect,
    connect,
    connect_async,
    sequence,
    transaction,
)
from tests.typing.design import Customer, Order, shop
from tests.typing.searches import Language, Text

DAY = date(2025, 3, 1)
NUMBERS = sequence("typed orders", table=shop)


class Small(BaseModel):
    """Less of an order."""

    number: int


def opened() -> Store:
    db = connect("memory:")
    db.create_tables(shop, Text.__pksk__.table)
    return db


def writes_give_what_they_store() -> None:
    with opened() as db:
        order = db.put(Order(customer="7", number=1, day=DAY))
        assert_type(order, Order)
        assert_type(db.put(Put(order), when=F.total == 0), Order)
        assert_type(db.create(Order(customer="7", number=2, day=DAY)), Order)
        assert_type(db.update(Order.primary.update(customer="7", number=1).add(total=5)), Order)
        assert_type(db.move(order, number=3), Order)
        assert_type(db.delete(Order.primary.delete(customer="7", number=2)), Order | None)
        assert_type(db.delete(Order, customer="7", number=2), Order | None)
        assert_type(db.delete(order), Order | None)
        assert_type(db.batch_put([order]), list[Order])
        assert_type(db.batch_put(Put(each) for each in [order]), list[Order])
        db.batch_delete([order, Customer.primary.delete(customer="7")])
        assert_type(db.batch_put(order, order.model_copy(update={"number": 9})), list[Order])
        assert_type(db.transaction(Put(order)), list[Order | None])


def reads_give_what_was_asked_for() -> None:
    with opened() as db:
        mine = Order.primary(customer="7")
        assert_type(db.get(Order.primary.get(customer="7", number=1)), Order | None)
        assert_type(db.get(Order, customer="7", number=1), Order | None)
        assert_type(db.get(Order, customer="7", number=1, unreadable=[]), Order | None)
        assert_type(db.batch_get([Order.primary.get(customer="7", number=1)]), list[Order | None])
        assert_type(db.batch_get(Order.primary.get(customer="7", number=1)), list[Order | None])
        assert_type(list(db.iter(mine)), list[Order])
        assert_type(list(db.iter(mine.into(Small))), list[Small])
        assert_type(list(db.iter(Order.scan())), list[Order])
        assert_type(list(db.scan(Order.scan(), segments=2)), list[Order])
        assert_type(db.page(mine), Page[Order])
        assert_type(list(db.page(mine)), list[Order])
        assert_type(db.first(mine), Order | None)
        assert_type(db.count(mine), int)
        assert_type(list(db.iter(collect(mine, Customer.primary(customer="7")))), list[Order | Customer])
        assert_type(db.collect(mine, Customer.primary(customer="7")), list[Order | Customer])


def unreadable_items_are_collected() -> None:
    unreadable: list[ItemUnreadable] = []
    with opened() as db:
        mine, get = Order.primary(customer="7"), Order.primary.get(customer="7", number=1)
        assert_type(db.get(get, unreadable=unreadable), Order | None)
        assert_type(db.batch_get(get, unreadable=unreadable), list[Order | None])
        assert_type(db.transaction(get, unreadable=unreadable), list[Order | None])
        assert_type(db.first(mine, unreadable=unreadable), Order | None)
        assert_type(
            db.collect(mine, Customer.primary(customer="7"), unreadable=unreadable), list[Order | Customer]
        )
        assert_type(db.run(mine, unreadable=unreadable), list[Order])
        assert_type(db.run(get, unreadable=unreadable), Order | None)
        near = Text.near.nearest([1, 0], 5).hydrate()
        assert_type(db.nearest(near, unreadable=unreadable), list[SearchResult[Text]])


def any_request_runs() -> None:
    with opened() as db:
        order = Order(customer="7", number=1, day=DAY)
        assert_type(db.run(Put(order)), Order)
        assert_type(db.run(Order.primary.get(customer="7", number=1)), Order | None)
        assert_type(db.run(Order.primary(customer="7")), list[Order])
        assert_type(db.run(Order.scan()), list[Order])
        assert_type(db.run(batch(Put(order))), list[Order | None])
        assert_type(db.run(transaction(Put(order))), list[Order | None])
        assert_type(db.next(NUMBERS), int)
        assert_type(db.take(NUMBERS, 5), range)


def searches_give_scores() -> None:
    with opened() as db:
        assert_type(db.nearest(Text.near.nearest([1, 0], 5).hydrate()), list[SearchResult[Text]])
        assert_type(db.run(Text.near.nearest([1, 0]).into(Language)), list[SearchResult[Language]])


def awaited_they_give_the_same() -> None:
    async def main(db: AsyncStore) -> None:
        await db.create_tables(shop)
        assert_type(await db.put(Order(customer="7", number=1, day=DAY)), Order)
        assert_type(await db.get(Order.primary.get(customer="7", number=1)), Order | None)
        assert_type(await db.get(Order, customer="7", number=1), Order | None)
        assert_type(await db.delete(Order, customer="7", number=1), Order | None)
        assert_type(await db.batch_put([Order(customer="7", number=1, day=DAY)]), list[Order])
        assert_type([each async for each in db.iter(Order.primary(customer="7"))], list[Order])
        assert_type(await db.page(Order.primary(customer="7")), Page[Order])
        assert_type(await db.run(Order.primary(customer="7")), list[Order])
        assert_type(await db.first(Order.primary(customer="7"), unreadable=[]), Order | None)
        await db.close()

    asyncio.run(main(connect_async("memory:")))
