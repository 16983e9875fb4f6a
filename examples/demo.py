"""A short tour: keys that cannot collide, ranges that do not lie, what a design answers and costs, and a run of it."""

from __future__ import annotations

import sys
from datetime import date, datetime, timedelta
from pathlib import Path

from pksk import Engine, KeyPair, PkskError, Put, ServiceError, Template, between, compare, doc_id, lte
from pksk.capacity import read_units, write_units
from pksk.values import item_size, item_to_wire


def title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def product_dates() -> None:
    title("parks: the dates of one product")
    dates = KeyPair(
        Template("productDate::{collection}::{activity}::{number}", collection=str, activity=str, number=int),
        Template("{product}::{day}", product=int, day=date, role="sort"),
    )
    new_year = {
        "collection": "bcparks_1",
        "activity": "dayuse",
        "number": 1,
        "product": 1,
        "day": date(2025, 12, 31),
    }
    partition, sort = dates.render(new_year)
    print("pk  ", partition)
    print("sk  ", sort)
    print("id  ", doc_id(partition, sort))
    print("back", dates.match(partition, sort))
    assert dates.sort is not None
    december = dates.sort.bounds({"product": 1, "day": between(date(2025, 12, 1), date(2025, 12, 31))})
    print("December: sk", december)


def services() -> None:
    title("pantry: a day of services, by category")
    services = Template("{category}|{at:%Y-%m-%dT%H:%M}|{id}", category=str, at=datetime, id=str, role="sort")
    day = between(datetime(2022, 9, 7), datetime(2022, 9, 7, 23, 59, 59, 999999))
    print("sk", services.bounds({"category": "Food_Pantry", "at": day}))


def cells() -> None:
    title("heatmap: one cell at every level")
    cell = KeyPair(Template("ShCe#{cell[:-3]}"), Template("{cell[-3:]}", role="sort"))
    for length in range(3, 9):
        partition, sort = cell.render({"cell": "gcpjfy6d"[:length]})
        print(f"{partition:12} {sort}")


def collisions() -> None:
    title("records: which keys can meet")
    collection, link, anything = (
        Template(text, role="sort") for text in ("collection", "collection_category#{id}", "{kind}")
    )
    print("collection and collection_category#{id}:", compare(collection, link).same)
    print("collection and {kind}:", compare(collection, anything).same)
    both = Template("{a}#{b}")
    print(
        "by hand",
        "x#y" + "#" + "z" == "x" + "#" + "y#z",
        "- with pksk",
        both(a="x#y", b="z"),
        both(a="x", b="y#z"),
    )


def order() -> None:
    title("lessons: numbers that sort, and a range that keeps its end")
    score = Template("SCORE#{points:05d}#{player}", points=int, player=str, role="sort")
    for points in (-9, -5, 9, 10):
        print(f"{points:4}", score(points=points, player="ann"))
    print("up to 10: sk", score.bounds({"points": lte(10)}))


def item() -> None:
    title("what an item costs")
    size = item_size(
        item_to_wire({"pk": "user_12345", "sk": "ORDER#2025-01-15", "lines": [{"n": 1, "sku": "a"}] * 90})
    )
    print(f"{size} bytes: {read_units(size)} read units, {write_units(size)} write units")


def plans() -> None:
    title("parks and pantry: questions, planned and estimated")
    from examples.pantry.services import Service
    from examples.parks.products import ProductDate

    december = (date(2025, 12, 1), date(2025, 12, 31))
    print(ProductDate.within("bcparks_1", "dayuse", 1, 1, *december).explain(items=31))
    year = Service.of_year(2022, "Food_Pantry")
    print("A year of the pantry:", ", ".join(year.plan.notes))
    print(year.explain(items=36_000).estimate)


def refusal() -> None:
    title("pantry: a question that no key answers")
    from examples.pantry.services import Service

    try:
        Service.where(served_by="ann")
    except PkskError as error:
        print(error)


def bill() -> None:
    title("parks: what the dates of products cost in a month")
    from examples.parks.product_dates import product_dates
    from pksk.model.cost.month import month

    found = month([product_dates])
    for row in found.patterns:
        print(f"{row.name}: {row.calls_per_second} calls a second, {row.estimate} each: {row.money}")
    print("missing:", *found.missing)


def run() -> None:
    title("parks: the same design on the embedded engine")
    from examples.parks.product_dates import ProductDate, product_dates

    first, last = date(2025, 12, 1), date(2025, 12, 31)
    new_year = ProductDate(
        collection_id="bcparks_1", activity_type="dayuse", activity_id=1, product_id=1, day=date(2026, 1, 1)
    )
    december = ProductDate.within("bcparks_1", "dayuse", 1, 1, first, last)
    with Engine.open() as engine:
        engine.call("CreateTable", product_dates.create_request())
        for day in (date(2025, 11, 30), first, last, new_year.day):
            stored = new_year.model_copy(update={"day": day})
            engine.call("PutItem", Put(stored).if_absent().request)
        for request in december.plan.requests:
            answer = engine.call("Query", {**request, "ReturnConsumedCapacity": "TOTAL"})
            print("found   ", *(ProductDate.from_item(item).day for item in answer["Items"]))
            print("consumed", answer["ConsumedCapacity"]["CapacityUnits"], "read units")
        try:
            engine.call("PutItem", Put(new_year).if_absent().request)
        except ServiceError as error:
            print("again   ", error)


def heat() -> None:
    title("parks: which keys are hot, and on which partitions")
    from examples.parks.product_dates import ProductDate, product_dates

    with Engine.open() as engine:
        engine.call("CreateTable", product_dates.create_request())
        for number in range(400):
            # Every other date is of the same product.
            product = 1 if number % 2 else number
            stored = ProductDate(
                collection_id="bcparks_1",
                activity_type="dayuse",
                activity_id=1,
                product_id=product,
                day=date(2025, 1, 1) + timedelta(days=number),
            )
            engine.call("PutItem", Put(stored).request)
        print(engine.heat())
        left, right = engine.split(product_dates.name)
        print(f"Partition {left.parent} was split into {left.number} and {right.number}; items by partition:")
        print(*(f"{each.number}: {each.items}" for each in engine.partitions(product_dates.name)), sep=", ")


TOUR = (product_dates, services, cells, collisions, order, item, plans, refusal, bill, run, heat)

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))  # where examples can be imported from
    for part in TOUR:
        part()
    print("\nNext: pksk new shop, pksk design examples/parks/design.py, and docs/engine.md")
