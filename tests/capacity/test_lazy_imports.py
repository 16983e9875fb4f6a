"""Who counts units loads nothing else."""

from __future__ import annotations

import subprocess
import sys


def test_counting_units_loads_neither_schemas_nor_prices_nor_pydantic() -> None:
    code = (
        "import sys, pksk.capacity\nprint(*(n for n in sys.modules if n.startswith(('pksk.', 'pydantic'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert sorted(done.stdout.split()) == [
        "pksk.capacity",
        "pksk.capacity.units",
        "pksk.errors",
        "pksk.lazy",
        "pksk.limits",
    ]
