"""The engine in tests: inside botocore, and as fixtures of pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pksk.later import later

if TYPE_CHECKING:
    from .interception import Answers as Answers
    from .interception import Interception as Interception
    from .interception import intercept as intercept

__all__ = ["Answers", "Interception", "intercept"]

# The plugin is loaded in every run of pytest where pksk is installed, and this package with it.
__getattr__ = later(__name__, dict.fromkeys(__all__, "pksk.testing.interception"))
