"""The keys, region, endpoint and headers of a client, and the errors when they are missing."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

import pksk
from pksk.client import NOT_CONFIGURED, NOT_SENT
from pksk.errors import NotConfigured

from .both_clients import Open, error_of
from .faulty_server import FaultyServer, faulty_server, replies

ANSWER = replies("200 OK", b'{"TableNames":[]}')
ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders"


def _head(server: FaultyServer) -> str:
    """The head of the one request that came."""
    (request,) = server.requests
    return request.partition(b"\r\n\r\n")[0].decode()


def _sent(open_client: Open, **options: Any) -> str:
    with faulty_server(ANSWER) as server:
        assert open_client(endpoint=server.url, **options).call("ListTables", {}) == {"TableNames": []}
        return _head(server)


def _keys(monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    for name, value in {"ACCESS_KEY_ID": "AKIDOFENV", "SECRET_ACCESS_KEY": "hidden", **more}.items():
        monkeypatch.setenv(f"AWS_{name}", value)


def test_an_endpoint_needs_no_keys_and_no_region(client_of: Open) -> None:
    head = _sent(client_of)

    assert "Credential=pksk/" in head
    assert "/us-east-1/dynamodb/aws4_request" in head


def test_requests_to_an_endpoint_are_signed_with_the_configured_keys_and_region(
    client_of: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _keys(monkeypatch, DEFAULT_REGION="eu-central-1")

    head = _sent(client_of)

    assert "Credential=AKIDOFENV/" in head
    assert "/eu-central-1/dynamodb/aws4_request" in head
    assert "hidden" not in head


def test_options_take_precedence_over_the_environment(
    client_of: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _keys(monkeypatch, DEFAULT_REGION="eu-central-1")

    head = _sent(client_of, region="eu-west-2", access_key="AKID", secret_key="known", session_token="token")

    assert "Credential=AKID/" in head
    assert "/eu-west-2/dynamodb/aws4_request" in head
    assert "x-amz-security-token: token" in head.lower()
    assert "known" not in head


def test_a_profile_has_keys_and_a_region(client_of: Open, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile shop]\nregion = ca-central-1\n")
    (tmp_path / "credentials").write_text(
        "[shop]\naws_access_key_id = AKIDOFSHOP\naws_secret_access_key = x\n"
    )

    head = _sent(client_of, profile="shop")

    assert "Credential=AKIDOFSHOP/" in head
    assert "/ca-central-1/dynamodb/aws4_request" in head


@pytest.mark.parametrize("endpoint", [None, "http://127.0.0.1:9"])
def test_the_error_about_a_missing_profile_names_it(client_of: Open, endpoint: str | None) -> None:
    with pytest.raises(NotConfigured) as caught:
        client_of(region="eu-west-1", profile="shpo", endpoint=endpoint)

    assert str(caught.value) == (
        "There is no profile 'shpo'.\n"
        "There are no profiles.\n"
        "Fix: create it: aws configure --profile shpo.  (pksk explain aws-profile)"
    )


def test_a_mistyped_profile_in_the_environment_raises(
    client_of: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("[profile shop]\nregion = ca-central-1\n[default]\n")
    monkeypatch.setenv("AWS_PROFILE", "shpo")
    with pytest.raises(NotConfigured) as caught:
        client_of()

    assert str(caught.value) == (
        "There is no profile 'shpo', which AWS_PROFILE names.\n"
        "Profiles of ~/.aws are: 'default', 'shop'.\n"
        "Fix: did you mean 'shop'?  (pksk explain aws-profile)"
    )


def test_an_unreadable_config_file_raises(client_of: Open, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("no section\n")
    with pytest.raises(NotConfigured, match=r"cannot be read: ConfigParseError: .*config") as caught:
        client_of(region="eu-west-1")

    assert caught.value.code == "aws-profile"


def test_the_user_agent_names_pksk(client_of: Open) -> None:
    assert f"pksk/{pksk.__version__}" in _sent(client_of)


@pytest.mark.parametrize("operation", ["ListTables", "ListStreams"])
def test_without_keys_nothing_is_sent_to_aws(client_of: Open, operation: str) -> None:
    error = error_of(client_of(region="eu-west-1"), operation)

    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert error.message == (
        f"{operation} was not sent to DynamoDB in eu-west-1: there are no AWS credentials. "
        "Fix: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile of ~/.aws."
    )


def test_without_a_region_nothing_is_sent_to_aws(client_of: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _keys(monkeypatch)
    with pytest.raises(NotConfigured) as caught:
        client_of()

    assert caught.value.code == "aws-region"
    assert caught.value.problem == "There is no region in the options, in the environment or in ~/.aws."
    assert caught.value.fix.endswith("or set AWS_DEFAULT_REGION.")


def test_the_error_about_a_profile_without_a_region_names_it(client_of: Open, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile shop]\noutput = json\n")
    with pytest.raises(NotConfigured, match="or in the profile 'shop'"):
        client_of(profile="shop")


def test_an_invalid_region_in_the_environment_raises(
    client_of: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu west")
    with pytest.raises(NotConfigured, match="The region is 'eu west', which is not the name of a region"):
        client_of()


def test_half_a_key_pair_raises(client_of: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDOFENV")

    for options in ({"region": "eu-west-1"}, {"endpoint": "http://127.0.0.1:9"}):
        error = error_of(client_of(**options))

        assert (error.code, error.status) == (NOT_CONFIGURED, 0)
        assert str(error.message).endswith(
            "of the AWS credentials, AWS_SECRET_ACCESS_KEY is missing. Fix: set it too, or unset the others."
        )


def test_the_error_about_a_profile_without_keys_names_it(client_of: Open, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile shop]\noutput = json\n")

    error = error_of(client_of(region="eu-west-1", profile="shop"))

    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert str(error.message).endswith(
        "the profile 'shop' has no AWS credentials. Fix: add them: aws configure --profile shop."
    )


def test_an_invalid_endpoint_in_the_environment_raises(
    client_of: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _keys(monkeypatch)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "localhost:8000")

    error = error_of(client_of(region="eu-west-1"))

    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert str(error.message).endswith(
        "AWS_ENDPOINT_URL is 'localhost:8000'. Fix: set it to http://host:port or https://host:port."
    )


def test_an_unreachable_source_of_credentials_can_be_retried(
    client_of: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", f"http://127.0.0.1:{free.getsockname()[1]}")
    (tmp_path / "config").write_text(
        "[profile shop]\nrole_arn = arn:aws:iam::123456789012:role/shop\nsource_profile = base\n"
        "[profile base]\naws_access_key_id = AKID\naws_secret_access_key = x\n"
    )
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")

    error = error_of(client_of(region="eu-west-1", profile="shop"))

    assert (error.code, error.status) == (NOT_SENT, 0)


def test_invalid_credentials_raise_before_any_request(client_of: Open, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[profile shop]\ncredential_process = false\n")

    error = error_of(client_of(region="eu-west-1", profile="shop"))

    assert (error.code, error.status) == (NOT_CONFIGURED, 0)
    assert "CredentialRetrievalError" in str(error.message)
    assert " Fix: check the credentials with " in str(error.message)


@pytest.mark.parametrize(("scheme", "is_queried"), [("http", False), ("https", True)])
def test_only_clients_of_aws_query_the_instance_metadata(
    client_of: Open, monkeypatch: pytest.MonkeyPatch, scheme: str, is_queried: bool
) -> None:
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    with (
        faulty_server(replies("404 Not Found", b"")) as machine,
        socket.create_server(("127.0.0.1", 0)) as free,
    ):
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", machine.url)
        endpoint = f"{scheme}://127.0.0.1:{free.getsockname()[1]}"
        free.close()

        assert error_of(client_of(endpoint=endpoint)).code == NOT_SENT
        assert bool(machine.requests) == is_queried


def test_local_endpoints_use_no_proxy(client_of: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with faulty_server(replies("502 Bad Gateway", b"")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)

        _sent(client_of)

        assert proxy.requests == []


def test_an_endpoint_in_the_environment_is_used(client_of: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _keys(monkeypatch)
    with faulty_server(ANSWER) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.url)

        assert client_of(region="eu-west-1").call("ListTables", {}) == {"TableNames": []}


@pytest.mark.parametrize(
    ("operation", "request_", "host"),
    [
        ("ListTables", {}, "999999999999.ddb.eu-west-1"),
        ("PutItem", {"TableName": "orders"}, "999999999999.ddb.eu-west-1"),
        ("PutItem", {"TableName": ARN}, "123456789012.ddb.eu-west-1"),
        ("BatchGetItem", {"RequestItems": {"orders": {}}}, "999999999999.ddb.eu-west-1"),
        ("BatchGetItem", {"RequestItems": {ARN: {"Keys": []}}}, "123456789012.ddb.eu-west-1"),
        ("BatchWriteItem", {"RequestItems": {ARN: []}}, "123456789012.ddb.eu-west-1"),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": ARN}}]}, "123456789012.ddb.eu-west-1"),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Update": {"TableName": ARN}}]},
            "123456789012.ddb.eu-west-1",
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "x"}}]},
            "999999999999.ddb.eu-west-1",
        ),
        ("ListStreams", {}, "streams.dynamodb.eu-west-1"),
    ],
)
def test_requests_go_to_the_endpoint_of_the_account_of_the_table(
    client_of: Open, monkeypatch: pytest.MonkeyPatch, operation: str, request_: Any, host: str
) -> None:
    _keys(monkeypatch, ACCOUNT_ID="999999999999")
    with socket.create_server(("127.0.0.1", 0)) as free:  # a proxy that is not there, so that nothing leaves
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{free.getsockname()[1]}")

    error = error_of(client_of(region="eu-west-1"), operation, request_)

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert f"{operation} was not sent to https://{host}.amazonaws.com: " in str(error.message)
