"""The steps that make a table as declared, in order, and the differences that no call can remove."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine import Engine
from pksk.engine.settings import Delays
from pksk.errors import SchemaError
from pksk.schema import GSI, LSI, N, OnDemand, Provisioned, Table, VectorIndex
from pksk.schema.alterations import Alterations, alterations
from tests.schema.alter_tables import START, altered, created

DAY = GSI("by-day", pk="day")
OWNER = GSI("by-owner", pk="owner")
MEANING = VectorIndex("by-meaning", attribute="embedding", dimensions=3)


def between(found: Table, declared: Table, **options: Any) -> Alterations:
    """What makes one table into another, proved on an engine."""
    engine = created(found)
    made = altered(engine, declared, **options)
    again = altered(engine, declared, **options)
    assert again.steps == ()
    assert again.impossible == made.impossible
    assert again.extra == made.extra
    return made


def descriptions(made: Alterations) -> list[str]:
    return [step.description for step in made.steps]


def test_a_table_as_declared_needs_nothing() -> None:
    table = Table("orders", indexes=[DAY], stream=True, ttl="expires", billing=Provisioned(5, 5))

    made = between(table, table)

    assert (made.steps, made.impossible, made.extra, made.differences) == ((), (), (), ())
    assert str(made) == "Table 'orders': as declared."


def test_each_index_is_a_call_of_its_own() -> None:
    made = between(
        Table("orders", indexes=[DAY]), Table("orders", indexes=[OWNER, MEANING]), remove_indexes=True
    )

    assert descriptions(made) == ["delete index 'by-day'", "make index 'by-owner'", "make index 'by-meaning'"]
    assert [step.index for step in made.steps] == ["by-day", "by-owner", "by-meaning"]
    assert [step.destructive for step in made.steps] == [True, False, False]
    assert made.steps[1].request["AttributeDefinitions"] == [{"AttributeName": "owner", "AttributeType": "S"}]
    assert "AttributeDefinitions" not in made.steps[2].request
    assert made.destructive


def test_an_index_with_another_key_or_projection_is_recreated() -> None:
    narrow = GSI("by-owner", pk="owner", projection=["total"])

    made = between(
        Table("orders", indexes=[DAY, OWNER]), Table("orders", indexes=[GSI("by-day", pk=N("day")), narrow])
    )

    assert descriptions(made) == [
        "delete index 'by-day', to create it again",
        "delete index 'by-owner', to create it again",
        "make index 'by-day'",
        "make index 'by-owner'",
    ]


def test_an_index_can_become_one_of_another_kind() -> None:
    vector = VectorIndex("by-day", attribute="day", dimensions=3)

    made = between(Table("orders", indexes=[DAY]), Table("orders", indexes=[vector]))

    assert descriptions(made) == ["delete index 'by-day', to create it again", "make index 'by-day'"]


def test_indexes_that_are_not_declared_are_left_unless_they_are_to_be_removed() -> None:
    found = Table("orders", indexes=[DAY, MEANING, LSI("local", sk="day")])

    left, removed = between(found, Table("orders")), between(found, Table("orders"), remove_indexes=True)

    assert (left.steps, left.extra, left.impossible) == ((), ("local", "by-day", "by-meaning"), ())
    assert descriptions(removed) == ["delete index 'by-day'", "delete index 'by-meaning'"]
    assert removed.impossible == (
        "index 'local': not declared, the table has it; a local index is made with its table and stays with it",
    )
    assert removed.extra == ()


def test_the_key_of_a_table_cannot_be_changed() -> None:
    made = between(Table("orders", pk=N("pk"), sk=None), Table("orders"))

    assert made.steps == ()
    assert made.impossible == (
        "pk: declared 'pk', the table has N('pk'); the key of a table is chosen once",
        "sk: declared 'sk', the table has None; the key of a table is chosen once",
    )


@pytest.mark.parametrize(
    ("found", "declared"),
    [
        ([], [LSI("local", sk="day")]),
        ([LSI("local", sk="day")], [LSI("local", sk=N("day"))]),
        ([LSI("local", sk="day")], [LSI("local", sk="day", projection="keys")]),
        ([LSI("local", sk="day")], [GSI("local", pk="day")]),
        ([GSI("local", pk="day")], [LSI("local", sk="day")]),
    ],
)
def test_local_indexes_stay_as_they_are(found: list[Any], declared: list[Any]) -> None:
    made = between(Table("orders", indexes=found), Table("orders", indexes=declared))

    assert made.steps == ()
    assert len(made.impossible) == 1
    assert made.impossible[0].endswith("; a local index is made with its table and stays with it")


def test_an_index_is_not_deleted_if_it_cannot_be_created_again() -> None:
    """Another index that stays has the attribute with another type."""
    found = Table("orders", indexes=[DAY, GSI("other", pk="owner", sk="day")])

    left = between(found, Table("orders", indexes=[GSI("by-day", pk=N("day"))]))
    removed = between(found, Table("orders", indexes=[GSI("by-day", pk=N("day"))]), remove_indexes=True)

    assert left.steps == ()
    assert left.extra == ("other",)
    assert left.impossible == (
        "index 'by-day' pk: declared N('day'), the table has 'day'; beside what stays it cannot be made: attribute "
        "'day' is of type S in index 'other', and of type N in index 'by-day'",
    )
    assert descriptions(removed)[-1] == "make index 'by-day'"
    assert removed.impossible == ()


def test_an_undeclared_index_can_prevent_new_ones() -> None:
    found = Table(
        "orders", indexes=[GSI("first", pk="a", sk="b"), GSI("second", pk="b", sk="c"), GSI("extra", pk="c")]
    )
    declared = Table("orders", indexes=[GSI("first", pk="a", sk=N("b")), GSI("second", pk=N("b"), sk=N("c"))])

    made = between(found, declared)

    assert made.steps == ()
    assert len(made.impossible) == 3


def test_the_steps_never_exceed_the_number_of_indexes() -> None:
    found = Table("orders", indexes=[GSI(f"old-{number}", pk="day") for number in range(19)])
    declared = Table("orders", indexes=[GSI(f"new-{number}", pk="day") for number in range(2)])

    left, removed = between(found, declared), between(found, declared, remove_indexes=True)

    assert descriptions(left) == ["make index 'new-0'"]
    assert "it has 21 global secondary indexes" in left.impossible[0]
    assert len(removed.steps) == 21
    assert removed.impossible == ()


def test_units_are_provisioned_for_the_table_and_every_index_that_stays() -> None:
    found = Table("orders", indexes=[DAY, OWNER])
    declared = Table(
        "orders", billing=Provisioned(9, 3), indexes=[GSI("by-day", pk="day", billing=Provisioned(2, 2))]
    )

    made = between(found, declared)

    assert descriptions(made) == [
        "provision 9 read and 3 write units, and 2 read and 2 write units for index 'by-day', "
        "and 9 read and 3 write units for index 'by-owner'"
    ]
    assert made.steps[0].request["BillingMode"] == "PROVISIONED"


def test_only_units_that_differ_are_changed() -> None:
    found = Table("orders", billing=Provisioned(9, 3), indexes=[DAY, OWNER])
    declared = Table(
        "orders",
        billing=Provisioned(9, 3),
        indexes=[DAY, GSI("by-owner", pk="owner", billing=Provisioned(1, 1))],
    )

    made = between(found, declared)

    assert [step.request for step in made.steps] == [
        {
            "TableName": "orders",
            "GlobalSecondaryIndexUpdates": [
                {
                    "Update": {
                        "IndexName": "by-owner",
                        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                    }
                }
            ],
        }
    ]


def test_other_units_of_an_index_that_stays_are_a_step_of_the_billing() -> None:
    declared = Table(
        "orders", billing=Provisioned(9, 3), indexes=[GSI("by-day", pk="day", billing=Provisioned(1, 1))]
    )
    made = alterations(declared, Table("orders", billing=Provisioned(9, 3), indexes=[DAY]).create_request())

    assert str(made).splitlines() == [
        "Table 'orders':",
        "  index 'by-day' billing: declared Provisioned(read=1, write=1), "
        "the table has Provisioned(read=9, write=3)",
        "    1. provision 1 read and 1 write units for index 'by-day'",
    ]


def test_limits_on_demand_are_set_and_taken_away() -> None:
    found = Table(
        "orders", billing=OnDemand(50, 60), indexes=[GSI("by-day", pk="day", billing=OnDemand(7, None))]
    )
    declared = Table(
        "orders", billing=OnDemand(None, 60), indexes=[GSI("by-day", pk="day", billing=OnDemand(7, 8))]
    )

    made = between(found, declared)

    assert descriptions(made) == [
        "allow any number of reads and at most 60 writes a second, "
        "and at most 7 reads and at most 8 writes a second for index 'by-day'"
    ]
    assert made.steps[0].request["OnDemandThroughput"] == {"MaxReadRequestUnits": -1}


def test_a_table_goes_on_demand_before_it_has_limits_or_a_vector_index() -> None:
    made = between(
        Table("orders", billing=Provisioned(5, 5), indexes=[DAY]),
        Table("orders", billing=OnDemand(50, None), indexes=[DAY, MEANING]),
    )

    assert descriptions(made) == [
        "bill on demand",
        "allow at most 50 reads and any number of writes a second",
        "make index 'by-meaning'",
    ]


def test_a_vector_index_that_stays_keeps_its_table_on_demand() -> None:
    found = Table("orders", indexes=[MEANING])
    declared = Table(
        "orders", billing=Provisioned(5, 5), indexes=[GSI("by-day", pk="day", billing=Provisioned(1, 1))]
    )

    left, removed = between(found, declared), between(found, declared, remove_indexes=True)

    assert descriptions(left) == ["make index 'by-day'"]
    assert left.impossible == (
        "billing: declared Provisioned(read=5, write=5), the table has OnDemand(max_read=None, max_write=None); "
        "index 'by-meaning' stays, and tables with a vector index are billed on demand",
    )
    assert descriptions(removed) == [
        "delete index 'by-meaning'",
        "provision 5 read and 5 write units",
        "make index 'by-day'",
    ]


def test_settings_are_calls_of_their_own() -> None:
    found = Table("orders", stream="NEW_IMAGE", encryption="aws-managed", deletion_protection=True)
    declared = Table("orders", stream="KEYS_ONLY", table_class="infrequent-access")

    made, back = between(found, declared), between(declared, found)

    assert descriptions(made) == [
        "switch the stream of 'NEW_IMAGE' off",
        "switch a stream of 'KEYS_ONLY' on",
        "change the table class to 'infrequent-access'",
        "encrypt with the key that DynamoDB owns",
        "protect the table from deletion no longer",
    ]
    assert descriptions(back)[0] == "protect the table from deletion"
    assert [step.destructive for step in made.steps] == [True, False, False, False, False]
    assert all(step.operation == "UpdateTable" and len(step.request) == 2 for step in made.steps)


def test_another_ttl_attribute_waits_for_an_hour() -> None:
    made = between(Table("orders", ttl="expires"), Table("orders", ttl="until", indexes=[DAY]))

    assert descriptions(made)[1:] == [
        "let items expire by 'expires' no longer",
        "let items expire by 'until'",
    ]
    assert [step.cooldown_seconds for step in made.steps] == [0, 0, 3600]
    assert [step.destructive for step in made.steps] == [False, True, False]
    assert {step.operation for step in made.steps[1:]} == {"UpdateTimeToLive"}


@pytest.mark.parametrize("status", ["ENABLING", "DISABLING"])
def test_a_ttl_change_in_progress_delays_the_next_one(status: str) -> None:
    ttl = {"TimeToLiveDescription": {"TimeToLiveStatus": status, "AttributeName": "old"}}

    made = alterations(Table("orders", ttl="new"), Table("orders").create_request(), ttl)

    assert {step.cooldown_seconds for step in made.steps} == {3600}


def test_an_unknown_ttl_is_not_compared() -> None:
    assert alterations(Table("orders", ttl="expires"), Table("orders").create_request()).steps == ()


def test_an_index_that_is_being_deleted_counts_as_missing() -> None:
    clock = [START]
    engine = Engine.open(delays=Delays(update_table=10), clock=lambda: clock[0])
    engine.call("CreateTable", Table("orders", indexes=[DAY]).create_request())
    leaving = {"TableName": "orders", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-day"}}]}
    answer = engine.call("UpdateTable", leaving)

    assert answer["TableDescription"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "DELETING"
    assert alterations(Table("orders"), answer).differences == ()
    assert descriptions(alterations(Table("orders", indexes=[DAY]), answer)) == ["make index 'by-day'"]


def test_the_description_of_another_table_raises() -> None:
    with pytest.raises(
        SchemaError, match=r"Table 'orders': the description is of table 'customers'"
    ) as caught:
        alterations(Table("orders"), Table("customers").create_request())

    assert caught.value.code == "schema-other-table"


@pytest.mark.parametrize("description", [{}, {"Table": {"TableName": "orders"}}])
def test_an_invalid_description_raises(description: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as caught:
        alterations(Table("orders"), description)

    assert caught.value.code == "schema-description"


def test_printing_lists_the_step_for_each_difference() -> None:
    found = Table("orders", sk=None, stream="NEW_IMAGE", indexes=[DAY, OWNER, MEANING])
    narrow = GSI("by-day", pk=N("day"), projection="keys", billing=OnDemand(5, 5))
    declared = Table(
        "orders", stream="KEYS_ONLY", billing=OnDemand(9, None), indexes=[narrow, GSI("by-x", pk="x")]
    )

    made = alterations(declared, found.create_request())

    assert str(made).splitlines() == [
        "Table 'orders':",
        "  sk: declared 'sk', the table has None",
        "    impossible: the key of a table is chosen once",
        "  billing: declared OnDemand(max_read=9, max_write=None), "
        "the table has OnDemand(max_read=None, max_write=None)",
        "    4. allow at most 9 reads and any number of writes a second",
        "  stream: declared 'KEYS_ONLY', the table has 'NEW_IMAGE'",
        "    1. switch the stream of 'NEW_IMAGE' off",
        "    2. switch a stream of 'KEYS_ONLY' on",
        "  index 'by-day' pk: declared N('day'), the table has 'day'",
        "  index 'by-day' projection: declared 'keys', the table has 'all'",
        "  index 'by-day' billing: declared OnDemand(max_read=5, max_write=5), "
        "the table has OnDemand(max_read=None, max_write=None)",
        "    3. delete index 'by-day', to create it again",
        "    5. make index 'by-day'",
        "  index 'by-x': declared, the table lacks it",
        "    6. make index 'by-x'",
        "  index 'by-owner': not declared, the table has it",
        "    left as it is",
        "  index 'by-meaning': not declared, the table has it",
        "    left as it is",
    ]
