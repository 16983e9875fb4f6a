"""References: what an entity refers to is there when it is written."""

from __future__ import annotations

from datetime import date

import pytest

from pksk import DesignError, F, Put, ReferenceMissing, Store, TransactionFailed
from tests.store.doors import Door
from tests.store.shop import Customer, Invoice, Order, shop
from tests.store.table_contents import items_of

ANN = Customer(customer="7", name="Ann")
ORDER = Order(customer="7", number=1, day=date(2025, 3, 1))
THE_INVOICE = Invoice.primary.update(id="1")


def test_a_put_with_its_reference_there(db: Store) -> None:
    db.put(ANN)
    invoice = db.put(Invoice(id="1", buyer="7"))

    assert db.get(Invoice.primary.get(id="1")) == invoice


def test_a_put_with_its_reference_missing_says_which(db: Store, door: Door) -> None:
    with pytest.raises(ReferenceMissing) as caught:
        db.put(Invoice(id="1", buyer="7"))

    assert caught.value.field == "buyer"
    assert caught.value.key == {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}}
    assert str(caught.value) == (
        "Put of Invoice: buyer refers to Customer(customer='7'), and there is no item pk = 'CUST#7', sk = 'PROFILE'.\n"
        "Fix: store the Customer first, or in the same transaction.  (pksk explain store-reference-missing)"
    )
    assert items_of(door, shop) == []


def test_a_reference_by_two_fields(db: Store) -> None:
    db.put(ORDER)
    db.create(Invoice(id="1", customer="7", order=1))
    with pytest.raises(ReferenceMissing, match=r"order refers to Order\(customer='7', number=2\)"):
        db.create(Invoice(id="2", customer="7", order=2))


def test_a_reference_that_is_not_whole_is_none(db: Store) -> None:
    db.put(Invoice(id="1", customer="7"))
    db.put(Invoice(id="2"))


def test_an_update_checks_what_it_changes_alone(db: Store) -> None:
    db.put(ANN)
    db.put(Invoice(id="1", buyer="7"))
    db.delete(Customer.primary.delete(customer="7"))

    assert db.update(THE_INVOICE.set(amount=5)).amount == 5
    with pytest.raises(
        ReferenceMissing, match=r"Update of Invoice: buyer refers to Customer\(customer='8'\)"
    ):
        db.update(THE_INVOICE.set(buyer="8"))
    db.put(Customer(customer="8", name="Bob"))
    assert db.update(THE_INVOICE.set(buyer="8")).buyer == "8"
    assert db.update(THE_INVOICE.remove("buyer")).buyer is None


def test_an_update_of_one_of_two_fields_reads_the_other(db: Store) -> None:
    db.put(ORDER)
    db.put(ORDER.model_copy(update={"number": 2}))
    db.put(Invoice(id="1", customer="7", order=1))

    assert db.update(THE_INVOICE.set(order=2)).order == 2
    with pytest.raises(ReferenceMissing, match=r"Order\(customer='7', number=3\)"):
        db.update(THE_INVOICE.set(order=3))


def test_an_update_checks_what_it_copies_from_another_field(db: Store) -> None:
    db.put(ANN)
    db.put(Invoice(id="1", customer="9", amount=3))
    missing = r"buyer refers to Customer\(customer='9'\)"
    for copy in (F.buyer.set(F.customer), F.buyer.set(F.customer.if_not_exists("7"))):
        with pytest.raises(ReferenceMissing, match=missing):
            db.update(THE_INVOICE.apply(copy))
    with pytest.raises(ReferenceMissing, match=r"Order\(customer='9', number=3\)"):
        db.update(THE_INVOICE.apply(F.order.set(F.amount)))
    db.put(Customer(customer="9", name="Bob"))

    assert db.update(THE_INVOICE.apply(F.buyer.set(F.customer))).buyer == "9"


def test_what_is_stored_in_the_same_transaction_is_there(db: Store) -> None:
    db.transaction(Put(Invoice(id="1", buyer="7")), Put(ANN))

    assert db.get(Invoice.primary.get(id="1")) is not None


def test_a_reference_to_what_the_same_transaction_deletes_is_refused(db: Store) -> None:
    db.put(ANN)
    with pytest.raises(DesignError, match="refers to an item that the same transaction deletes"):
        db.transaction(Put(Invoice(id="1", buyer="7")), Customer.primary.delete(customer="7"))


def test_several_that_refer_to_one_item_check_it_once(db: Store) -> None:
    db.put(ANN)
    db.transaction(*(Put(Invoice(id=str(n), buyer="7")) for n in range(4)))

    assert db.count(Invoice.scan()) == 4


def test_missing_references_are_told_by_place(db: Store) -> None:
    db.put(ANN)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(Invoice(id="1", buyer="7")), Put(Invoice(id="2", buyer="8")))

    assert {place: type(error) for place, error in caught.value.failures.items()} == {1: ReferenceMissing}


def test_an_item_of_another_class_is_not_what_is_referred_to(db: Store) -> None:
    with pytest.raises(ReferenceMissing):
        db.put(Invoice(id="1", buyer="7", customer="7", order=1))
