"""The lessons as a system: what `pksk demo lessons` runs."""

from __future__ import annotations

from ..tour import System
from .data import generate
from .design import TABLES
from .mistakes import BucketedEvent, ShardedEvent
from .patterns import Address, Order, Possession, Purchase, User
from .tour import run_tour

system = System(
    "lessons",
    "which keys spread load, which do not, and what that costs",
    tables=tuple(TABLES),
    generate=generate,
    run_tour=run_tour,
    items=2000,
    keys=(
        User.primary,
        Order.primary,
        Possession.primary,
        Address.primary,
        Purchase.primary,
        ShardedEvent.primary,
        BucketedEvent.primary,
    ),
    commands=(("compare 3 --items 1000", "one comparison with more items"), ("ids", "what ids cost")),
)
