"""The example of every explanation about maps raises its code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from pksk.cells import children
from pksk.cli.explain import explanations
from pksk.errors import PkskError
from pksk.geo import MapCell, MapPage
from tests.cli.run_pksk import SOURCE, pksk
from tests.geo.map_files import write_map_files

CODES = re.findall(r"^## (\S+)", (SOURCE / "pksk/explanations/maps.md").read_text("utf-8"), re.M)
# The design that an example of a command means by heat.py and shop.py.
DESIGNS = {"map-several-entities": "spots.py"}


@pytest.mark.parametrize("code", CODES)
def test_every_example_raises_the_error_it_explains(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    [example] = re.findall(r"^    (.*)$", explanations()[code], re.M)
    if not example.startswith("pksk"):
        with pytest.raises(PkskError) as raised:
            run_python(example)
        assert raised.value.code == code
        return
    write_map_files()
    words = shlex.split(example.replace("heat.py", DESIGNS.get(code, "heat.py")))

    ran = pksk(*words[1:])

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith(f"(pksk explain {code})\n")


def run_python(example: str) -> None:
    every_cell = [child for cell in children("gc") for each in children(cell) for child in children(each)]
    names: dict[str, Any] = {"MapPage": MapPage, "MapCell": MapCell, "every_cell": every_cell}
    value = eval(example, names)
    (value if isinstance(value, MapPage) else MapPage("Heat", cells=[value])).html()
