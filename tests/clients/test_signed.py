"""Real clients and a server that checks their signatures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from gzip import compress
from hashlib import sha256
from typing import Any
from unittest import mock
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import boto3
import pytest
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from pksk.engine import Engine
from pksk.server import Server
from pksk.server.credentials import AccessKey
from pksk.server.signature import Verifier

from .conftest import KEY

ONCE = Config(retries={"total_max_attempts": 1})
LIST_TABLES = {
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "Content-Type": "application/x-amz-json-1.0",
}
SESSION_KEY = AccessKey("ASIAEXAMPLE", "a secret of its own", "a/token+of=its own")


def error_of(url: str, **settings: Any) -> tuple[str, str, int]:
    """The code, message and status that a client of boto3 gets."""
    client = boto3.client("dynamodb", endpoint_url=url, config=ONCE, **settings)
    with pytest.raises(ClientError) as raised:
        client.list_tables()
    client.close()
    response = raised.value.response
    return (
        response["Error"]["Code"],
        response["Error"]["Message"],
        response["ResponseMetadata"]["HTTPStatusCode"],
    )


def test_a_compressed_body_is_signed_as_it_is_sent(signed_endpoint: str) -> None:
    headers = {**LIST_TABLES, "Content-Encoding": "gzip"}
    request = AWSRequest("POST", signed_endpoint + "/", data=compress(b'{"Limit": 1}'), headers=headers)
    SigV4Auth(Credentials(KEY.key_id, KEY.secret), "dynamodb", "eu-central-1").add_auth(request)

    with urlopen(Request(request.url, request.data, dict(request.headers))) as answer:
        assert answer.read() == b'{"TableNames":[]}'


def test_a_client_with_another_secret_is_rejected(signed_endpoint: str) -> None:
    assert error_of(signed_endpoint, aws_access_key_id=KEY.key_id, aws_secret_access_key="other") == (
        "InvalidSignatureException",
        "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
        "Access Key and signing method. Consult the service documentation for details.",
        400,
    )


def test_a_client_with_an_unknown_key_is_rejected(signed_endpoint: str) -> None:
    assert error_of(signed_endpoint, aws_access_key_id="OTHER", aws_secret_access_key=KEY.secret) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
        400,
    )


@pytest.mark.parametrize("minutes", [-16, 16])
def test_a_client_with_a_wrong_clock_is_rejected(signed_endpoint: str, minutes: int) -> None:
    moment = datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=minutes)
    with mock.patch("botocore.auth.get_current_datetime", return_value=moment):
        code, message, status = error_of(signed_endpoint)

    assert (code, status) == ("InvalidSignatureException", 400)
    assert message.startswith("Signature expired: " if minutes < 0 else "Signature not yet current: ")


def test_an_unsigned_request_is_rejected(signed_endpoint: str) -> None:
    request = Request(signed_endpoint, b"{}", LIST_TABLES)

    with pytest.raises(HTTPError) as raised:
        urlopen(request)

    with raised.value as answer:
        assert answer.status == 400
        assert answer.read() == (
            b'{"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",'
            b'"message":"Request is missing Authentication Token"}'
        )


def test_a_session_token_is_required_with_its_key() -> None:
    verify = Verifier({SESSION_KEY.key_id: SESSION_KEY})
    with Engine.open() as engine, Server(engine, verify=verify) as server:
        settings = {"aws_access_key_id": SESSION_KEY.key_id, "aws_secret_access_key": SESSION_KEY.secret}
        client = boto3.client(
            "dynamodb", endpoint_url=server.url, aws_session_token=SESSION_KEY.session_token, **settings
        )
        assert client.list_tables()["TableNames"] == []
        client.close()

        assert error_of(server.url, **settings)[0] == "UnrecognizedClientException"


def test_a_presigned_request_is_accepted(signed_endpoint: str) -> None:
    body = b'{"Limit": 1}'
    request = AWSRequest("POST", signed_endpoint + "/", headers=LIST_TABLES)
    credentials = Credentials(KEY.key_id, KEY.secret)
    with mock.patch.object(SigV4QueryAuth, "payload", return_value=sha256(body).hexdigest()):
        SigV4QueryAuth(credentials, "dynamodb", "eu-central-1", expires=60).add_auth(request)

    with urlopen(Request(request.url, body, LIST_TABLES)) as answer:
        assert answer.read() == b'{"TableNames":[]}'
