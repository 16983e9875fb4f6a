"""Runs the command line as `python -m pksk`."""

from __future__ import annotations

import sys

from pksk.cli import main

if __name__ == "__main__":
    sys.exit(main())
