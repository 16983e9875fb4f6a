"""Every example in the explanations of spreads raises the error that it explains, and rules are explained too."""

from __future__ import annotations

from typing import Annotated

import pytest

from pksk import PkskError
from pksk.cli.explain import explanations
from pksk.review import RULES
from tests.model.explanation_examples import examples_of, run_example
from tests.project.tree import ROOT

EXAMPLES = {code: text for code, text in examples_of("review").items() if not code.startswith("check-")}
NAMES = {"Annotated": Annotated}


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_raises_the_error_that_it_explains(code: str) -> None:
    with pytest.raises(PkskError) as caught:
        run_example(EXAMPLES[code], code, NAMES)

    assert caught.value.code == code


@pytest.mark.parametrize("code", [each.code for each in RULES])
def test_a_rule_is_explained_by_its_documentation(code: str) -> None:
    assert "## Use instead" in explanations()[code]


@pytest.mark.parametrize("code", [each.code for each in RULES])
def test_a_rule_has_a_row_in_the_document_about_reviews(code: str) -> None:
    assert f"\n| `{code}` | " in (ROOT / "docs/review.md").read_text("utf-8")
