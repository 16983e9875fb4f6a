"""The records system, as `pksk demo records` and its own command run it."""

from __future__ import annotations

from ..tour import System
from .catalogue import Category, Post
from .data import generate, last_id
from .people import User
from .places import Place, PlaceWord
from .registers import Record
from .tables import ids, records
from .tour import run_tour

system = System(
    "records",
    "old registers with their places and names, all in one table",
    tables=(records,),
    generate=generate,
    run_tour=run_tour,
    items=3000,
    after_load=lambda db, items: db.reconcile(ids, last_id(items)),
    keys=(
        Category.by_kind,
        Post.by_kind,
        Record.primary,
        Record.by_post,
        Place.by_name,
        Place.by_plain_name,
        PlaceWord.primary,
        User.by_login,
    ),
    commands=(("load", "3,000 items in records.db"), ("place 'Autauga Co., Ala.'", "which place that is")),
)
