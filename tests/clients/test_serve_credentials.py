from __future__ import annotations

from pathlib import Path

import boto3
import pytest

from tests.cli.run_pksk import pksk

from .conftest import KEY
from .serve_process import serving
from .test_signed import error_of


def test_serve_reads_its_keys_from_a_file_and_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text(f"[default]\naws_access_key_id = {KEY.key_id}\naws_secret_access_key = {KEY.secret}\n")
    environ = {"PKSK_ACCESS_KEY_ID": "OTHER", "PKSK_SECRET_ACCESS_KEY": "another secret"}
    log = tmp_path / "log"

    with serving("--credentials", str(path), environ=environ, log=str(log)) as url:
        for key_id, secret in ((KEY.key_id, KEY.secret), ("OTHER", "another secret")):
            client = boto3.client(
                "dynamodb", endpoint_url=url, aws_access_key_id=key_id, aws_secret_access_key=secret
            )
            assert client.list_tables()["TableNames"] == []
            client.close()
        code, _, _ = error_of(url, aws_access_key_id="OTHER", aws_secret_access_key=KEY.secret)

    assert code == "InvalidSignatureException"
    assert KEY.secret not in log.read_text()
    assert "another secret" not in log.read_text()


def test_serve_rejects_a_file_without_keys_before_it_listens(tmp_path: Path) -> None:
    ran = pksk("serve", "--port", "0", "--credentials", str(tmp_path / "missing"))

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("(pksk explain credentials-file)\n")


def test_serve_rejects_half_a_key_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PKSK_SECRET_ACCESS_KEY", KEY.secret)

    ran = pksk("serve", "--port", "0")

    assert ran.code == 2
    assert KEY.secret not in ran.err
