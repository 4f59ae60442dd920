"""Answer cache in a store that several machines can access: each process appends files of its own.

SQLite cannot be shared by machines, and an object store cannot append to a file. So every process collects
its answers and writes them as one new file every minute or thousand answers. Files never change; a reader
takes the first answer of each key. A process that begins merges small files, if they are many.

Names of files say for which chunks of a run the answers are (`answer_log_files`). A worker that begins a
chunk reads the new files that name it, so that it does not request again what a killed worker has paid for.
"""

import time
import uuid
import warnings
from collections import OrderedDict

from thresher.files.stores import Store
from thresher.judges.engine.answer_log_files import (
    Row,
    chunks_in_name,
    chunks_of,
    encoded,
    log_names,
    merge_small,
    read_rows,
    take,
)
from thresher.judges.engine.answers import Answers
from thresher.judges.engine.background import run_in_thread
from thresher.judges.engine.packed_answers import packed, unpacked
from thresher.judges.flow import Answer

_MOST, _LONGEST = 1_000, 60.0
"""Answers in a file, and seconds until they are written: what a killed process loses at most."""
_OPEN = 4
"""Files whose answers are in memory: those of a chunk are in few files, in their order."""
_LISTINGS = 5
"""Times that the files are listed if others merge them meanwhile."""


class LoggedAnswers(Answers):
    """Answers of all processes that had written them when this one began, and its own.

    Of each chunk that it begins, it has also the answers that others have written meanwhile.

    Other processes' answers are found by their key and read when they are needed; in memory are the keys
    (about 150 bytes each), the last files, and what is not yet written.

    Args:
        store: folder of the logs.

    Raises:
        OSError: if the store cannot be used.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._name = uuid.uuid4().hex[:12]
        self._files = 0
        self._fresh: dict[str, tuple[str, str]] = {}
        self._dropped: dict[str, None] = {}
        self._unwritten: dict[str, dict[str, str]] = {}
        self._since: float | None = None
        self._loaded: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._places: dict[str, str] = {}
        self._indexed: set[str] = set()
        self._chunk: int | None = None
        self._chunks: set[int] = set()
        store.prepare()
        try:
            merge_small(store)
        except OSError as error:
            warnings.warn(f"{store.location}: files cannot be merged ({error})", RuntimeWarning, stacklevel=2)
        self._index()

    def get(self, key: str) -> Answer | None:
        """The answer; reads the file that has it if that is not in memory."""
        if key in self._fresh:
            return unpacked(self._fresh[key][1])
        name = self._places.get(key)
        try:
            return None if name is None else unpacked(self._contents(name).get(key))
        except FileNotFoundError:  # another process has merged it
            self._index()
            return self.get(key)

    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Collect an answer; write the collected ones if they are many or old."""
        self._collect(key, prompt, packed(answer))
        await self._write_if_due()

    async def forget(self, keys: list[str]) -> None:
        """Drop answers: by a note for later readers if they are written already."""
        for key in keys:
            written = self._places.pop(key, None)
            self._fresh.pop(key, None)
            if written is not None:  # the note stays if the key gets another answer
                self._since = self._since or time.monotonic()
                self._dropped[key] = None
        await self._write_if_due()

    def begin_chunk(self, number: int) -> None:
        """Read the files that other processes wrote for this chunk since this one began."""
        self._chunk = number
        try:
            names = [name for name in log_names(self.store) if name not in self._indexed | {*self._unwritten}]
            for name in names:
                if number in (chunks_of(name) or range(number, number + 1)):
                    self._add(name)
        except FileNotFoundError:  # another process has merged it
            self._index()
        except OSError as error:
            message = f"{self.store.location}: new answers cannot be read ({error})"
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        """Write what is collected."""
        self._write(*self._taken())

    def _index(self) -> None:
        """Note where the answers are."""
        for _ in range(_LISTINGS):
            self._places, gone = {}, False
            self._indexed.clear()
            for name in log_names(self.store):
                try:
                    self._add(name)
                except FileNotFoundError:
                    gone = True
            if not gone:
                break
        for name, answers in self._unwritten.items():
            self._places |= dict.fromkeys(answers, name)
        for key in self._dropped:
            self._places.pop(key, None)

    def _add(self, name: str) -> None:
        """Note where the answers of a file are."""
        for key, answer in read_rows(self.store, name):
            if key not in self._dropped:
                take(self._places, name, key, dropped=answer is None)
        self._indexed.add(name)

    def _contents(self, name: str) -> dict[str, str]:
        if name in self._unwritten:
            return self._unwritten[name]
        if name not in self._loaded:
            self._loaded[name] = {
                key: answer for key, answer in read_rows(self.store, name) if answer is not None
            }
            while len(self._loaded) > _OPEN:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(name)
        return self._loaded[name]

    def _collect(self, key: str, prompt: str, answer: str) -> None:
        self._since = self._since or time.monotonic()
        self._chunks |= set() if self._chunk is None else {self._chunk}
        self._fresh[key] = (prompt, answer)

    async def _write_if_due(self) -> None:
        old = self._since is not None and time.monotonic() - self._since >= _LONGEST
        if len(self._fresh) + len(self._dropped) >= _MOST or old:
            name, rows = self._taken()
            await run_in_thread(lambda: self._write(name, rows), lambda: None)

    def _taken(self) -> tuple[str, list[Row]]:
        """The collected rows, first the notes of dropped answers, and the name of their file."""
        rows: list[Row] = [(key, "", None) for key in self._dropped]
        rows += [(key, prompt, answer) for key, (prompt, answer) in self._fresh.items()]
        answers = {key: answer for key, (_, answer) in self._fresh.items()}
        self._fresh, self._dropped, self._since = {}, {}, None
        name = f"{self._name}-{self._files:05d}{chunks_in_name(sorted(self._chunks))}.parquet"
        self._chunks.clear()
        self._files += 1
        self._unwritten[name] = answers
        self._places |= dict.fromkeys(answers, name)
        return name, rows

    def _write(self, name: str, rows: list[Row]) -> None:
        """Write a file; answers of one that cannot be written stay in memory."""
        if not rows:
            return
        try:
            self.store.put_if_absent(name, encoded(rows))
        except OSError as error:
            message = f"{self.store.place(name)} cannot be written ({error}): its answers are not stored"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        else:
            self._indexed.add(name)
            del self._unwritten[name]
