"""The file of a part: Parquet with a description, its identity and seals."""

import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from thresher.files.arrow_arrays import array_of_texts, without_secrets_in_array
from thresher.freed_memory import release_freed_memory
from thresher.known_secrets import without_secrets
from thresher.pipelines.input_columns import encode
from thresher.pipelines.parts import DESCRIPTION, ChunkPart, PartIdentity
from thresher.pipelines.seal import UNSEALED, UNSEALED_FOOTER, sealed, sealed_footer
from thresher.results.plain_results import described
from thresher.results.storage import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP = 8 << 20
"""Bytes of a row group: what is written needs two to three times as much. 10,000 questions are one group."""
_GROUP_ROWS = 2_500
"""Rows of a group at most: few texts are read without those of 10,000 items, in a quarter of the time. Groups of 500
rows take an eighth, but the file grows by 24 % instead of 5 %, and all statistics are read in five times the time."""
_COMPRESSION = 2
"""Ratio of a table of boxes to its file. Before the part of 250,000 boxes is written, 60 MB that its
computation has freed return to the system (`benchmarks/detection_files.py`)."""


def packed(part: ChunkPart, identity: PartIdentity) -> bytes:
    """Return the file of a part: Parquet with its identity and a seal in the metadata."""
    # The table is freed before the seals are inserted, which copies the file.
    return sealed(sealed_footer(_parquet(*_described_table(part, identity))))


def _described_table(part: ChunkPart, identity: PartIdentity) -> tuple["pa.Table", str]:
    """The columns of a part, and the JSON that describes them."""
    import pyarrow as pa

    columns: dict[str, pa.Array] = {"id": array_of_texts(list(part.ids))}
    forms = {}
    for name, column in part.inputs.items():
        columns[f"input.{name}"], forms[name] = encode(column)
    for number, result in enumerate(part.results):
        columns |= {f"metric.{number}.{key}": array for key, array in to_arrow(result).items()}
    description = {
        "inputs": forms,
        "results": [described(result) for result in part.results],
        "columns": list(columns),
        "unfinished": part.unfinished,
        "identity": asdict(identity),
    }
    # A server may have repeated a key in any text: replies, reasons, names of models, answers of a pipeline.
    table = pa.table(
        {without_secrets(name): without_secrets_in_array(array) for name, array in columns.items()}
    )
    return table, without_secrets(json.dumps(description, allow_nan=False))


def _parquet(table: "pa.Table", description: str) -> bytes:
    """A Parquet file with the description and the place of the seal.

    They are metadata of the file, not of the schema, which Arrow stores a second time. The seal comes after
    the description, which may contain any text; what follows it, Arrow's schema, is in base64.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    # No reader filters by statistics. Readers of single columns verify the checksums of their pages.
    options = {"compression": "zstd", "write_statistics": False, "write_page_checksum": True}
    values = [leaf for field in table.schema for leaf in _values(field.type, field.name)]
    listed = {path for path, kind, in_list in values if in_list and _rarely_repeats(kind)}
    options["use_dictionary"] = [path for path, _, _ in values if path not in listed]
    options["use_byte_stream_split"] = [
        path for path, kind, _ in values if path in listed and pa.types.is_floating(kind)
    ]
    release_freed_memory(table.nbytes // _COMPRESSION)
    with pq.ParquetWriter(sink, table.schema, **options) as writer:
        rows = max(1, table.num_rows * _ROW_GROUP // max(table.nbytes, 1))
        writer.write_table(table, row_group_size=min(rows, _GROUP_ROWS))
        seals = {"footer": UNSEALED_FOOTER, "seal": UNSEALED}
        writer.add_key_value_metadata({DESCRIPTION.decode(): description, **seals})
    return sink.getvalue()


def _values(kind: "pa.DataType", path: str, *, in_list: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """Yield path and type of the values of a column, and whether they are in lists."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        for field in kind:
            yield from _values(field.type, f"{path}.{field.name}", in_list=in_list)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        yield from _values(kind.value_type, f"{path}.list.element", in_list=True)
    else:
        yield path, kind, in_list


def _rarely_repeats(kind: "pa.DataType") -> bool:
    """Whether values in lists are not worth a dictionary: numbers with fractions, and integers with a sign.

    Scores, sides of boxes, run lengths and ids of objects rarely repeat; trying a dictionary first costs a
    quarter of the writing. Splitting the bytes of fractions saves another sixth and makes the file 4 % larger
    (`benchmarks/detection_files.py`).
    """
    import pyarrow as pa

    return pa.types.is_floating(kind) or kind in (pa.int32(), pa.int64(), pa.uint64())
