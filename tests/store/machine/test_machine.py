"""The store against a model of it, on every sort of store that is in this process."""

from __future__ import annotations

from hypothesis import settings

from tests.store.machine.machine import StoreMachine

TestInMemory = StoreMachine.TestCase
TestInMemory.settings = settings(max_examples=60, stateful_step_count=30, report_multiple_bugs=False)
