"""Journal of submitted batches: one file for each, written before the batch is created.

A process that is killed leaves its batches with the provider, who finishes and charges them. The journal says
which keys are in them, so that the next run collects their answers instead of asking again.
"""

import json
import secrets
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import whole_text
from thresher.files.writing import replace_file

_SUFFIX = ".json"
_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "created": (int, float),
    "round": (int,),
    "part": (int,),
    "counted": (bool,),
    "batch": (str, type(None)),
    "prompts": (dict,),
}


@dataclass(frozen=True)
class JournalEntry:
    """One batch.

    Attributes:
        name: name of the batch, also in the provider's metadata.
        created: when it was about to be created, in seconds since the epoch.
        round: number of its round within the session, from 1.
        part: number of its part of the round, from 1.
        prompts: keys of its lines, in their order, and the name of each prompt.
        batch: the provider's id; None until the provider has returned it.
        counted: whether a session that does not wait has counted its lines as calls.
    """

    name: str
    created: float
    round: int
    part: int
    prompts: Mapping[str, str]
    batch: str | None = None
    counted: bool = False


class Journal:
    """The journal of an answer cache.

    Args:
        folder: its folder, which is created with the first entry.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def begin(self, number: int, part: int, prompts: Mapping[str, str]) -> JournalEntry:
        """Record a batch that is about to be created.

        Raises:
            InputError: if the file cannot be written.
        """
        entry = JournalEntry(secrets.token_hex(16), time.time(), number, part, dict(prompts))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot create {self.folder}: {error.strerror}") from error
        self._write(entry)
        return entry

    def submitted(self, entry: JournalEntry, batch: str) -> JournalEntry:
        """Record the provider's id of a batch."""
        entry = replace(entry, batch=batch)
        self._write(entry)
        return entry

    def count(self, entry: JournalEntry) -> None:
        """Record that the lines of a batch are counted as calls of a session that does not wait."""
        if not entry.counted:
            self._write(replace(entry, counted=True))

    def remove(self, entry: JournalEntry) -> None:
        """Remove a batch whose answers are stored."""
        self._path(entry.name).unlink(missing_ok=True)

    def entries(self) -> Iterator[JournalEntry]:
        """Yield all batches, the oldest first.

        Warns:
            RuntimeWarning: if a file is damaged; its answers cannot be collected.
        """
        if not self.folder.is_dir():
            return
        entries = [self._read(path) for path in self.folder.glob(f"*{_SUFFIX}")]
        yield from sorted((entry for entry in entries if entry), key=lambda entry: entry.created)

    def _read(self, path: Path) -> JournalEntry | None:
        try:
            return read_entry(whole_text(path), path)
        except InputError as error:
            if path.exists():  # if not, another process has collected the batch meanwhile
                message = f"{error}: the answers of this batch cannot be collected; delete the file"
                warnings.warn(message, RuntimeWarning, stacklevel=2)
            return None

    def _write(self, entry: JournalEntry) -> None:
        replace_file(self._path(entry.name), json.dumps(asdict(entry)))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{_SUFFIX}"


def read_entry(text: str, where: object) -> JournalEntry:
    """Read an entry of the journal.

    Raises:
        InputError: if it is damaged.
    """
    fields = parse_json(text, where)
    if not isinstance(fields, dict) or set(fields) != set(_TYPES):
        raise InputError(f"{where} is not an entry of a journal of batches")
    for name, types in _TYPES.items():
        if type(fields[name]) not in types:
            raise InputError(f"{where}: {name}={fields[name]!r} has the wrong type")
    if not all(isinstance(prompt, str) for prompt in fields["prompts"].values()):
        raise InputError(f"{where}: prompts must be the names of prompts")
    return JournalEntry(**fields)
