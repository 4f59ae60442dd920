"""Files that an index was made of, and the name of the index."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from thresher.errors import InputError
from thresher.files.opening import explain_read_errors, open_at

_VERSION = 3
_ENDS = 1 << 16
"""Bytes at each end of a file that are compared before an index is used again."""


@dataclass(frozen=True)
class IndexedFile:
    """A file, and how to notice that it changed. This is never taken for the fingerprint of its rows.

    Attributes:
        path: the file.
        size: its bytes.
        changed: when it was changed, in nanoseconds.
        ends: SHA-256 of its first and last 64 KiB.
    """

    path: str
    size: int
    changed: int
    ends: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """The file as it is now.

        Raises:
            InputError: if it cannot be read.
        """
        with explain_read_errors(path):
            facts = path.stat()
            with open_at(path, 0) as file:
                head = file.read(_ENDS)
                file.seek(max(0, facts.st_size - _ENDS))
                ends = hashlib.sha256(head + file.read(_ENDS)).hexdigest()
        return cls(str(path), facts.st_size, facts.st_mtime_ns, ends)

    def check_unchanged(self) -> None:
        """Raise InputError if the file has another size or time than when it was indexed."""
        with explain_read_errors(self.path):
            facts = Path(self.path).stat()
        if (facts.st_size, facts.st_mtime_ns) != (self.size, self.changed):
            raise InputError(f"{self.path} changed while it was evaluated; restore it, or start another run")


def index_name(files: Sequence[IndexedFile], options: Mapping[str, Any]) -> str:
    """Name of an index: a hash of the files' sizes, times and ends, and of how they are read."""
    described = [[str(Path(file.path).absolute()), *asdict(file).values()] for file in files]
    return hashlib.sha256(json.dumps([_VERSION, described, options]).encode()).hexdigest()[:32]
