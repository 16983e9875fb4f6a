from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import PkskError
from pksk.server.credentials import AccessKey, read_credentials
from tests.project.tree import PACKAGE

PAGE = (PACKAGE / "explanations" / "credentials.md").read_text("utf-8")
SECTIONS = re.findall(r"^## (\S+)\n.*?^    (.+?)$", PAGE, re.MULTILINE | re.DOTALL)
SECRET = "wJalrXUtnFEMI/K7MDENG"
Write = Callable[[str], str]


@pytest.fixture
def credentials(tmp_path: Path) -> Write:
    numbers = count()

    def write(text: str) -> str:
        path = tmp_path / f"credentials-{next(numbers)}"
        path.write_text(text, "utf-8", newline="")
        return str(path)

    return write


@pytest.mark.parametrize(("code", "example"), SECTIONS)
def test_every_example_raises_the_error_it_explains(code: str, example: str, credentials: Write) -> None:
    with pytest.raises(PkskError) as raised:
        eval(example, {"read_credentials": read_credentials, "credentials": credentials})

    assert raised.value.code == code


def test_every_profile_of_a_file_is_a_key(credentials: Write) -> None:
    path = credentials(
        "# for tests\n[default]\naws_access_key_id = A\naws_secret_access_key=a/+= b#c;d\n\n"
        "[DEFAULT]\nregion = eu-west-1\n\n"
        "[other one]\r\nAWS_ACCESS_KEY_ID: B\r\naws_secret_access_key : b\r\naws_session_token = t%s\r\nregion = x\r\n"
    )

    assert read_credentials(path, {}) == {"A": AccessKey("A", "a/+= b#c;d"), "B": AccessKey("B", "b", "t%s")}


def test_keys_of_a_file_and_of_the_environment_are_both_valid(credentials: Write) -> None:
    path = credentials("[default]\naws_access_key_id = A\naws_secret_access_key = a\n")
    environ = {"PKSK_ACCESS_KEY_ID": "B", "PKSK_SECRET_ACCESS_KEY": "b", "PKSK_SESSION_TOKEN": "t"}

    assert read_credentials(path, environ) == {"A": AccessKey("A", "a"), "B": AccessKey("B", "b", "t")}


def test_one_key_in_two_profiles_is_one_key(credentials: Write) -> None:
    key = "aws_access_key_id = A\naws_secret_access_key = a\n"

    assert read_credentials(credentials(f"[one]\n{key}[two]\n{key}"), {}) == {"A": AccessKey("A", "a")}


def test_variables_that_are_empty_are_not_set() -> None:
    assert read_credentials(None, {"PKSK_ACCESS_KEY_ID": "", "AWS_ACCESS_KEY_ID": "A"}) == {}


def test_a_file_with_a_byte_order_mark_is_read(credentials: Write) -> None:
    path = credentials("\ufeff[default]\naws_access_key_id = A\naws_secret_access_key = a\n")

    assert list(read_credentials(path, {})) == ["A"]


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        ({"PKSK_ACCESS_KEY_ID": "A"}, "PKSK_SECRET_ACCESS_KEY"),
        ({"PKSK_SECRET_ACCESS_KEY": SECRET}, "PKSK_ACCESS_KEY_ID"),
        ({"PKSK_SESSION_TOKEN": SECRET}, "PKSK_ACCESS_KEY_ID"),
    ],
)
def test_half_a_key_pair_in_the_environment_raises(environ: dict[str, str], missing: str) -> None:
    with pytest.raises(PkskError) as raised:
        read_credentials(None, environ)

    assert raised.value.problem == f"the environment has no {missing}."
    assert SECRET not in str(raised.value)


BROKEN = [
    ("file", None),
    ("file", b"[default]\naws_secret_access_key = \xff" + SECRET.encode()),
    ("syntax", SECRET),
    ("syntax", f"aws_secret_access_key = {SECRET}"),
    ("syntax", f"[default]\n{SECRET}"),
    ("syntax", f"[default]\naws_secret_access_key = {SECRET}\naws_secret_access_key = {SECRET}"),
    ("syntax", f"[a]\naws_secret_access_key = {SECRET}\n[a]\naws_secret_access_key = {SECRET}"),
    ("empty", ""),
    ("incomplete", f"[default]\naws_secret_access_key = {SECRET}"),
    ("value", f"[default]\naws_access_key_id = {SECRET}\naws_secret_access_key = AKIDEXAMPLE"),
    ("value", f"[default]\naws_access_key_id = A\naws_secret_access_key = {SECRET}\n  and more"),
    ("value", f"[default]\naws_access_key_id = A\naws_secret_access_key = {SECRET}\x01"),
]


@pytest.mark.parametrize(
    ("kind", "text"), BROKEN, ids=[f"{kind}-{at}" for at, (kind, _) in enumerate(BROKEN)]
)
def test_the_error_about_an_invalid_file_has_none_of_its_secrets(
    kind: str, text: str | bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / "credentials"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(PkskError) as raised:
        read_credentials(path, {})

    error: BaseException | None = raised.value
    assert raised.value.code == f"credentials-{kind}"
    assert str(path) in raised.value.problem
    while error is not None:
        assert SECRET not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@given(st.binary(max_size=200) | st.text("[]=:#; \n\tab%\0", max_size=60).map(str.encode))
def test_any_file_is_read_or_raises_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "credentials"
    path.write_bytes(content)

    with pytest.raises(PkskError) as raised:
        read_credentials(path, {})

    assert raised.value.code.startswith("credentials-")


def test_an_invalid_file_name_raises() -> None:
    with pytest.raises(PkskError) as raised:
        read_credentials("a\0b", {})

    assert raised.value.code == "credentials-file"


def test_a_secret_that_is_not_text_is_an_error() -> None:
    with pytest.raises(PkskError) as raised:
        read_credentials(None, {"PKSK_ACCESS_KEY_ID": "A", "PKSK_SECRET_ACCESS_KEY": "\udcff"})

    assert raised.value.code == "credentials-value"


def test_the_repr_of_a_key_shows_only_its_id() -> None:
    assert repr(AccessKey("A", SECRET, "token")) == "AccessKey(key_id='A')"
    assert SECRET not in str({"A": AccessKey("A", SECRET, "token")})
