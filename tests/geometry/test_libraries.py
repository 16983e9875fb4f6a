"""Without its extra, the package says how to install it."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules[{missing!r}] = None
import pksk.geo, pksk.geometry
from pksk.errors import NotConfigured
try:
    pksk.geo.read_geometry
except NotConfigured as error:
    print(error)
"""


@pytest.mark.parametrize("missing", ["numpy", "shapely"])
def test_a_missing_package_names_the_extra(missing: str) -> None:
    printed = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(missing=missing)], capture_output=True, text=True, check=True
    ).stdout

    assert printed.startswith(f"{missing} cannot be imported")
    assert 'Fix: pip install "pksk[geo]".  (pksk explain geometry-extra)' in printed


def test_the_package_loads_numpy_and_shapely_when_they_are_used() -> None:
    code = "import sys, pksk.geo, pksk.geometry; print({'numpy', 'shapely'} & set(sys.modules))"

    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
