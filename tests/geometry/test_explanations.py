"""Every example in the explanations raises the error that it explains."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pksk
from pksk.errors import NotConfigured, PkskError
from pksk.geo import Geometry, read_features, read_geometry
from tests.geometry.shapes import polygon, square

PAGE = (Path(pksk.__file__).parent / "explanations" / "geometry.md").read_text("utf-8")
EXAMPLES = {
    section.partition("\n")[0]: line.strip()
    for section in PAGE.split("\n## ")[1:]
    for line in section.splitlines()
    if line.startswith("    ")
}


def without_shapely(code: str) -> None:
    """Run code in a Python that has no shapely."""
    hidden = f"import sys\nsys.modules['shapely'] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert "pksk explain geometry-extra" in done.stderr
    raise NotConfigured("geometry-extra", done.stderr)


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_raises_the_error_that_it_explains(code: str) -> None:
    names = {
        "Geometry": Geometry,
        "park": read_geometry(polygon(square(0, 0, 1))),
        "read_features": read_features,
        "read_geometry": read_geometry,
        "without_shapely": without_shapely,
    }

    with pytest.raises(PkskError) as caught:
        eval(EXAMPLES[code], names)

    assert caught.value.code == code
