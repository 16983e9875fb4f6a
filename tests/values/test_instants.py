"""Durations as text are those that entities store."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic_core import to_jsonable_python

from pksk.values.instants import duration_text


@given(st.timedeltas() | st.integers(-(10**6), 10**6).map(lambda seconds: timedelta(seconds=seconds)))
@example(timedelta.min)
@example(timedelta.max)
@example(timedelta(0))
@example(timedelta(days=365))
def test_a_duration_has_the_text_that_pydantic_writes(value: timedelta) -> None:
    assert duration_text(value) == to_jsonable_python(value)
