"""Settings of object stores in the environment; credentials among them are removed from every text."""

import os
from typing import Any
from urllib.parse import urlsplit

from thresher.known_secrets import remember

_PREFIXES = ("AWS_", "AZURE_", "GOOGLE_")
_WORDS = ("KEY", "SECRET", "TOKEN", "PASSWORD", "SAS", "CREDENTIAL")
_ENDPOINTS = (
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_ENDPOINT",
)
_ALLOW = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def remember_credentials() -> None:
    """Remove the values of credentials in the environment from all later messages and files."""
    for name, value in os.environ.items():
        if name.startswith(_PREFIXES) and any(word in name for word in _WORDS):
            remember(value)


def client_options() -> dict[str, Any]:
    """Options of the connection: without TLS only to this machine, or with AWS_ALLOW_HTTP=true."""
    endpoints = [urlsplit(os.environ[name]) for name in _ENDPOINTS if os.environ.get(name)]
    local = any(place.scheme == "http" and place.hostname in _LOOPBACK for place in endpoints)
    allowed = any(os.environ.get(name, "").lower() in ("1", "true") for name in _ALLOW)
    return {"allow_http": True} if local or allowed else {}
