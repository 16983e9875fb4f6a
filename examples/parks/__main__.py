"""The command of the parks system: `python -m examples.parks`."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import click

from pksk import Store
from pksk.cli.output import print_table

from ..tour.command import command_of, name_argument, open_store, run_system
from .bookings import Booking
from .errors import NotOffered, ParksError
from .operations.audit import write_audit_rows
from .operations.balance import Balance, balance
from .operations.bookings import Stay, book, cancel, confirm, open_days, sweep
from .places import Activity, Collection, Facility, Geozone
from .products import InventoryPool, Offer, Product
from .rush import rush
from .system import system

app = command_of(system, ParksError)
DAY = click.DateTime(["%Y-%m-%d"])
# Pools are read day by day, so a span must be short.
_MOST_DAYS = 366


def product_arguments(command: Any) -> Any:
    """The four arguments that name a product."""
    for name, kind in (("product", int), ("activity", int), ("kind", name_argument), ("park", name_argument)):
        command = click.argument(name, type=kind)(command)
    return command


@app.command()
@click.argument("park", type=name_argument)
@click.pass_context
def show(context: click.Context, park: str) -> None:
    """Show the geozones, facilities, activities and products of a PARK such as park_1."""
    db = open_store(context)
    collection = db.get(Collection.one(park))
    if collection is None:
        raise ParksError(f"There is no park {park!r}.")
    click.echo(f"{collection.display_name} ({park}), {collection.global_id}")
    rows = [("geozone", str(each.geozone_id), each.display_name) for each in db.iter(Geozone.visible(park))]
    facilities, activities = (
        db.iter(Facility.of_collection(park)),
        list(db.iter(Activity.of_collection(park))),
    )
    rows += [
        ("facility", f"{each.facility_type} {each.facility_id}", each.display_name) for each in facilities
    ]
    for each in activities:
        name = f"{each.activity_type} {each.activity_id}"
        rows.append(("activity", name, each.display_name))
        products = db.iter(Product.of_activity(park, each.activity_type, each.activity_id))
        rows += [("product", f"{name} {one.product_id}", one.display_name) for one in products]
    print_table(("Kind", "Key", "Name"), rows)


@app.command()
@product_arguments
@click.argument("first", type=DAY, metavar="FIRST")
@click.argument("last", type=DAY, metavar="LAST")
@click.pass_context
def free(
    context: click.Context, park: str, kind: str, activity: int, product: int, first: datetime, last: datetime
) -> None:
    """Show what is left of a product from FIRST to LAST, such as: free park_1 dayuse 1 1 2026-06-26 2026-06-30."""
    _check_order(first, last)
    db, arguments = open_store(context), ((park, kind, activity, product), first.date(), last.date())
    pools = _pools(db, *arguments)
    if not pools:
        raise _nothing(db, *arguments)
    days = open_days(db, *arguments)
    rows = [
        (
            str(each.day),
            _asset(each),
            str(each.availability) if each.day in days else "closed",
            str(each.capacity),
        )
        for each in sorted(pools, key=_order)
    ]
    print_table(("Day", "Asset", "Left", "Of"), rows, right=(2, 3))


@app.command("book")
@click.argument("person", type=name_argument)
@product_arguments
@click.argument("first", type=DAY, metavar="FIRST")
@click.option("--last", type=DAY, metavar="DAY", help="The last day; without it, the first.")
@click.option("--quantity", default=1, show_default=True, type=click.IntRange(1, 100), help="How many.")
@click.pass_context
def book_command(
    context: click.Context,
    /,
    person: str,
    first: datetime,
    last: datetime | None,
    quantity: int,
    **product: Any,
) -> None:
    """Book a product for a PERSON from FIRST on, of the first asset that has room on all days."""
    _check_order(first, last or first)
    db = open_store(context)
    stay = Stay(first.date(), (last or first).date(), quantity)
    key = (product["park"], product["kind"], product["activity"], product["product"])
    offer = _offer(_pools(db, key, stay.first, stay.last), stay)
    booking = book(db, person, offer, stay, now=_now())
    click.echo(
        f"{booking.booking_id} holds {quantity} of {offer.asset_type} {offer.asset_id} until it is paid"
    )


@app.command()
@click.argument("booking", type=click.UUID)
@click.argument("payment", type=name_argument)
@click.argument("cents", type=click.IntRange(1))
@click.pass_context
def pay(context: click.Context, booking: UUID, payment: str, cents: int) -> None:
    """Pay for a BOOKING with a PAYMENT, which is the bank's number for it."""
    db = open_store(context)
    click.echo(f"{booking} is {confirm(db, _booking(db, booking), payment, cents, _now()).status}")


@app.command("cancel")
@click.argument("booking", type=click.UUID)
@click.pass_context
def cancel_command(context: click.Context, booking: UUID) -> None:
    """Cancel a BOOKING, and return its units."""
    db = open_store(context)
    click.echo(f"{booking} is {cancel(db, _booking(db, booking), _now()).status}")


@app.command("sweep")
@click.pass_context
def sweep_command(context: click.Context) -> None:
    """End bookings that were not paid in time; exit code 1 if some could not end."""
    result = sweep(open_store(context), _now())
    click.echo(f"{result.ended} bookings ended, {result.units} units returned, {result.skipped} skipped")
    for line in result.failed:
        click.echo(f"FAILED: {line}")
    if result.failed:
        raise click.exceptions.Exit(1)


@app.command("audit")
@click.pass_context
def audit_command(context: click.Context) -> None:
    """Write audit rows for the changes since the last time."""
    click.echo(f"{len(write_audit_rows(open_store(context))):,} rows")


@app.command("balance")
@click.pass_context
def balance_command(context: click.Context) -> None:
    """Compare every pool with its bookings; exit code 1 if they do not agree."""
    _print(balance(open_store(context)))


@app.command("rush")
@click.option("--attempts", default=10_000, show_default=True, type=click.IntRange(1, 1_000_000))
@click.option(
    "--buyers", default=50, show_default=True, type=click.IntRange(1, 500), help="How many at a time."
)
@click.pass_context
def rush_command(context: click.Context, attempts: int, buyers: int) -> None:
    """Let many buyers book scarce units, then count; if it was killed, run it again with the same arguments."""
    db, step, ended = open_store(context, may_be_empty=True), max(1, attempts // 20), 0
    click.echo(f"{attempts:,} attempts by {buyers} buyers at a time, in {context.obj}")

    def show_progress(count: int) -> None:
        nonlocal ended
        ended = count
        if count % step == 0:
            click.echo(f"  {count:,}")

    began = datetime.now(UTC)
    try:
        endings = rush(db, attempts, buyers, show_progress)
    except KeyboardInterrupt:
        click.echo(
            f"Stopped after {ended:,} attempts. To continue, run it again with the same arguments.", err=True
        )
        raise
    seconds = (datetime.now(UTC) - began).total_seconds()
    counts = ", ".join(f"{count:,} {ending}" for ending, count in sorted(endings.items()))
    click.echo(f"{counts}; {seconds:.1f} seconds")
    _print(balance(db))


def _print(balance: Balance) -> None:
    statuses = ", ".join(f"{count:,} {status}" for status, count in sorted(balance.bookings.items()))
    click.echo(f"bookings: {statuses or 'none'}")
    click.echo(
        f"{balance.pools:,} pools of {balance.capacity:,} units: {balance.booked:,} booked, {balance.left:,} left, "
        f"{balance.capacity - balance.booked - balance.left:,} lost"
    )
    for line in balance.wrong:
        click.echo(f"WRONG: {line}")
    if balance.wrong:
        raise click.exceptions.Exit(1)
    click.echo("every pool agrees with its bookings")


def _pools(db: Store, product: tuple[str, str, int, int], first: date, last: date) -> list[InventoryPool]:
    if (last - first).days > _MOST_DAYS:
        raise click.UsageError(f"{first} to {last} is too long; the most is {_MOST_DAYS} days.")
    days = (first + timedelta(days=more) for more in range((last - first).days + 1))
    return [pool for day in days for pool in db.iter(InventoryPool.on_day(*product, day))]


def _check_order(first: datetime, last: datetime) -> None:
    if last < first:
        raise click.UsageError(f"The last day, {last.date()}, is before the first, {first.date()}.")


def _nothing(db: Store, product: tuple[str, str, int, int], first: date, last: date) -> ParksError:
    """The error for a product without pools in a span of days."""
    if db.get(Product.one(*product)) is None:
        return ParksError(
            f"There is no product {' '.join(map(str, product))!r}; `show` lists those of a park."
        )
    return ParksError(f"Nothing is offered from {first} to {last}.")


def _offer(pools: list[InventoryPool], stay: Stay) -> Offer:
    """The offer with room on all days; if there is none, the first one, whose error says what is missing."""
    offers: dict[Offer, int] = {}
    for pool in pools:
        offer = Offer.model_validate(pool.model_dump())
        offers[offer] = offers.get(offer, 0) + (pool.availability >= stay.quantity)
    if not offers:
        raise NotOffered(stay.first)
    return max(offers, key=lambda offer: offers[offer])


def _booking(db: Store, booking_id: UUID) -> Booking:
    booking = db.first(Booking.by_id(booking_id))
    if booking is None:
        raise ParksError(f"There is no booking {booking_id}.")
    return booking


def _asset(pool: InventoryPool) -> str:
    return f"{pool.facility_type} {pool.facility_id} {pool.asset_type} {pool.asset_id}"


def _order(pool: InventoryPool) -> tuple[date, str]:
    return pool.day, _asset(pool)


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    sys.exit(run_system(app, "parks"))
