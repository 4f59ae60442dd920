"""A store in an object store: S3, Google Cloud Storage, Azure Blob Storage, and compatible ones."""

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

from thresher.files.stores.bucket import open_bucket
from thresher.files.stores.store import Entry, StoredFile, Version

STALE = 600.0
"""Seconds without a sign of life after which a claim counts as abandoned."""
_BEAT = STALE / 5
CLAIMS = "claims"


class ObjectStore:
    """Objects below a prefix of a bucket.

    Each object is sent in one request from memory, so a half-written one is never visible, and no multipart
    upload is left pending. A file is written with the condition that it does not exist yet, or has the
    version that was read; an answer that is lost on the way is recognised by comparing the contents.

    Args:
        scheme: `s3`, `gs` or `az`.
        bucket: name of the bucket or container.
        path: the prefix, without a slash at its ends.
    """

    def __init__(self, scheme: str, bucket: str, path: str) -> None:
        self._bucket, self._path = open_bucket(scheme, bucket), path

    def __str__(self) -> str:
        return self.location

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._bucket.scheme, self._bucket.name, self._path)

    @property
    def location(self) -> str:
        """The URL; it contains no credentials."""
        return "/".join(filter(None, [f"{self._bucket.scheme}://{self._bucket.name}", self._path]))

    @property
    def is_remote(self) -> bool:
        """True: a range is one request, and takes only its bytes."""
        return True

    def place(self, name: str) -> str:
        """URL of an object."""
        return f"{self.location}/{name}"

    def child(self, name: str) -> "ObjectStore":
        """The objects below a longer prefix."""
        return type(self)(self._bucket.scheme, self._bucket.name, self._key(name))

    def file(self, name: str) -> StoredFile:
        """An object."""
        return StoredFile(self, name)

    def prepare(self) -> None:
        """Check that the bucket can be written and refuses to overwrite, and delete abandoned claims.

        Warns:
            DataWarning: if it overwrites although it is asked not to.
        """
        self._bucket.probe(self._key(f"{CLAIMS}/probe-{secrets.token_hex(8)}"), self.location)
        for name, live in self.temporary().items():
            if not live:
                self.discard(name)

    def names(self) -> list[str]:
        """Names of the objects and of the prefixes that continue this one."""
        objects, folders = self._bucket.listed(self._path)
        return sorted({*objects, *folders} - {CLAIMS})

    def entries(self) -> Mapping[str, Entry]:
        """All objects by name."""
        return self._bucket.listed(self._path)[0]

    def stat(self, name: str) -> Entry | None:
        """Size and version of an object."""
        return self._bucket.stat(self._key(name))

    def read(self, name: str) -> bytes:
        """Content of an object."""
        return self._bucket.read(self._key(name))

    def read_range(self, name: str, start: int, length: int, version: Version | None = None) -> bytes:
        """Some bytes of an object."""
        return self._bucket.read_range(self._key(name), start, length, version)

    def put_if_absent(self, name: str, content: bytes) -> Version | None:
        """Write an object unless it exists; one with this very content counts as written."""
        return self._bucket.create(self._key(name), content)

    def replace_if_same(self, name: str, content: bytes, version: Version) -> Version | None:
        """Replace an object if it still has this version."""
        return self._bucket.update(self._key(name), content, version)

    def delete(self, name: str) -> None:
        """Delete an object."""
        self._bucket.delete(self._key(name))

    def set_aside(self, name: str) -> str:
        """Copy an object to the next free name with `.damaged-N`."""
        content = self.read(name)
        return next(
            aside
            for aside in (f"{name}.damaged-{number}" for number in count(1))
            if self.put_if_absent(aside, content) is not None
        )

    @contextmanager
    def reserve(self, name: str) -> "Iterator[_Reservation]":
        """Put a claim, and renew it until the end of the block; without one if another process has it."""
        key = f"{CLAIMS}/{name}"
        content = secrets.token_bytes(16)
        if not self._claim(key, content):
            yield _Reservation(self, name)
            return
        ended = threading.Event()
        beat = threading.Thread(target=self._renew, args=(key, content, ended), daemon=True)
        beat.start()
        try:
            yield _Reservation(self, name)
        finally:
            ended.set()
            self.delete(key)

    def reserved(self) -> frozenset[str]:
        """Names of the objects with a claim that was renewed lately."""
        return frozenset(name.removeprefix(f"{CLAIMS}/") for name, live in self.temporary().items() if live)

    def temporary(self) -> Mapping[str, bool]:
        """Claims -> whether they were renewed within ten minutes, by the store's own clock."""
        claims, _ = self._bucket.listed(self._key(CLAIMS))
        now = self._bucket.now(max((entry.modified for entry in claims.values()), default=0.0))
        return {f"{CLAIMS}/{name}": now - entry.modified < STALE for name, entry in claims.items()}

    def discard(self, name: str) -> None:
        """Delete a claim."""
        self.delete(name)

    def _key(self, name: str) -> str:
        return f"{self._path}/{name}" if self._path else name

    def _claim(self, key: str, content: bytes) -> bool:
        """Whether this process has the claim now: a new one, or one that was abandoned."""
        if self.put_if_absent(key, content) is not None:
            return True
        known = self.stat(key)
        if known is None or self._bucket.now(known.modified) - known.modified < STALE:
            return False
        return self.replace_if_same(key, content, known.version) is not None

    def _renew(self, key: str, content: bytes, ended: threading.Event) -> None:
        while not ended.wait(_BEAT):
            try:
                self._bucket.overwrite(self._key(key), content)
            except OSError:  # a claim is advice: the work itself reports that the store cannot be reached
                continue


class _Reservation:
    """An object that this process announced to write."""

    def __init__(self, store: ObjectStore, name: str) -> None:
        self._store, self._name = store, name

    def put_if_absent(self, content: bytes) -> Version | None:
        """Write the object unless it exists."""
        return self._store.put_if_absent(self._name, content)

    def replace_if_same(self, content: bytes, version: Version) -> Version | None:
        """Replace the object if it still has this version."""
        return self._store.replace_if_same(self._name, content, version)
