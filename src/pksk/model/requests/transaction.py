"""The Transaction request: several reads or several writes, all or nothing."""

from __future__ import annotations

from typing import Any

from pksk.dataclass import dataclass
from pksk.errors import DesignError, InvalidValue, quote
from pksk.limits import TRANSACTION_ITEMS, TRANSACTION_TOKEN_LENGTH
from pksk.model.declaration import E_co
from pksk.model.requests.check import Check
from pksk.model.requests.delete import Delete
from pksk.model.requests.get import Get
from pksk.model.requests.members import E, RequestGroup, check_members, member_fix
from pksk.model.requests.put import Put
from pksk.model.requests.request import Request
from pksk.model.requests.update import Update
from pksk.model.writes.size_limits import check_transaction_bytes


def transaction(
    *requests: Get[E] | Put[E] | Update[E] | Delete[E] | Check[E], token: str | None = None
) -> Transaction[E]:
    """Writes and checks that happen all or not at all, or reads at one moment; over any tables.

    With a `token`, DynamoDB executes the transaction only once, even if it is sent again within ten minutes.

    Example:
        >>> from pksk import Entity, Key, Put, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> made = transaction(Put(Order(id="8")), Order.primary.check(id="7"))
        >>> made.operation, [list(each) for each in made.request["TransactItems"]]
        ('TransactWriteItems', [['Put'], ['ConditionCheck']])
    """
    for each in requests:
        if not isinstance(each, Request) or not each.action:
            raise DesignError(
                "write-not-a-member",
                f"transaction: {type(each).__name__} cannot be in a transaction.",
                expected="A transaction holds Puts, Updates, Deletes and Checks, or Gets.",
                fix=member_fix("transaction", each) or "a query is run by itself, before or after.",
            )
    if len(requests) > TRANSACTION_ITEMS:
        raise DesignError(
            "write-transaction-size",
            f"transaction: {len(requests)} members; DynamoDB allows {TRANSACTION_ITEMS}, and two halves would not be "
            "all or nothing.",
            fix="design the change so that fewer items have to change together, "
            "or use batches, whose writes are independent.",
        )
    check_members("transaction", requests)
    _check_token(requests[0], token)
    check_transaction_bytes(each.size for each in requests)
    return Transaction(requests, token)


def _check_token(first: Request, token: str | None) -> None:
    if token is None:
        return
    fits = isinstance(token, str) and 1 <= len(token) <= TRANSACTION_TOKEN_LENGTH
    if not fits or first.reads:
        raise InvalidValue(
            "write-token",
            f"transaction: token={quote(token)}.",
            expected=f"A token is text of 1 to {TRANSACTION_TOKEN_LENGTH} characters, for writes only.",
            fix="give a UUID as text, or leave it out.",
        )


@dataclass(frozen=True)
class Transaction(RequestGroup[E_co]):
    """Several requests that happen all or not at all.

    `members` are the requests as they were passed. If an update needs fields of its item, a store reads them, and
    creates the transaction again with the complete update.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> transaction(Order.primary.get(id="7")).request["TransactItems"]
        [{'Get': {'TableName': 'orders', 'Key': {'pk': {'S': 'ORDER#7'}, 'sk': {'S': 'META'}}}}]
    """

    kind = "transaction"
    operations = ("TransactGetItems", "TransactWriteItems")

    token: str | None = None

    @property
    def fields_to_read(self) -> dict[int, tuple[str, ...]]:
        """The fields that must be read first, by the index of the update that needs them."""
        return {index: each.fields_to_read for index, each in enumerate(self.members) if each.fields_to_read}

    @property
    def request(self) -> dict[str, Any]:
        """The TransactWriteItems or TransactGetItems request."""
        request: dict[str, Any] = {"TransactItems": [_transact_item(each) for each in self.members]}
        return request | ({"ClientRequestToken": self.token} if self.token is not None else {})


def _transact_item(member: Get | Put | Update | Delete | Check) -> dict[str, Any]:
    request = member.request
    # Reads of a transaction are always consistent: TransactGetItems has no option for it.
    request.pop("ConsistentRead", None)
    return {member.action: request}
