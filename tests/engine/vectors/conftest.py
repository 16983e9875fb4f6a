"""Searches with numpy, if it is installed, and without."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(params=["numpy", "plain"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What searches compute with; without numpy, as if it were not installed."""
    if request.param == "numpy":
        pytest.importorskip("numpy")
    else:
        monkeypatch.setitem(sys.modules, "pksk.engine.vectors.numpy_vector_array", None)
    kind: str = request.param
    return kind
