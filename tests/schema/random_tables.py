"""Random tables that DynamoDB would accept."""

from __future__ import annotations

from hypothesis import strategies as st

from pksk.schema import GSI, LSI, B, KeyAttribute, N, OnDemand, Provisioned, S, Table, VectorIndex

NAMES = st.text("abcXYZ019_.-", min_size=3, max_size=12)
# Each name has one type everywhere, so that no two keys contradict each other.
KEYS: list[KeyAttribute] = [
    *(S(name) for name in ("pk", "sk", "day", "größe", "a b")),
    *(N(name) for name in ("total", "n.1")),
    *(B(name) for name in ("digest", "#")),
]
ATTRIBUTES = st.sampled_from(["name", "status", "note", "pk", "total", "x.y", "ñ"])
PROJECTIONS = st.sampled_from(["all", "keys"]) | st.lists(ATTRIBUTES, min_size=1, unique=True)
UNITS = st.integers(1, 40_000)
STREAMS: st.SearchStrategy[bool | str] = st.sampled_from(
    [True, False, "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES"]
)
TAGS = st.dictionaries(st.text("ab:/é ", min_size=1), st.text(max_size=5), max_size=4)
PROVISIONED = st.builds(Provisioned, UNITS, UNITS)
ON_DEMAND = st.builds(OnDemand, st.none() | UNITS, st.none() | UNITS)


@st.composite
def gsis(draw: st.DrawFn, name: str, billing: Provisioned | OnDemand) -> GSI:
    attributes = draw(st.permutations(KEYS))
    cut, end = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    own: st.SearchStrategy[Provisioned | OnDemand] = (
        PROVISIONED if isinstance(billing, Provisioned) else ON_DEMAND
    )
    return GSI(
        name,
        pk=attributes[:cut] if cut > 1 else attributes[0],
        sk=attributes[cut : cut + end] or None,
        projection=draw(PROJECTIONS),
        billing=draw(st.none() | own),
    )


@st.composite
def vector_indexes(draw: st.DrawFn, name: str) -> VectorIndex:
    attributes = draw(st.permutations(KEYS))
    return VectorIndex(
        name,
        attribute=draw(st.sampled_from(["embedding", "vector"])),
        dimensions=256,
        distance=draw(st.sampled_from(["cosine", "euclidean", "dot"])),
        pk=draw(st.none() | st.just(attributes[0])),
        filters=attributes[1 : 1 + draw(st.integers(0, 4))],
        projection=draw(PROJECTIONS),
    )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    billing = draw(PROVISIONED | ON_DEMAND)
    pk, sk, *others = draw(st.permutations(KEYS))
    sort = draw(st.none() | st.just(sk))
    names = draw(st.lists(NAMES, min_size=12, max_size=12, unique=True))
    counts = [draw(st.integers(0, most)) for most in (5, 3, 3)]
    indexes: list[GSI | LSI | VectorIndex] = [draw(gsis(names.pop(), billing)) for _ in range(counts[0])]
    if sort:
        lsis = zip(names, others[: counts[1]], strict=False)
        indexes += [LSI(name, sk=other, projection=draw(PROJECTIONS)) for name, other in lsis]
    if isinstance(billing, OnDemand):
        indexes += [draw(vector_indexes(name)) for name in names[-counts[2] :] if counts[2]]
    return Table(
        draw(NAMES),
        pk=pk,
        sk=sort,
        indexes=draw(st.permutations(indexes)),
        stream=draw(STREAMS),
        ttl=draw(st.sampled_from([None, "expires", "total"])),
        billing=billing,
        table_class=draw(st.sampled_from(["standard", "infrequent-access"])),
        discriminator=draw(st.sampled_from([None, "type", "kind"])),
        deletion_protection=draw(st.booleans()),
        tags=draw(TAGS),
        encryption=draw(st.sampled_from([None, "aws-managed", "alias/orders"])),
    )
