"""The examples in the explanations of errors."""

from __future__ import annotations

import re
from importlib.resources import files
from textwrap import dedent
from typing import Any

import pksk

__all__ = ["examples_of", "run_example"]


def examples_of(area: str) -> dict[str, str]:
    """The example of each error code that a file of explanations has a section for."""
    text = files(pksk).joinpath(f"explanations/{area}.md").read_text("utf-8")
    return {
        section.splitlines()[0].strip(): dedent("\n".join(re.findall(r"(?m)^    .*$", section)))
        for section in text.split("\n## ")[1:]
    }


def run_example(example: str, code: str, names: dict[str, Any]) -> None:
    """Run an example with the public names and others; its annotations are evaluated where they are written."""
    public = {name: getattr(pksk, name) for name in pksk.__all__}
    exec(compile(example, code, "exec", dont_inherit=True), {**public, **names})
