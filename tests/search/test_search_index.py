"""An index has one mapping for its entities, and ids that no two items share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import DesignError, Entity, Key, Table
from pksk.search import Keyword, SearchDocument, SearchIndex, Text
from pksk.search.item_documents import item_id, part_id
from tests.search.places import Campsite, Park, places


class Old(Entity, table=Table("old", stream=True)):
    """A park of another table, whose key can equal that of a park."""

    number: int
    name: str
    primary = Key("PARK#{number}", "META")
    search = SearchDocument({"name": Text(boost=3, suggest=True)})


def test_the_mapping_is_explicit_and_has_all_fields() -> None:
    mapping = places.opensearch_mapping()["mappings"]

    kinds = {name: each.get("type") for name, each in mapping["properties"].items()}
    assert kinds == {
        "name": "text", "description": "text", "status": "keyword", "tag": "keyword", "visits": "long",
        "fee": "double", "opened": "date", "place": "geo_point", "boundary": "geo_shape", "initial": "keyword",
        "pksk": None,
    }  # fmt: skip
    assert mapping["dynamic"] is False


def test_the_version_of_the_mapping_changes_with_the_fields() -> None:
    assert places.mapping_version == SearchIndex("other", Park, Campsite).mapping_version
    assert places.mapping_version != SearchIndex("places", Park, Old).mapping_version


def test_tables_whose_keys_can_collide_get_a_namespace() -> None:
    both = SearchIndex("places", Park, Old)

    assert places.namespaces == {"reference": ""}
    assert both.namespaces == {"reference": "reference", "old": "old"}
    ids = {both.documents_of(each).id for each in (Park(id="1", name="a"), Old(number=1, name="a"))}
    assert ids == {"%treference#PARK%231#META", "%told#PARK%231#META"}


def test_a_field_of_two_entities_has_one_declaration() -> None:
    class Shop(Entity, table=Table("shops", stream=True)):
        id: str
        name: str
        primary = Key("SHOP#{id}", "META")
        search = SearchDocument({"name": Keyword()})

    with pytest.raises(DesignError) as caught:
        SearchIndex("places", Park, Shop)

    assert caught.value.code == "search-conflict"
    assert "field 'name' of Shop is type keyword" in str(caught.value)


def test_the_arguments_of_an_index_are_checked() -> None:
    class Plain(Entity, table=Table("plain")):
        id: str
        primary = Key("{id}", "META")

    for arguments in (("Places", Park), ("places",), ("places", Plain), ("places", "Park")):
        with pytest.raises(DesignError) as caught:
            SearchIndex(*arguments)
        assert caught.value.code == "search-index"


def test_a_subclass_that_shares_the_key_is_shown_as_the_entity_of_the_index() -> None:
    shops = Table("shops", stream=True, discriminator="type")

    class Shop(Entity, table=shops):
        id: str
        primary = Key("SHOP#{id}", "META")
        search = SearchDocument({"id": Keyword()})

    class Bakery(Shop, table=shops):
        bread: str = ""

    item = SearchIndex("shops", Shop).documents_of(Bakery(id="1"))

    assert item.entity == "Shop"
    assert item.documents[0].body == {"id": "1"}


def test_an_entity_of_another_index_has_no_documents_in_this_one() -> None:
    with pytest.raises(DesignError, match="Its entities are: Park, Campsite"):
        places.documents_of(Old(number=1, name="a"))


TEXTS = st.text(st.sampled_from("#%at2530"), min_size=1, max_size=4)
IDS = st.tuples(st.sampled_from(["", "a", "a#"]), TEXTS, TEXTS, st.none() | TEXTS)


@given(IDS, IDS)
def test_different_items_and_parts_have_different_ids(
    one: tuple[str, str, str, str | None], other: tuple[str, str, str, str | None]
) -> None:
    def rendered(each: tuple[str, str, str, str | None]) -> str:
        namespace, partition, sort, part = each
        item = item_id({"pk": {"S": partition}, "sk": {"S": sort}}, ("pk", "sk"), namespace)
        return item if part is None else part_id(item, part, has_sort_key=True)

    assert (rendered(one) == rendered(other)) == (one == other)
