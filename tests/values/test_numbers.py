"""Which texts are numbers, and the one way each is written."""

from __future__ import annotations

import pickle
from decimal import Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.values import InvalidNumber, canonical_number, parse_number
from pksk.values.numbers import decimal_text, int_text
from tests.values.strategies import NUMBERS

WIDE = Context(prec=400)

ACCEPTED = {
    "0": "0",
    "-0": "0",
    "+0.00": "0",
    "0e125": "0",
    "0e-130": "0",
    "0.0e126": "0",
    "1": "1",
    "+1": "1",
    "-1": "-1",
    "007": "7",
    "100": "100",
    ".5": "0.5",
    "-.5": "-0.5",
    "5.": "5",
    "1.e5": "100000",
    "1E5": "100000",
    "1e+5": "100000",
    "1e-5": "0.00001",
    "1.50": "1.5",
    "12.30e1": "123",
    "-12.30e-1": "-1.23",
    "1e0000000000000000000000000000005": "100000",
    "9" * 38: "9" * 38,
    "-" + "9" * 38: "-" + "9" * 38,
    "0" * 50 + "1": "1",
    "1" + "0" * 60: "1" + "0" * 60,
    "0." + "0" * 60 + "1" + "0" * 60: "0." + "0" * 60 + "1",
    "9.9999999999999999999999999999999999999e125": "9" * 38 + "0" * 88,
    "1e125": "1" + "0" * 125,
    "1e-130": "0." + "0" * 129 + "1",
    "1.5e-130": "0." + "0" * 129 + "15",
    "1" + "0" * 1000 + "e-1000": "1",
}

CONVERT = "The parameter cannot be converted to a numeric value"
DIGITS = "Attempting to store more than 38 significant digits in a Number"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"

REJECTED = {
    **dict.fromkeys(["", " ", " 1", "1 ", "1\n", "\t1", "1 000", "1_000", "1,5", "abc", "0x10"], CONVERT),
    **dict.fromkeys(
        ["1+2", "1.2.3", "+e2", "e2", "1e", "1e+", "1e1.5", ".", "+", "-", "--1", "+-1"], CONVERT
    ),
    **dict.fromkeys(["NaN", "Infinity", "-Infinity", "٣", "1٣", "²", "½", "−1"], CONVERT),  # noqa: RUF001
    **dict.fromkeys(["1e9223372036854775808", "1e-9223372036854775809", "1e" + "9" * 5000], CONVERT),
    **dict.fromkeys(["1" * 39, "-0." + "1" * 39, "1." + "0" * 37 + "1"], DIGITS),
    **dict.fromkeys(["1e126", "-1e126", "10e125", "0e126", "-0e126", "1e999999999"], OVERFLOW),
    **dict.fromkeys(["1e9223372036854775807", "1" + "0" * 126, "1e2147483648"], OVERFLOW),
    **dict.fromkeys(
        ["1e-131", "0.1e-130", "0e-131", "0.0e-130", "1e-999999999", "1e-9223372036854775808"], UNDERFLOW
    ),
}


@pytest.mark.parametrize(("text", "plain"), ACCEPTED.items(), ids=lambda text: text[:30])
def test_a_number_is_written_plainly(text: str, plain: str) -> None:
    assert canonical_number(text) == plain
    assert canonical_number(plain) == plain
    assert parse_number(text) == Decimal(plain)


@pytest.mark.parametrize(("text", "message"), REJECTED.items(), ids=lambda text: text[:30])
def test_numbers_that_the_service_rejects_raise_its_message(text: str, message: str) -> None:
    for read in (canonical_number, parse_number):
        with pytest.raises(InvalidNumber) as raised:
            read(text)

        assert raised.value.service_message == message
        assert raised.value.problem.startswith(message + ": ")
        assert raised.value.fix


def naive(number: Decimal) -> str:
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


@given(NUMBERS)
def test_canonical_agrees_with_the_decimal_module(number: Decimal) -> None:
    for text in (str(number), f"{number:E}", f"{number:f}", f"+{abs(number)}"):
        assert canonical_number(text) == naive(Decimal(text))
    assert decimal_text(number) == naive(number)


@given(st.integers(-(10**38) + 1, 10**38 - 1))
def test_an_int_keeps_every_digit(number: int) -> None:
    assert int_text(number) == str(number)
    assert parse_number(str(number)) == number


@given(st.from_regex(r"[+-]?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{0,2})?", fullmatch=True))
def test_a_short_text_is_a_number_exactly_if_it_is_a_decimal(text: str) -> None:
    try:
        expected = WIDE.create_decimal(text)
    except ArithmeticError:
        with pytest.raises(InvalidNumber):
            canonical_number(text)
    else:
        assert Decimal(canonical_number(text)) == expected
        assert parse_number(text) == expected


@given(st.text(st.sampled_from("01+-.eE _٣")))
def test_both_readers_accept_the_same_texts(text: str) -> None:
    outcomes = []
    for read in (canonical_number, parse_number):
        try:
            outcomes.append(str(Decimal(read(text)).normalize(WIDE)))
        except InvalidNumber as error:
            outcomes.append(error.code)

    assert len(set(outcomes)) == 1


def test_an_error_keeps_its_service_message_when_pickled() -> None:
    with pytest.raises(InvalidNumber) as raised:
        canonical_number("x")

    again = pickle.loads(pickle.dumps(raised.value))

    assert (str(again), again.service_message) == (str(raised.value), CONVERT)
