"""The command of the pantry: `python -m examples.pantry --help`."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any, Final, get_args

import click

from pksk.cli.output import print_table

from ..tour.command import check_in_memory, command_of, name_argument, open_store, run_system
from ..tour.screen import units
from .clients import Client
from .comparisons import (
    HEADROOM_HEADERS,
    LAYOUT_HEADERS,
    STEP_HEADERS,
    WEIGHT_HEADERS,
    headroom_rows,
    layout_rows,
    measure_layouts,
    step_rows,
    weight_rows,
)
from .data import generate
from .errors import ClientUnknown, PantryError, YearOutOfRange, check_year
from .expected import Expected
from .operations import reports
from .operations.check_in import check_in, find_waiting_voucher, fulfil, issue
from .operations.clients import enrol, find_clients
from .operations.corrections import correct, find_service, strike_out
from .services import Category, Service
from .system import system


class Moment(click.DateTime):
    """A day or a minute, in a plausible year."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, if its year is plausible."""
        moment: datetime = super().convert(value, param, ctx)
        try:
            check_year(moment)
        except YearOutOfRange as out:
            self.fail(str(out), param, ctx)
        return moment


DAY: Final = Moment(["%Y-%m-%d"])
MINUTE: Final = Moment(["%Y-%m-%dT%H:%M"])


app = command_of(system, PantryError)


def _now() -> datetime:
    # Local time, as in this whole example.
    return datetime.now().replace(second=0, microsecond=0)


at_option = click.option("--at", type=MINUTE, default=_now, show_default="now", help="When.")
by_option = click.option("--by", type=name_argument, default="ann", show_default=True, help="Who does it.")
items_option = click.option("--items", type=click.IntRange(1, 1000), default=1, show_default=True)

most_option = click.option(
    "--most", type=click.IntRange(1), default=20, show_default=True, help="How many to show."
)


@app.command()
@click.argument("words", metavar="TEXT...", nargs=-1, required=True, type=name_argument)
@most_option
@click.pass_context
def find(context: click.Context, words: tuple[str, ...], most: int) -> None:
    """Find clients: by number, by date of birth, or by names of up to four words."""
    clients = find_clients(open_store(context), " ".join(words))[:most]
    if not clients:
        raise ClientUnknown(" ".join(words))
    rows = [
        [each.client_id, each.given_name, each.family_name, str(each.born), each.postcode] for each in clients
    ]
    print_table(("Client", "Given name", "Family name", "Born", "Postcode"), rows)


@app.command("enrol")
@click.argument("given_name", type=name_argument)
@click.argument("family_name", type=name_argument)
@click.argument("born", type=DAY, metavar="BORN")
@click.option("--adults", type=click.IntRange(0), default=1, show_default=True)
@click.option("--children", type=click.IntRange(0), default=0, show_default=True)
@click.option("--seniors", type=click.IntRange(0), default=0, show_default=True)
@click.option("--postcode", default="")
@click.pass_context
def enrol_command(
    context: click.Context,
    given_name: str,
    family_name: str,
    born: datetime,
    adults: int,
    children: int,
    seniors: int,
    postcode: str,
) -> None:
    """Enrol a new client, and print the number."""
    more = {"adults": adults, "children": children, "seniors": seniors, "postcode": postcode}
    client = enrol(open_store(context), given_name, family_name, born.date(), **more)
    click.echo(f"Client {client.client_id}: {client.given_name} {client.family_name}")


@app.command()
@click.argument("client_id", type=name_argument)
@most_option
@click.pass_context
def history(context: click.Context, client_id: str, most: int) -> None:
    """Show the services of a client, newest first."""
    db = open_store(context)
    page = db.page(Service.history(client_id).limit(most))
    if not page.items and db.get(Client.one(client_id)) is None:
        raise ClientUnknown(client_id)
    print_table(("When", "Service", "What", "Items", "Voucher"), [_line(each) for each in page], right=(3,))


def _line(service: Service) -> list[str]:
    state = f"{service.fill_voucher} {'waits' if service.fill_pending else 'filled'}"
    when = f"{service.at:%Y-%m-%dT%H:%M}"
    return [when, service.service_id, service.name, str(service.items), state if service.fill_voucher else ""]


@app.command("check-in")
@click.argument("client_id", type=name_argument)
@click.argument("type_id", type=name_argument)
@click.option("--voucher", type=name_argument, help="The number of the voucher to issue.")
@items_option
@at_option
@by_option
@click.pass_context
def check_in_command(
    context: click.Context,
    client_id: str,
    type_id: str,
    voucher: str | None,
    items: int,
    at: datetime,
    by: str,
) -> None:
    """Check in a service for a client, or a voucher for it."""
    db = open_store(context)
    if voucher is not None:
        service = issue(db, client_id, type_id, voucher, at, by, items=items)
    else:
        service = check_in(db, client_id, type_id, at, by, items=items)
    first = ", the first time" if service.first else ""
    click.echo(
        f"{service.name} for {service.given_name} {service.family_name}{first}: service {service.service_id}"
    )


@app.command()
@click.pass_context
def vouchers(context: click.Context) -> None:
    """Show the vouchers that wait, oldest first."""
    services = open_store(context).iter(Service.unfilled())
    rows = [[each.fill_voucher or "", each.client_id, each.name, f"{each.at:%Y-%m-%d}"] for each in services]
    print_table(("Voucher", "Client", "What", "Given"), rows)


@app.command()
@click.argument("voucher", type=name_argument)
@items_option
@at_option
@by_option
@click.pass_context
def fill(context: click.Context, voucher: str, items: int, at: datetime, by: str) -> None:
    """Fill a voucher."""
    db = open_store(context)
    filled = fulfil(db, find_waiting_voucher(db, voucher), by, items, at)
    click.echo(f"Voucher {voucher} of client {filled.client_id} is filled: {filled.name}")


@app.command("correct")
@click.argument("client_id", type=name_argument)
@click.argument("service_id", type=name_argument)
@click.option("--to", type=MINUTE, help="The correct time, such as 2022-09-07T10:15.")
@click.option("--type", "type_id", type=name_argument, help="The correct service type.")
@click.pass_context
def correct_command(
    context: click.Context, client_id: str, service_id: str, to: datetime | None, type_id: str | None
) -> None:
    """Correct the time or type of a service."""
    if to is None and type_id is None:
        raise click.UsageError("Give --to, --type, or both.")
    db = open_store(context)
    moved = correct(db, find_service(db, client_id, service_id), _now(), at=to, type_id=type_id)
    click.echo(f"Service {service_id}: {moved.name}, {moved.at:%Y-%m-%dT%H:%M}")


@app.command("strike-out")
@click.argument("client_id", type=name_argument)
@click.argument("service_id", type=name_argument)
@click.pass_context
def strike_out_command(context: click.Context, client_id: str, service_id: str) -> None:
    """Strike out a service that was entered by mistake."""
    db = open_store(context)
    strike_out(db, find_service(db, client_id, service_id), _now())
    click.echo(f"Service {service_id} is struck out")


@app.command()
@click.argument("span", type=click.Choice(["day", "month", "year"]))
@click.argument("when", type=DAY, metavar="DAY")
@click.option("--category", type=click.Choice(get_args(Category)), help="One category; without it, all.")
@click.pass_context
def report(context: click.Context, span: str, when: datetime, category: Category | None) -> None:
    """Report on a day, or on the month or year that it is in."""
    db, day = open_store(context), when.date()
    with db.meter() as meter:
        if span == "day":
            totals = reports.daily(db, day, category)
        elif span == "month":
            totals = reports.monthly(db, day, category)
        else:
            totals = reports.annual(db, day.year, category)
    rows = [[name.replace("_", " "), *_cell(value)] for name, value in vars(totals).items()]
    print_table((f"The {span}", category or "everything"), rows)
    requests = "1 request" if meter.calls == 1 else f"{meter.calls} requests"
    click.echo(f"\n{meter.consumed} in {requests}")


def _cell(value: int | dict[str, int]) -> list[str]:
    if isinstance(value, dict):
        return [", ".join(f"{name or 'unknown'} {count:,}" for name, count in value.items())]
    return [f"{value:,}"]


@app.command()
@click.option(
    "--items", type=click.IntRange(100, 1_000_000), default=3000, show_default=True, help="How many."
)
@click.option("--day", type=DAY, help="The day to report on, its month and its year; the busiest without it.")
@click.pass_context
def layouts(context: click.Context, items: int, day: datetime | None) -> None:
    """Compare, in memory, the cost of reports by year and by month and category."""
    check_in_memory(context)
    expected = Expected(generate(items))
    measured = measure_layouts(expected.services, day.date() if day else expected.day)
    print_table(LAYOUT_HEADERS, layout_rows(*measured.costs), right=(1, 4))
    priced, consumed = (f"{units(cost.read)} read units" for cost in (measured.priced, measured.consumed))
    equal = "exactly what was consumed" if priced == consumed else f"but {consumed} were consumed"
    click.echo(f"\nPriced from the items, these queries cost {priced}: {equal}.\n")
    print_table(
        HEADROOM_HEADERS, headroom_rows(expected.services, measured.costs[0]["a year"]), right=(1, 2, 3)
    )


@app.command()
@click.pass_context
def names(context: click.Context) -> None:
    """Compare, in memory, the size of a service with long and with short attribute names."""
    check_in_memory(context)
    service = Expected(generate(100)).services[0]
    print_table(WEIGHT_HEADERS, weight_rows(service), right=(1, 2, 3))
    click.echo()
    print_table(STEP_HEADERS, step_rows(service), right=(0, 1, 2, 3, 4))


if __name__ == "__main__":
    sys.exit(run_system(app, "pantry"))
