"""Rows of many partitions as one: in order, from any place, in either direction, and never too many at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pksk import Engine, F, Query, RequestFinished, RequestStarted, Store, between, gte
from pksk.model import BoundKey
from pksk.store import Core
from pksk.values import item_from_wire
from tests.conftest import LONG
from tests.store.machine.feed import KEYS, Post, feed
from tests.store.machine.paging import walked

FIRST = date(2026, 1, 1)
DAYS = st.integers(0, 700).map(lambda days: FIRST + timedelta(days=days))
RANKS = st.integers(0, 4)
MANY = settings(max_examples=2000 if LONG else 30, suppress_health_check=[HealthCheck.too_slow])


@dataclass
class Outstanding:
    """The pages that were read, and the rows of each that were not returned yet."""

    pages: list[set[int]] = field(default_factory=list)
    most: int = 0
    requests: int = 0

    def hook(self, sending: RequestStarted) -> Any:
        def finish(done: RequestFinished) -> None:
            if sending.operation == "Query" and done.answer is not None:
                self.requests += 1
                self.pages.append({int(item["pk"]["S"][5:]) for item in done.answer["Items"]})
                self.most = max(self.most, sum(map(bool, self.pages)))

        return finish

    def had(self, post: Post) -> None:
        for page in self.pages:
            page.discard(post.id)


@dataclass(frozen=True)
class Case:
    """Posts in a table of their own, and a query of them."""

    posts: list[Post]
    query: Query[Post]
    size: int | None
    limit: int

    def opened(self, *hooks: Any) -> Store:
        db = Store(Engine.open(), Core(secret=b"of the feed", hooks=hooks))
        db.create_tables(feed)
        if self.posts:
            db.batch_put(*self.posts)
        return db

    @property
    def paged(self) -> Query[Post]:
        return self.query if self.size is None else self.query.pages(self.size)


def _random_query(name: str, draw: st.DrawFn) -> Query[Post]:
    key = BoundKey(Post, name)
    if name in ("months", "both"):
        low, high = sorted((draw(DAYS), draw(DAYS)))
        return key(day=between(low, high))
    if name in ("ranks", "spread", "keys") and draw(st.booleans()):
        return key(rank=gte(draw(RANKS)))
    return key()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Few ranks and days, so that many sort keys are equal."""
    rows = draw(st.lists(st.tuples(DAYS, RANKS), max_size=60))
    if draw(st.booleans()):
        rows = [(FIRST + timedelta(days=day.day % 3 * 15), rank) for day, rank in rows]
    name = draw(st.sampled_from(KEYS))
    query = _random_query(name, draw)
    query = (
        query.filter(F.rank >= draw(RANKS))
        if name not in ("loose", "keys") and draw(st.booleans())
        else query
    )
    query = query.hydrate() if name == "keys" else query
    query = query.reverse() if draw(st.booleans()) else query
    posts = [Post(id=number, day=day, rank=rank) for number, (day, rank) in enumerate(rows)]
    return Case(posts, query, draw(st.sampled_from([None, 1, 2, 3, 7])), draw(st.integers(1, 9)))


def expected(case: Case, db: Store) -> list[Post]:
    """All rows by single requests, sorted; of equal ones those of the lane that comes first, as it has them."""
    plan, found = case.query.plan, []
    index = feed.index(plan.index)
    requests = iter(plan.requests)
    for group in plan.group_sizes if plan.requests else ():
        rows = []
        for lane in range(group):
            request = {name: value for name, value in next(requests).items() if name != "Limit"}
            items = map(item_from_wire, db.client.call("Query", request)["Items"])
            rows += [(tuple(item[each] for each in index.sort), lane, item) for item in items]
        if case.query.descending:
            # Sorting keeps the order of equal ones, and the last lane is then the first.
            rows.sort(key=lambda each: each[1], reverse=True)
            rows.sort(key=lambda each: each[0], reverse=True)
        else:
            rows.sort(key=lambda each: each[:2])
        found += [case.posts[int(item["pk"][5:])] for _, _, item in rows]
    return found


@MANY
@given(cases())
def test_rows_of_all_partitions_come_as_if_sorted(case: Case) -> None:
    db = case.opened()
    rows = expected(case, db)

    assert list(db.iter(case.paged)) == rows
    assert list(db.iter(case.paged.limit(case.limit))) == rows[: case.limit]
    assert list(db.iter(case.paged.reverse())) == rows[::-1]
    assert db.count(case.paged) == len(rows)
    assert db.first(case.paged) == (rows[0] if rows else None)


@MANY
@given(cases())
def test_merged_rows_are_those_of_a_sorted_list(case: Case) -> None:
    db = case.opened()
    ranges, wanted = {"day": date, "rank": int}, {post.id: post for post in case.posts}
    found = list(db.iter(case.paged))

    for name in ranges:
        operators = [ask.values.get(name) for ask in case.query.key_queries]
        wanted = {n: post for n, post in wanted.items() if all(_accepts(o, post, name) for o in operators)}
    condition = case.query.condition
    if condition is not None:
        least = int(condition.right.wire["N"])  # type: ignore[attr-defined]
        wanted = {n: post for n, post in wanted.items() if post.rank >= least}
    assert {post.id: post for post in found} == wanted
    assert len(found) == len(wanted)


def _accepts(operator: Any, post: Post, name: str) -> bool:
    return operator is None or bool(operator.accepts(getattr(post, name)))


@MANY
@given(cases(), st.data())
def test_pages_from_any_cursor_are_slices(case: Case, data: st.DataObject) -> None:
    db = case.opened()
    rows, query = list(db.iter(case.query)), case.paged.limit(case.limit)
    whole = db.page(case.query.limit(len(rows) + 1))
    assert list(whole) == rows
    place = data.draw(st.integers(0, max(len(rows) - 1, 0)))

    assert [row for page in walked(db, query, "after", None) for row in page] == rows
    if not rows:
        return
    cursor = whole.cursor(place)
    following = walked(db, query, "after", cursor)
    preceding = walked(db, query, "before", cursor)
    assert [row for page in following for row in page] == rows[place + 1 :]
    assert [row for page in reversed(preceding) for row in page] == rows[:place]
    # Full, but for the last one.
    assert all(len(page) == case.limit for page in (*following[:-1], *preceding[:-1]))


@MANY
@given(cases())
def test_cursors_are_the_same_wherever_a_page_begins(case: Case) -> None:
    db = case.opened()
    whole = db.page(case.query.limit(100))
    query = case.paged.limit(case.limit)

    for place in range(len(whole)):
        after = db.page(query, after=whole.cursor(place))
        behind = range(place + 1, min(place + 1 + case.limit, len(whole)))
        assert [after.cursor(number) for number in range(len(after))] == [whole.cursor(n) for n in behind]


@MANY
@given(cases(), st.integers(1, 3))
def test_memory_holds_one_page_for_each_active_paginator(case: Case, size: int) -> None:
    watched = Outstanding()
    db = case.opened(watched.hook)
    plan = case.query.plan
    # Groups are read ahead as far as requests may be on their way at once.
    most = max((*plan.group_sizes, Core().max_parallel))

    for post in db.iter(case.query.pages(size)):
        watched.had(post)

    assert watched.most <= most


@MANY
@given(cases())
def test_stopping_after_the_first_row_reads_only_the_first_group(case: Case) -> None:
    watched = Outstanding()
    db = case.opened(watched.hook)
    in_first_group = _rows_of_first_group(case, db)
    watched.requests = 0

    next(iter(db.iter(case.query)), None)

    if in_first_group:
        assert watched.requests == case.query.plan.group_sizes[0]


def _rows_of_first_group(case: Case, db: Store) -> int:
    plan = case.query.plan
    first = plan.requests[: plan.group_sizes[0]]
    return sum(db.client.call("Query", request)["Count"] for request in first)


def test_read_ahead_respects_the_limit_of_parallel_requests() -> None:
    posts = [Post(id=n, day=FIRST + timedelta(days=n * 3 % 700), rank=n % 5) for n in range(400)]
    watched = Outstanding()
    query = BoundKey(Post, "both")(day=between(FIRST, FIRST + timedelta(days=700)))
    db = Case(posts, query, None, 1).opened(watched.hook)

    for post in db.iter(query):
        watched.had(post)

    assert query.plan.group_sizes == (4,) * 24
    assert watched.most <= Core().max_parallel
