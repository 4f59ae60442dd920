"""Locations of runs: paths of folders, and URLs of places in object stores."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from thresher.errors import InputError
from thresher.files.stores.folder import FolderStore

if TYPE_CHECKING:
    from thresher.files.stores.store import Store

Location = str | Path
"""Where a run is: a path, or a URL such as `s3://bucket/runs/main`."""
SCHEMES = ("s3", "gs", "az")
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):/{1,2}(?P<rest>.*)", re.DOTALL)
"""With one slash too: a URL that went through `Path` has lost the other. A drive has a single letter."""


def is_url(location: object) -> bool:
    """Whether a location is a URL of an object store.

    >>> is_url("s3://bucket/run"), is_url("runs/main"), is_url("C:/runs")
    (True, False, False)
    """
    match = _URL.fullmatch(str(location)) if isinstance(location, str | Path) else None
    return match is not None and (match["scheme"].lower() in SCHEMES or "://" in str(location))


def open_store(location: Location) -> "Store":
    """Open a folder or a place in an object store; neither need exist.

    Credentials are read from the environment only: a URL that contains some is refused and not repeated.

    Raises:
        InputError: for a URL of another kind, without a bucket, or with credentials.
        MissingDependencyError: for a URL, if the extra `cloud` is not installed.
    """
    if not is_url(location):
        return FolderStore(location)
    from thresher.files.stores.objects import ObjectStore

    return ObjectStore(*_split(str(location)))


def _split(url: str) -> tuple[str, str, str]:
    """Scheme, bucket and path of a URL."""
    match = _URL.fullmatch(url)
    scheme, rest = (match["scheme"].lower(), match["rest"]) if match else ("", "")
    if scheme not in SCHEMES:
        raise InputError(
            f"{scheme}:// is not a place for runs: give a folder, s3://BUCKET/RUN, gs://BUCKET/RUN or "
            "az://CONTAINER/RUN"
        )
    bucket, _, path = rest.partition("/")
    if set("@:") & set(bucket) or set("?#") & set(rest):
        raise InputError(
            f"a {scheme}:// URL has no user, password or parameters here: set the credentials in the "
            "environment"
        )
    path = path.removesuffix("/")
    if not bucket or (path and any(part in ("", ".", "..") for part in path.split("/"))):
        raise InputError(
            f"{url} is not a place for runs: write {scheme}://BUCKET/RUN, without empty parts or dots"
        )
    return scheme, bucket, path
