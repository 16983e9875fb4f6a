"""`pksk design`: the key table and the access patterns, in each format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, datetime
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from markdown_it import MarkdownIt
from pydantic import Field, computed_field
from rich.console import Console

from pksk import (
    GSI,
    LSI,
    Attribute,
    Entity,
    F,
    Key,
    N,
    OnDemand,
    Provisioned,
    Shard,
    Table,
    VectorIndex,
    sequence,
)
from pksk.cli.design_data import design_data, type_text
from pksk.cli.design_markdown import design_markdown
from pksk.cli.design_mermaid import design_mermaid
from pksk.cli.design_rows import headings, settings
from pksk.cli.design_table import design_table
from pksk.cli.design_terminal import terminal_blocks
from pksk.model.markers import Reference, Stored, Unique
from tests.cli.designs import SHOP
from tests.cli.mermaid_grammar import read
from tests.cli.run_pksk import pksk

PATTERNS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("patterns.json").read_text("utf-8"))

records = Table("records", indexes=[GSI("gsi_sk_altSort", pk="sk", sk="altSort")])


class Category(Entity, table=records):
    id: str
    name: str

    primary = Key("{id}", "category")
    by_type = Key("category", "{name}", index="gsi_sk_altSort")


class Settings(Entity, table=records, items=1):
    language: str = "en"

    primary = Key("settings", "settings", single_item=True)


odd = Table(
    "odd.names",
    pk=N("n"),
    sk="pk",
    indexes=[
        LSI("newest", sk="when"),
        GSI("both", pk=("tenant", "pk"), sk=(N("n"), "~x~"), projection="keys"),
    ],
    billing=Provisioned(5, 1000),
    discriminator=None,
)


class Odd(Entity, table=odd, growth="10 a day"):
    """Whatever a grammar may stumble over."""

    n: int
    pk: str
    fk: str = 'say "hi"; ~a~ |b| %%{init}'
    Überschrift: Literal["a", "b's"] = "a"  # noqa: PLC2401 - that is what is tested
    tenant: Annotated[str | None, Attribute("tenant")] = None
    data: dict[str, list[int]] = Field(default_factory=dict)

    primary = Key("{n}", "{pk}")
    newest = Key("{n}", '";<b>`|~~%%|{fk}', index="newest", codec="raw", delimiter="|")
    both = Key(("{tenant}", "{pk}"), ("{n}", "{fk}"), index="both", when=(F.n > 3) & (F.fk != "x"))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def twice(self) -> int:
        return 2 * self.n


class Base(Entity):
    id: str
    primary = Key("BASE#{id}", "META")


families = Table("families", indexes=[GSI("spread", pk="spread")])


class Cat(Base, table=families):
    spread_by = Key("ALL#{shard}", index="spread", shard=Shard(3))


class Dog(Base, table=families):
    pass


EVERYTHING = design_data([records, odd, families])
SHOWN = {**EVERYTHING, "patterns": PATTERNS}


def _seen(data: dict[str, Any], width: int) -> str:
    console = Console(width=width, file=StringIO(), force_terminal=True, color_system=None)
    for each in terminal_blocks(data, width):
        console.print(each)
    out = console.file
    assert isinstance(out, StringIO)
    return out.getvalue()


def _notes(name: str) -> list[str]:
    entities = [each for table in EVERYTHING["tables"] for each in table["entities"]]
    found: list[str] = next(each["notes"] for each in entities if each["name"] == name)
    return found


def test_the_key_table_of_one_table_is_that_of_a_design_document() -> None:
    assert design_table(design_data([records])) == (
        "Table records\n"
        "  keys                pk S, sk S\n"
        "  GSI gsi_sk_altSort  sk S, altSort S; projects all\n"
        "  settings            on-demand, class standard, no stream, no TTL, discriminator type\n"
        "\n"
        "Entity    PK        SK / gsi_sk_altSort PK  gsi_sk_altSort SK (altSort)  Notes\n"
        "Category  {id}      category                {name}\n"
        "Settings  settings  settings                -                            primary: single item; 1 item"
    )


def test_each_key_attribute_has_a_column() -> None:
    assert headings(EVERYTHING["tables"][1])[1:-1] == [
        "PK (n)", "SK / both PK (pk)", "newest SK (when)", "both PK (tenant)", "both SK (~x~)",
    ]  # fmt: skip


def test_notes_add_what_templates_do_not_show() -> None:
    assert _notes("Cat") == ["spread: 3 shards at random", "shares keys with Dog, discriminator type"]
    assert _notes("Odd") == [
        "newest: raw keys",
        "both: only if tenant is set, only when n > 3 AND fk <> 'x'",
        "key attributes that are fields: n, pk, tenant",
        "growth 10 a day",
    ]


def test_settings_show_billing_stream_and_indexes() -> None:
    table = Table(
        "busy",
        indexes=[
            GSI("by-day", pk=N("day"), projection=["b", "a"], billing=OnDemand(max_read=50)),
            VectorIndex("near", attribute="embedding", dimensions=8, pk="tenant", filters=["lang"]),
        ],
        billing=OnDemand(max_read=1000, max_write=20),
        stream="KEYS_ONLY",
        ttl="ends",
        table_class="infrequent-access",
    )

    assert settings(design_data([table])["tables"][0])[1:] == [
        ("GSI by-day", "day N; projects a, b; on-demand (at most 50 read units a second)"),
        ("vector index near", "embedding, 8 dimensions, cosine; tenant S; filters lang S; projects all"),
        (
            "settings",
            "on-demand (at most 1,000 read units a second and at most 20 write units a second), "
            "class infrequent-access, stream KEYS_ONLY, TTL ends, discriminator type",
        ),
    ]


def test_keys_of_several_attributes_have_a_column_each() -> None:
    assert (
        dict(settings(EVERYTHING["tables"][1]))["GSI both"] == "tenant S + pk S, n N + ~x~ S; projects keys"
    )


def test_a_table_without_entities_is_printed() -> None:
    empty = design_data([Table("empty")])

    assert design_table(empty).endswith("\n\nNo entity is declared.")
    assert "No entity is declared." in design_markdown(empty)
    assert "No entity is declared." in _seen(empty, 80)
    assert read(design_mermaid(empty)).entities == {}


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_terminal_gets_all_text_and_no_long_lines(width: int) -> None:
    seen = _seen(SHOWN, width)
    joined = re.sub(r"\s+", "", seen)

    assert max(map(len, seen.splitlines())) <= width
    assert "…" not in seen
    for text in ("settings", "BASE#{id}", "%%", "4requests", "needsexample", "10aday"):
        assert text in joined


def test_a_wide_terminal_gets_a_table_and_a_narrow_one_a_block_for_each_entity() -> None:
    data = design_data([records])

    assert "────" in _seen(data, 100)
    assert "────" not in _seen(data, 60)
    assert re.search(r"Category\n +PK +\{id\} *\n +SK / gsi_sk_altSort PK +category *\n", _seen(data, 60))


def test_the_templates_of_a_table_on_a_terminal_are_never_broken() -> None:
    for width in range(60, 160, 7):
        seen = _seen(EVERYTHING, width)

        assert seen.count("BASE#{id}") == 2
        assert "ALL#{shard}" in seen


def test_markup_in_a_template_is_shown_as_it_is() -> None:
    table = Table("marked")

    class Marked(Entity, table=table):
        id: str
        primary = Key("[red]#{id}", "[/]")

    assert "[red]#{id}" in _seen(design_data([table]), 80)


def test_markdown_has_the_table_of_every_design_with_pipes_and_ticks() -> None:
    rendered = MarkdownIt("commonmark").enable("table").render(design_markdown(SHOWN))
    cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td>(.*?)</td>", rendered)]

    assert "&quot;;&lt;b&gt;`|~~%%|{fk}" in cells
    assert "gsi_sk_altSort SK (altSort)" in rendered
    assert rendered.count("<table>") == 4
    assert {row.count("<td>") for row in rendered.split("<tr>")} == {0, 5, 7}


def test_markdown_lists_each_access_pattern_and_its_plan() -> None:
    text = design_markdown(SHOWN)

    assert "| `Order.of_customer` | query |  | 5/s | 2.5 |  | the profile lies" in text
    assert "| `Order.open_on` | query | by-status |  |  |  | missing: rate, items |" in text
    assert "| `place` | transaction |  | 1/day |  |  | needs example: parameter 'order'" in text
    assert "### Order.of_customer: The orders of a customer.\n\n```text\nQuery shop\n  pk = " in text


def test_plain_text_lists_each_access_pattern() -> None:
    assert design_table({"tables": [], "patterns": PATTERNS}) == (
        "Access patterns\n"
        "\n"
        "Order.of_customer: query on the table, 5/s\n"
        "  about     The orders of a customer.\n"
        "  plan      Query shop\n"
        "              pk = 'CUST#customer' AND begins_with(sk, 'ORDER#')\n"
        "  estimate  2.5 read units a call\n"
        "  assumes   20 items\n"
        "            1,000 bytes each\n"
        "  notes     the profile lies beside the orders and is not read\n"
        "\n"
        "Order.open_on: query on by-status, rate not declared\n"
        "  plan     Query shop, index by-status\n"
        "             4 requests\n"
        "  missing  rate, items\n"
        "\n"
        "place: transaction, 1/day\n"
        "  about    Place an order | and count it.\n"
        "  problem  needs example: parameter 'order' has no known type"
    )


def test_mermaid_accepts_the_diagram_of_every_design() -> None:
    drawn = read(design_mermaid(SHOWN))

    assert list(drawn.entities) == ["Category", "Settings", "Odd", "Cat", "Dog"]
    assert ["str", "id", "PK"] in drawn.entities["Category"]
    assert [row[:3] for row in drawn.entities["Odd"]] == [
        ["key", "primary", "n = {n}, pk = {pk}"],
        ["index", "newest", "newest: n = {n}, when = ___b__|__%_|{fk}"],
        ["index", "both", "both: tenant = {tenant}, pk = {pk}, n = {n}, _x_ = {fk}"],
        ["int", "n", "PK"],
        ["str", "pk_", "PK"],
        ["str", "fk_"],
        ["Literal[a-bs]", "Überschrift"],
        ["str-or-None", "tenant"],
        ["dict[str-list[int]]", "data"],
        ["int", "twice", "computed"],
    ]


def test_mermaid_draws_references_and_adds_tables_to_repeated_names() -> None:
    tables = [Table("here"), Table("there")]

    class Customer(Entity, table=tables[0]):
        id: str
        primary = Key("CUST#{id}", "META")

    class Order(Entity, table=tables[0]):
        pk: Annotated[str, Attribute("customer"), Reference(Customer)]
        next_id: Annotated[str | None, Reference("Order", pk="pk", code="next_id")] = None
        code: Annotated[str, Unique()]
        primary = Key("ORDER#{pk}", "{code}")

    class Order(Entity, table=tables[1]):  # type: ignore[no-redef]  # noqa: F811 - on purpose
        id: Annotated[str, Reference(lambda: Category)]
        primary = Key("ORDER#{id}", "META")

    data = design_data(tables)
    drawn = read(design_mermaid(data))

    assert list(drawn.entities) == ["Customer", "Order in here", "Order in there"]
    assert drawn.entities["Order in here"][1:] == [
        ["str", "pk_", "PK", "FK", "stored as customer"],
        ["str-or-None", "next_id", "FK"],
        ["str", "code", "PK", "UK"],
    ]
    assert drawn.lines == [
        ("Order in here", "Customer", "pk"),
        ("Order in here", "Order in here", "next_id"),
        ("Order in there", "Category", "id"),
    ]
    assert data["tables"][0]["entities"][1]["notes"] == [
        "reference: pk of Customer, next_id of Order",
        "unique: code",
    ]


@pytest.mark.parametrize("bad", ["{", 'str pk "x"', "str a PK FK", 'str a "x~y~z"', "a b c", "1 a"])
def test_the_mermaid_parser_of_the_tests_rejects_invalid_diagrams(bad: str) -> None:
    with pytest.raises(AssertionError):
        read(f'erDiagram\n"A" {{\n{bad}\n}}')


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (tuple[int, ...], "tuple[int, ...]"),
        (Callable[..., str | None], "Callable[..., str | None]"),
        (Callable[[int, str], None], "Callable[[int, str], None]"),
        (Annotated[Literal["a", 1], "x"], "Literal['a', 1]"),
    ],
)
def test_types_are_shown_as_they_are_written(annotation: Any, text: str) -> None:
    assert type_text(annotation) == text


def test_json_has_the_whole_design() -> None:
    assert json.loads(json.dumps(EVERYTHING)) == EVERYTHING
    entity = EVERYTHING["tables"][1]["entities"][0]
    assert entity["doc"] == "Whatever a grammar may stumble over."
    assert entity["keys"][2] == {
        "name": "both",
        "index": "both",
        "fields": ["tenant", "pk", "n", "fk"],
        "partition": [
            {"attribute": "tenant", "type": "S", "template": "{tenant}", "field": "tenant"},
            {"attribute": "pk", "type": "S", "template": "{pk}", "field": "pk"},
        ],
        "sort": [
            {"attribute": "n", "type": "N", "template": "{n}", "field": "n"},
            {"attribute": "~x~", "type": "S", "template": "{fk}", "field": None},
        ],
        "shard": None,
        "when": "n > 3 AND fk <> 'x'",
        "optional_fields": ["tenant"],
        "codec": "escaped",
        "disjoint": None,
        "single_item": False,
        "assigned_later": [],
        "identity": [],
        "one_per_bucket": [],
    }


def test_the_command_prints_each_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    texts = {
        form: pksk("design", "shop.py", "--format", form).out for form in ("table", "markdown", "mermaid")
    }

    assert texts["table"].startswith(
        "Table shop\n  keys           pk S, sk S\n  GSI by-status  g1 S, g2 S; projects t\n"
    )
    assert "| Customer | `CUST#{customer}` | `PROFILE` |" in texts["markdown"]
    assert list(read(texts["mermaid"]).entities) == ["Order", "Customer"]
    assert pksk("design", "shop.py", "--json").out == pksk("design", "shop.py", "--format", "json").out


def test_what_the_author_says_about_a_key_is_noted() -> None:
    usage = Table("usage")

    class Place(Entity, table=usage):
        id: str
        name: str
        primary = Key("{id}", "place#{name:.2}", identity="id")

    class Monthly(Entity, table=usage):
        service: str
        day: date
        primary = Key("USAGE#{service}", "{day:%Y-%m}", one_per_bucket="day")

    class Draft(Entity, table=usage):
        id: str | None = None
        primary = Key("DRAFT#{id}", "META", assigned_later="id", disjoint="ids of places have no #")

    sequence("places", table=usage)
    notes = {each["name"]: each["notes"] for each in design_data([usage])["tables"][0]["entities"]}

    assert notes == {
        "Place": ["primary: identified by id"],
        "Monthly": ["primary: one item per bucket of day"],
        "Draft": ["primary: id assigned later, disjoint: ids of places have no #"],
        "PlacesSequence": ["primary: single item"],
    }


def test_the_formats_of_stored_fields_are_noted() -> None:
    leases = Table("leases")

    class Lease(Entity, table=leases):
        id: str
        until: Annotated[datetime, Stored("epoch-seconds", reads=["iso-seconds"])]
        primary = Key("LEASE#{id}", "META")

    entity = design_data([leases])["tables"][0]["entities"][0]

    assert entity["notes"] == ["stored: until as epoch-seconds, also iso-seconds"]
    assert entity["fields"][1]["markers"] == [
        {"marker": "Stored", "formats": ["epoch-seconds", "iso-seconds"]}
    ]


def test_a_value_that_is_unique_within_others_has_a_note_and_no_key_of_its_own() -> None:
    theatre = Table("theatre")

    class Seat(Entity, table=theatre):
        id: str
        show: str
        day: str
        seat: Annotated[str, Unique(within=("show", "day"))]
        primary = Key("SEAT#{id}", "META")

    data = design_data([theatre])
    [entity] = data["tables"][0]["entities"]

    assert entity["notes"] == ["unique: seat within show and day"]
    assert entity["fields"][3]["markers"] == [{"marker": "Unique", "within": ["show", "day"]}]
    assert read(design_mermaid(data)).entities["Seat"][-1] == ["str", "seat"]
