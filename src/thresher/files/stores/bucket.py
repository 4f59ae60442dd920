"""A connection to one bucket: requests, their retries, and their errors as OSError."""

import errno
import random
import time
import warnings
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any, TypeVar

from thresher.errors import DataWarning, InputError, MissingDependencyError
from thresher.files.stores.credentials import client_options, remember_credentials
from thresher.files.stores.refusals import explained, is_conflict, is_missing_bucket, is_passing
from thresher.files.stores.store import Entry, Version

PATIENCE = 120.0
"""Seconds for which a request is repeated while the store is busy or cannot be reached: restarts and
failovers end within a minute."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 10.0
_TIMEOUT = timedelta(seconds=60)
_CONNECTING = timedelta(seconds=5)
_T = TypeVar("_T")


class Bucket:
    """A bucket or container; use `open_bucket`, which shares connections.

    Args:
        scheme: `s3`, `gs` or `az`.
        name: its name.
    """

    def __init__(self, scheme: str, name: str) -> None:
        self.scheme, self.name = scheme, name
        remember_credentials()
        self._client = _client(scheme, name)
        self._refuses_overwriting: bool | None = None
        self._clock: tuple[float, float] | None = None

    def listed(self, path: str) -> tuple[dict[str, Entry], list[str]]:
        """Objects directly below a prefix by name, and the folders there."""
        import obstore

        listed = self._asked(lambda: obstore.list_with_delimiter(self._client, path or None))
        start = len(path) + 1 if path else 0
        objects = {entry["path"][start:]: _entry(entry) for entry in listed["objects"]}
        return objects, [folder[start:] for folder in listed["common_prefixes"]]

    def stat(self, key: str) -> Entry | None:
        """Size and version of an object; None without one."""
        import obstore

        try:
            return _entry(self._asked(lambda: obstore.head(self._client, key)))
        except FileNotFoundError:
            return None

    def read(self, key: str) -> bytes:
        """Content of an object; raise FileNotFoundError without one."""
        import obstore

        return self._asked(lambda: bytes(obstore.get(self._client, key).bytes()))

    def read_range(self, key: str, start: int, length: int, version: Version | None = None) -> bytes:
        """Some bytes of an object, which must have the version that is given."""
        import obstore
        from obstore.exceptions import PreconditionError

        options: Any = {"range": (start, start + length)}
        if isinstance(version, tuple) and version[0] is not None:
            options["if_match"] = version[0]
        try:
            return self._asked(lambda: bytes(obstore.get(self._client, key, options=options).bytes()))
        except PreconditionError:
            raise OSError(errno.ESTALE, "it was replaced meanwhile") from None

    def create(self, key: str, content: bytes) -> Version | None:
        """Write an object unless it exists; return its version, or None if it has another content.

        If a reply is lost, the repeated request finds the object of the first one: equal contents are
        therefore a success. A second writer of the same bytes succeeds as well, which changes nothing.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        if self._refuses_overwriting is False and self.stat(key) is not None:
            return self._known(key, content)
        mode = "overwrite" if self._refuses_overwriting is False else "create"
        try:
            return self._put(key, content, mode)
        except (AlreadyExistsError, PreconditionError):
            return self._known(key, content)

    def update(self, key: str, content: bytes, version: Version) -> Version | None:
        """Replace an object if it still has this version."""
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        if self._refuses_overwriting is False:
            known = self.stat(key)
            return self.overwrite(key, content) if known and known.version == version else None
        e_tag, number = version if isinstance(version, tuple) else (None, None)
        condition = {"e_tag": e_tag, "version": number}
        given = {name: value for name, value in condition.items() if value is not None}
        try:
            return self._put(key, content, given)
        except (AlreadyExistsError, PreconditionError, FileNotFoundError):
            return self._known(key, content)

    def overwrite(self, key: str, content: bytes) -> Version:
        """Write an object, whether it exists or not; return its version."""
        return self._put(key, content, "overwrite")

    def delete(self, key: str) -> None:
        """Delete an object, if there is one."""
        import obstore

        try:
            self._asked(lambda: obstore.delete(self._client, key))
        except FileNotFoundError:
            return

    def probe(self, key: str, location: str) -> None:
        """Write an object twice, once per process: does the second request fail, and what time is it there?

        Warns:
            DataWarning: if the store overwrites although it is asked not to.
        """
        if self._refuses_overwriting is not None:
            return
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        self._put(key, b"first", "create")
        try:
            self._put(key, b"second", "create")
            self._refuses_overwriting = False
        except (AlreadyExistsError, PreconditionError):
            self._refuses_overwriting = True
        except OSError as error:
            if error.errno != errno.ENOTSUP:
                raise
            self._refuses_overwriting = False
        written = self.stat(key)
        if written is not None:
            self._clock = (written.modified, time.monotonic())
        self.delete(key)
        if not self._refuses_overwriting:
            warnings.warn(
                f"{location} overwrites objects although it is asked not to (If-None-Match): only one "
                "process may work on a run there, or several with distinct numbers of --shard",
                DataWarning,
                stacklevel=5,
            )

    def now(self, known: float) -> float:
        """Seconds since 1970 by the store's clock, at least `known`, a time that the store reported.

        A process that never wrote there compares with its own clock.
        """
        if self._clock is None:
            return max(known, time.time())
        written, then = self._clock
        return max(known, written + time.monotonic() - then)

    def _known(self, key: str, content: bytes) -> Version | None:
        """The version of an object that has this content."""
        known = self.stat(key)
        try:
            same = known is not None and known.size == len(content) and self.read(key) == content
        except FileNotFoundError:
            return None
        return known.version if known is not None and same else None

    def _put(self, key: str, content: bytes, mode: Any) -> Version:
        import obstore

        facts = self._asked(lambda: obstore.put(self._client, key, content, mode=mode, use_multipart=False))
        return facts["e_tag"], facts["version"]

    def _asked(self, request: Callable[[], _T]) -> _T:
        """Send a request; repeat it while the trouble may pass.

        Raises:
            OSError: FileNotFoundError, or one whose message says why the store refused.
        """
        from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError

        end, pause = time.monotonic() + PATIENCE, _FIRST_PAUSE
        while True:
            try:
                return request()
            except (BaseError, OSError) as error:
                refused = isinstance(error, AlreadyExistsError | PreconditionError)
                if refused and not is_conflict(error):
                    raise
                if is_missing_bucket(error):
                    raise OSError(errno.ENXIO, f"there is no bucket {self.name}") from None
                if isinstance(error, FileNotFoundError):
                    raise FileNotFoundError(errno.ENOENT, "there is no such object") from None
                if not is_passing(error) or time.monotonic() + pause > end:
                    raise explained(error) from None
            time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311  # spreads the repeats of many writers
            pause = min(2 * pause, _LONGEST_PAUSE)


@lru_cache(maxsize=64)
def open_bucket(scheme: str, name: str) -> Bucket:
    """The connection to a bucket, one per process.

    Raises:
        MissingDependencyError: if the extra `cloud` is not installed.
        InputError: if the environment lacks a setting, or has a wrong one.
    """
    return Bucket(scheme, name)


def _client(scheme: str, name: str) -> Any:
    try:
        from obstore.exceptions import BaseError
        from obstore.store import AzureStore, GCSStore, S3Store
    except ImportError as error:
        raise MissingDependencyError("obstore", "cloud") from error
    kinds: Mapping[str, Any] = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}
    options = {**client_options(), "timeout": _TIMEOUT, "connect_timeout": _CONNECTING}
    retries = {"max_retries": 0}  # `Bucket` repeats requests itself: it must know when a reply was lost
    try:
        return kinds[scheme](name, client_options=options, retry_config=retries)
    except (BaseError, ValueError, TypeError) as error:
        reason = explained(error).strerror
        raise InputError(f"{scheme}://{name} cannot be used: {reason}; check the environment") from None


def _entry(facts: Mapping[str, Any]) -> Entry:
    return Entry(facts["size"], (facts["e_tag"], facts["version"]), facts["last_modified"].timestamp())
