"""Spreads on access patterns: names that are not fields are rejected when the class is declared."""

from __future__ import annotations

import pytest

from pksk import DesignError
from tests.review.designs import review_of

_DESIGN = """
    shop = Table("shop")

    class Order(Entity, table=shop):
        customer: str
        number: int
        primary = Key("{{customer}}", "{{number:06d}}")

        @access(rate=8000, items=1, item_size=400, spread={{{name!r}: Spread(values=10, largest=0.9)}})
        @classmethod
        def of_customer(cls, customer: str) -> Query["Order"]:
            return cls.primary(customer=customer)
    """


def test_a_spread_of_an_unknown_field_is_rejected() -> None:
    with pytest.raises(DesignError, match=r"spread= has 'custmer'.*\n.*\n.*did you mean 'customer'"):
        review_of(_DESIGN.format(name="custmer"))


def test_a_spread_by_field_gives_the_share_of_its_busiest_value() -> None:
    (load,) = review_of(_DESIGN.format(name="customer")).design.loads

    assert load.load.share.lowest == 0.9
    assert load.load.lowest == 3600


def test_a_spread_that_no_key_needs_is_not_missed() -> None:
    """The busiest customer receives a tenth at most, whatever the days are."""
    found = review_of(
        """
        limits = Table("limits", sk=None)

        class Window(Entity, table=limits):
            customer: Annotated[str, Spread(values=1_000, largest=0.1)]
            at: AwareDatetime
            calls: int = 0
            primary = Key("{customer}#{at:%Y-%m-%dT%H:%M}", one_per_bucket=("at",))

            @access(rate=9_000, item_size=120)
            @classmethod
            def hit(cls, customer: str, at: AwareDatetime) -> Update["Window"]:
                return cls.primary.update(customer=customer, at=at).add(calls=1).upsert()
        """
    )

    assert found.not_reviewed == ()


_OF_STATE = """
    class Job(Entity, table=Table("jobs")):
        state: Literal["open", "done"]
        job_id: str
        primary = Key("{{state}}", "{{job_id}}")

        @access(rate=10, items=5, spread={spread})
        @classmethod
        def of_state(cls, state: Literal["open", "done"]) -> Query["Job"]:
            return cls.primary(state=state)

        @access(rate=10, spread={spread})
        @classmethod
        def add(cls, job: "Job") -> Put["Job"]:
            return Put(job)
    """


@pytest.mark.parametrize("spread", ['{"state": Spread(values=3)}', "Spread(values=3)"])
def test_a_spread_of_calls_over_more_values_than_there_are_is_rejected(spread: str) -> None:
    with pytest.raises(DesignError, match=r"a spread over 3 values, but .* has 2") as raised:
        review_of(_OF_STATE.format(spread=spread))

    assert raised.value.code == "spread-values"
    review_of(_OF_STATE.format(spread=spread.replace("3", "2")))
