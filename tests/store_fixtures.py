"""Fixtures: a folder, and a bucket behind a gateway; a `conftest.py` imports those that its tests use."""

import secrets

import pytest

from object_server import BUCKET, Gateway, running_moto
from thresher.files.stores import FolderStore, open_store
from thresher.files.stores.bucket import open_bucket


@pytest.fixture(scope="session")
def moto():
    pytest.importorskip("obstore")
    pytest.importorskip("moto")
    with running_moto() as port:
        yield port


@pytest.fixture
def gateway(moto, monkeypatch):
    gateway = Gateway(moto)
    for name, value in gateway.environment().items():
        monkeypatch.setenv(name, value)
    open_bucket.cache_clear()
    yield gateway
    gateway.stop()
    open_bucket.cache_clear()


@pytest.fixture
def url(gateway):
    """An unused place in the bucket."""
    return f"s3://{BUCKET}/{secrets.token_hex(6)}"


@pytest.fixture(params=["folder", "objects"])
def place(request, tmp_path):
    """A path or URL at which there is nothing."""
    return str(tmp_path / "run") if request.param == "folder" else request.getfixturevalue("url")


@pytest.fixture(params=["folder", "objects"])
def store(request, tmp_path):
    if request.param == "folder":
        opened = FolderStore(tmp_path / "run")
    else:
        opened = open_store(request.getfixturevalue("url"))
    opened.prepare()
    return opened
