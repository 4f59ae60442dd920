"""Opening files and streams of Arrow's IPC format."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from thresher.errors import InputError
from thresher.files.opening import OpenedFile, Source

if TYPE_CHECKING:
    import pyarrow as pa

_MAGIC = b"ARROW1"


@contextmanager
def arrow_batches(source: Source) -> Iterator["Iterator[pa.RecordBatch]"]:
    """The record batches of a file, mapped into memory: what is not used is not read from the disk.

    Raises:
        InputError: if it cannot be read, in the block too.
    """
    import pyarrow as pa

    try:
        opened = (
            pa.BufferReader(source.content) if isinstance(source, OpenedFile) else pa.memory_map(str(source))
        )
        with opened as mapped:
            is_file = mapped.read(len(_MAGIC)) == _MAGIC
            mapped.seek(0)
            yield map(_checked, _of_file(mapped) if is_file else pa.ipc.open_stream(mapped))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        message = str(error).partition("\n")[0]
        raise InputError(f"{source} cannot be read as Arrow: {message}") from error


def _checked(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """The batch, all of whose values can be read: Arrow maps a damaged file without complaint."""
    batch.validate(full=True)
    return batch


def _of_file(mapped: "pa.NativeFile") -> "Iterator[pa.RecordBatch]":
    import pyarrow as pa

    reader = pa.ipc.open_file(mapped)
    return (reader.get_batch(number) for number in range(reader.num_record_batches))
