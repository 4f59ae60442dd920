"""Changes to stored runs that Thresher itself would have written: with a right seal."""

import json

import pyarrow.parquet as pq

from thresher.pipelines.packed_parts import _parquet, packed
from thresher.pipelines.parts import DESCRIPTION, part_name, read_part
from thresher.pipelines.seal import UNSEALED, sealed, sealed_footer


def part_path(folder, number):
    """The file of a chunk."""
    return folder / part_name(number)


def edit_manifest(run, **changes):
    """Change entries of `run.json` and seal it."""
    path = run / "run.json"
    manifest = json.loads(path.read_text(encoding="utf-8")) | changes | {"seal": UNSEALED}
    path.write_bytes(sealed(json.dumps(manifest).encode()))


def edit_part(run, number, identity, change):
    """Change the part of a chunk and seal it."""
    path = part_path(run / "parts", number)
    path.write_bytes(packed(change(read_part(path, identity)), identity))


def edit_table(run, number, change):
    """Change columns or description of the part of a chunk, and seal it.

    Args:
        run: the folder.
        number: number of the chunk.
        change: (table, description as JSON) -> the same.
    """
    path = part_path(run / "parts", number)
    description = pq.read_metadata(path).metadata[DESCRIPTION].decode()
    path.write_bytes(sealed(sealed_footer(_parquet(*change(pq.read_table(path), description)))))
