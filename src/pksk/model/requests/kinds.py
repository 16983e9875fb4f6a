"""The list of all kinds of requests, with what each costs; loaded where a request is explained, estimated or priced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.model.cost.request_cost import RequestCost
from pksk.model.requests.members_cost import BATCH_COST, MEMBER_COSTS, TRANSACTION_COST
from pksk.model.requests.move_cost import MOVE_COST
from pksk.model.requests.nearest_cost import NEAREST_COST
from pksk.model.requests.query_cost import QUERY_COST
from pksk.model.requests.scan_cost import SCAN_COST

COSTS: Final[Mapping[str, RequestCost[Any]]] = {
    **MEMBER_COSTS,
    "query": QUERY_COST,
    "scan": SCAN_COST,
    "nearest": NEAREST_COST,
    "batch": BATCH_COST,
    "transaction": TRANSACTION_COST,
    "move": MOVE_COST,
}
