"""Answer cache in a store that several machines can access: each process appends files of its own.

SQLite cannot be shared by machines, and an object store cannot append to a file. So every process collects
its answers and writes them as one new file every minute or thousand answers. Files never change; a reader
takes the first answer of each key.
"""

import io
import time
import uuid
import warnings
from collections import OrderedDict
from collections.abc import Iterator

from thresher.errors import InputError
from thresher.files.opening import OpenedFile
from thresher.files.parquet import open_parquet
from thresher.files.stores import Store
from thresher.judges.engine.answers import Answers
from thresher.judges.engine.background import run_in_thread
from thresher.judges.engine.packed_answers import packed, unpacked
from thresher.judges.flow import Answer

_MOST, _LONGEST = 1_000, 60.0
"""Answers in a file, and seconds until they are written: what a killed process loses at most."""
_OPEN = 4
"""Files whose answers are in memory: those of a chunk are in few files, in their order."""
Rows = dict[str, tuple[str, str | None]]
"""Prompt and packed answer by key; None notes that the answer was dropped."""
_COLUMNS = ["key", "prompt", "answer"]


class LoggedAnswers(Answers):
    """Answers of all processes that had written them when this one began, and its own.

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
        self._fresh: Rows = {}
        self._unwritten: dict[str, dict[str, str]] = {}
        self._since: float | None = None
        self._loaded: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._places: dict[str, str] = {}
        store.prepare()
        for name in store.names():
            if name.endswith(".parquet"):
                self._index(name)

    def get(self, key: str) -> Answer | None:
        """The answer; reads the file that has it if that is not in memory."""
        if key in self._fresh:
            return unpacked(self._fresh[key][1])
        name = self._places.get(key)
        return None if name is None else unpacked(self._contents(name).get(key))

    async def put(self, key: str, prompt: str, answer: Answer) -> None:
        """Collect an answer; write the collected ones if they are many or old."""
        self._collect(key, prompt, packed(answer))
        await self._write_if_due()

    async def forget(self, keys: list[str]) -> None:
        """Drop answers: by a note for later readers if they are written already."""
        for key in keys:
            written = self._places.pop(key, None)
            self._fresh.pop(key, None)
            if written is not None:
                self._collect(key, "", None)
        await self._write_if_due()

    def close(self) -> None:
        """Write what is collected."""
        self._write(*self._taken())

    def _index(self, name: str) -> None:
        """Note where the answers of a file are; an answer that its process dropped later is none."""
        process = name.partition("-")[0]
        for key, answer in self._rows(name):
            place = self._places.get(key)
            if place is None and answer is not None:
                self._places[key] = name
            elif place is not None and answer is None and place.partition("-")[0] == process:
                del self._places[key]

    def _contents(self, name: str) -> dict[str, str]:
        if name in self._unwritten:
            return self._unwritten[name]
        if name not in self._loaded:
            self._loaded[name] = {key: answer for key, answer in self._rows(name) if answer is not None}
            while len(self._loaded) > _OPEN:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(name)
        return self._loaded[name]

    def _rows(self, name: str) -> Iterator[tuple[str, str | None]]:
        """Keys and answers of a file; none of one that is damaged or gone."""
        try:
            content = OpenedFile(self.store.place(name), self.store.read(name))
            with open_parquet(content) as table:
                for batch in table.batches(["key", "answer"], table.num_rows):
                    yield from zip(batch["key"], batch["answer"], strict=True)
        except (InputError, OSError, KeyError) as error:
            warnings.warn(f"answers of {self.store.place(name)} are not used: {error}", RuntimeWarning, 2)

    def _collect(self, key: str, prompt: str, answer: str | None) -> None:
        self._since = self._since or time.monotonic()
        self._fresh[key] = (prompt, answer)

    async def _write_if_due(self) -> None:
        old = self._since is not None and time.monotonic() - self._since >= _LONGEST
        if len(self._fresh) >= _MOST or old:
            name, rows = self._taken()
            await run_in_thread(lambda: self._write(name, rows), lambda: None)

    def _taken(self) -> tuple[str, Rows]:
        """The collected rows and the name of their file."""
        rows, self._fresh, self._since = self._fresh, {}, None
        name = f"{self._name}-{self._files:05d}.parquet"
        self._files += 1
        self._unwritten[name] = {key: answer for key, (_, answer) in rows.items() if answer is not None}
        self._places |= dict.fromkeys(self._unwritten[name], name)
        return name, rows

    def _write(self, name: str, rows: Rows) -> None:
        """Write a file; answers of one that cannot be written stay in memory."""
        if not rows:
            return
        try:
            self.store.put_if_absent(name, _encoded(rows))
        except OSError as error:
            message = f"{self.store.place(name)} cannot be written ({error}): its answers are not stored"
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        else:
            del self._unwritten[name]


def _encoded(rows: Rows) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = (list(rows), [prompt for prompt, _ in rows.values()], [answer for _, answer in rows.values()])
    table = pa.table(dict(zip(_COLUMNS, (pa.array(column, pa.string()) for column in columns), strict=True)))
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue()
