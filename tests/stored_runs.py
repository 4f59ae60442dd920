"""Changes to stored runs that Thresher itself would have written: with a right seal."""

import json
import shutil

from thresher.pipelines.packed_parts import packed
from thresher.pipelines.parts import part_name, read_part
from thresher.pipelines.seal import UNSEALED, sealed


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


def unseal(run, change=lambda description: description):
    """Make a run as versions before 0.2 wrote it: format 1, without seals and identities.

    Args:
        run: the folder.
        change: changes the description in each part.
    """
    import pyarrow.parquet as pq

    shutil.rmtree(run / "workers")
    path = run / "run.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for name in ("seal", "identity"):
        manifest.pop(name)
    path.write_text(json.dumps({**manifest, "format": 1}), encoding="utf-8")
    for part in (run / "parts").glob("*.parquet"):
        table = pq.read_table(part)
        description = json.loads(pq.read_metadata(part).metadata[b"thresher"])
        description.pop("identity")
        metadata = {"thresher": json.dumps(change(description))}
        pq.write_table(table.replace_schema_metadata(metadata), part)
