"""Locations: what is a folder, what a URL, and which URLs are refused without repeating a credential."""

from pathlib import Path

import pytest

from thresher import InputError
from thresher.files.stores import FolderStore, is_url, open_store
from thresher.files.stores.locations import _split


@pytest.mark.parametrize("path", ["runs/main", Path("runs/main"), "C:/runs", "C:\\runs", "s3", "a:b"])
def test_a_path_is_a_folder(path):
    assert not is_url(path)
    assert isinstance(open_store(path), FolderStore)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("s3://bucket/runs/main", ("s3", "bucket", "runs/main")),
        ("gs://bucket/main/", ("gs", "bucket", "main")),
        ("az://container/a b", ("az", "container", "a b")),
        ("S3://bucket", ("s3", "bucket", "")),
        (Path("s3://bucket/main"), ("s3", "bucket", "main")),
    ],
)
def test_a_url_has_a_bucket_and_a_path(url, parts):
    assert is_url(url)
    assert _split(str(url)) == parts


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://key:hunter2-X@bucket/run", "set the credentials in the environment"),
        ("s3://key:hunter2-X/y@bucket/run", "set the credentials in the environment"),
        ("s3://bucket/run?X-Amz-Signature=hunter2-X", "set the credentials in the environment"),
        ("https://bucket.example/run?sig=hunter2-X", "https:// is not a place for runs"),
        ("s3://bucket/a/../b", "without empty parts or dots"),
        ("s3:///run//x", "without empty parts or dots"),
    ],
)
def test_other_urls_are_refused_in_one_line_without_what_may_be_a_credential(url, message):
    with pytest.raises(InputError, match=message) as caught:
        open_store(url)
    assert "hunter2" not in str(caught.value)
