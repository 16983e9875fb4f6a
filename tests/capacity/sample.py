"""The table and the items that costs were measured with on AWS."""

from __future__ import annotations

from hypothesis import strategies as st

from pksk.schema import GSI, LSI, N, Table
from pksk.values import WireItem, item_size

KB = 1024

measured = Table(
    "measured", indexes=[GSI("gsi-inc", pk="gsiPk", projection=["proj"]), LSI("lsi-all", sk="lsiSk")]
)
narrow = Table(
    "narrow",
    indexes=[
        GSI("gsi-inc", pk="gsiPk", projection=["proj"]),
        LSI("lsi-inc", sk="lsiSk", projection=["proj"]),
    ],
)
varied = Table(
    "varied",
    indexes=[
        GSI("gsi-all", pk="one"),
        GSI("gsi-keys", pk="one", sk=N("number"), projection="keys"),
        GSI("gsi-four", pk=("one", "two"), sk=(N("number"), "other"), projection=["proj"]),
        LSI("lsi-inc", sk="two", projection=["proj", "other"]),
    ],
)


def item(**attributes: str) -> WireItem:
    """An item with the key that all tests use, and these texts."""
    return {name: {"S": text} for name, text in {"pk": "a", "sk": "b", **attributes}.items()}


def entry_of(size_bytes: int, key: str = "gsiPk", value: str = "g") -> WireItem:
    """An item of this size that is all in the index with this key: keys and `proj` alone."""
    small = item(**{key: value}, proj="")
    return small | {"proj": {"S": "x" * (size_bytes - item_size(small))}}


def item_of(size_bytes: int, base: WireItem | None = None) -> WireItem:
    """An item of this size, the rest of which no projection names."""
    small = {**(base or item()), "rest": {"S": ""}}
    return small | {"rest": {"S": "x" * (size_bytes - item_size(small))}}


_TEXTS = st.sampled_from(["a", "b", "x" * 1000, "x" * 2500]).map(lambda text: {"S": text})
_NUMBERS = st.sampled_from(["1", "1.0", "2"]).map(lambda text: {"N": text})
_SETS = st.sampled_from([["p", "q"], ["q", "p"], ["p"]]).map(lambda members: {"SS": members})
_VALUES = _TEXTS | _NUMBERS | _SETS

# Keys of the wrong type and empty ones are drawn too: AWS rejects them, and no index has them.
items: st.SearchStrategy[WireItem] = st.fixed_dictionaries(
    {"pk": st.just({"S": "a"}), "sk": st.just({"S": "b"})},
    optional={
        "one": _TEXTS | _NUMBERS | st.just({"S": ""}),
        "two": _TEXTS,
        "number": _NUMBERS,
        "other": _TEXTS,
        "proj": _VALUES,
        "rest": _VALUES,
    },
)
images: st.SearchStrategy[WireItem | None] = st.none() | items
