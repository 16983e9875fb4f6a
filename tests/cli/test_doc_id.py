"""`pksk doc-id`."""

from __future__ import annotations

import json

import pytest

from tests.cli.run_pksk import pksk


def test_an_id_joins_both_keys() -> None:
    assert pksk("doc-id", "make", "geozone::park_1", "1").out == "geozone::park_1#1\n"


def test_numbers_and_bytes_keep_their_type() -> None:
    ran = pksk("doc-id", "make", "00ff", "12.0", "--pk-type", "B", "--sk-type", "N")

    assert ran.out == "%bAP8#%n12\n"


def test_parse_prints_name_type_and_value() -> None:
    assert pksk("doc-id", "parse", "QUEUE%237#%n12").out == "pk  S  QUEUE#7\nsk  N  12\n"


def test_parse_as_json_gives_dynamodb_json() -> None:
    ran = pksk("doc-id", "parse", "QUEUE%237#%n12", "--json")

    assert json.loads(ran.out) == {"pk": {"S": "QUEUE#7"}, "sk": {"N": "12"}}


def test_a_hashed_id_is_reported_as_a_hash() -> None:
    document = json.loads(pksk("doc-id", "make", "x" * 600, "--json").out)

    assert document["hashed"] is True
    assert "doc-id-hashed" in pksk("doc-id", "parse", document["id"]).err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["make", ""], "doc-id-key"),
        (["make", "a", "x", "--sk-type", "N"], "argument-value"),
        (["parse", "a#b#c"], "doc-id-invalid"),
    ],
)
def test_an_invalid_id_is_an_error(arguments: list[str], code: str) -> None:
    ran = pksk("doc-id", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert f"(pksk explain {code})" in ran.err
