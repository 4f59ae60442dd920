"""Files that are read by chunk, and the indices that are kept of them."""

from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from unittest import mock

from fuzz.annotated import INSTANCES, NAMED, RESULTS
from fuzz.inputs import ROWS, changed, changed_json, changed_lines, one_of
from fuzz.registry import fuzzer
from fuzz.tables import BEIR_QRELS, BEIR_QUERIES, QRELS, RUN
from thresher.files.stores import FolderStore


def read_by_chunk(path, index=None):
    """The same of a file of rows."""
    from thresher.datasets.sources import open_source

    return by_position(open_source, path, index=index)


def by_position(open_source, *paths, **options):
    """A source of files of any size with an index, and its items; their fingerprint is that of the index."""
    with mock.patch("thresher.datasets.sources.opening.SMALL", -1):
        source = open_source(*paths, **options)
    whole = source.slice(0, len(source))
    assert whole.fingerprint() == source.fingerprint()
    return source, whole


@fuzzer("datasets/_json_lines.py")
def chunked_lines(folder):
    def action(rng):
        path = folder / f"d{'' if rng is None else rng.random()}.jsonl"
        path.write_bytes(changed_lines(rng, ROWS))
        return lambda: read_by_chunk(path)[1]

    return action


@fuzzer("datasets/_parquet.py")
def chunked_parquet(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "whole.parquet"
    names = ("id", "question", "response", "contexts")
    pq.write_table(pa.table({name: [row.get(name) for row in ROWS] for name in names}), path)
    content = path.read_bytes()

    def action(rng):
        copy = folder / f"d{'' if rng is None else rng.random()}.parquet"
        copy.write_bytes(changed(rng, content))
        return lambda: read_by_chunk(copy)[1]

    return action


@fuzzer("datasets/sources/data_files.py")
def saved_arrow(folder):
    import pyarrow as pa

    table = pa.table({name: [row.get(name) for row in ROWS] for name in ("id", "question", "contexts")})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=2)
    content = sink.getvalue().to_pybytes()

    def action(rng):
        saved = folder / f"d{'' if rng is None else rng.random()}"
        saved.mkdir()
        (saved / "data.arrow").write_bytes(changed(rng, content) if rng and rng.random() < 0.7 else content)
        state = {"_data_files": [{"filename": "data.arrow"}]}
        (saved / "state.json").write_bytes(changed_json(rng if rng and rng.random() < 0.3 else None, state))
        return lambda: read_by_chunk(saved)[1]

    return action


@fuzzer("datasets/sources/trec_source.py")
def chunked_trec(folder):
    from thresher.datasets.sources.trec_source import open_trec

    def action(rng):
        run, qrels = one_of(rng, 2)
        (folder / "run").write_bytes(changed(run, RUN))
        (folder / "qrels").write_bytes(changed(qrels, QRELS))

        def read():
            with mock.patch("thresher.datasets.sources.opening.SMALL", -1):
                source = open_trec(folder / "run", folder / "qrels")
            whole = source.slice(0, len(source))
            assert whole.fingerprint() == source.fingerprint()
            return whole

        return read

    return action


@fuzzer("datasets/beir.py")
def chunked_beir(folder):
    from thresher.datasets.sources.trec_source import open_beir

    (folder / "qrels").mkdir()

    def action(rng):
        run, qrels, queries = one_of(rng, 3)
        (folder / "run").write_bytes(changed(run, RUN))
        (folder / "qrels" / "test.tsv").write_bytes(changed(qrels, BEIR_QRELS))
        (folder / "queries.jsonl").write_bytes(changed_lines(queries, BEIR_QUERIES))

        def read():
            with mock.patch("thresher.datasets.sources.opening.SMALL", -1):
                source = open_beir(folder, run=folder / "run")
            whole = source.slice(0, len(source))
            assert whole.fingerprint() == source.fingerprint()
            return whole

        return read

    return action


@fuzzer("datasets/sources/stage.py")
def kept_trec_index(folder):
    from thresher.datasets.sources.trec_source import open_trec

    (folder / "run").write_bytes(RUN)
    (folder / "qrels").write_bytes(QRELS)

    return kept(
        folder,
        lambda: by_position(open_trec, folder / "run", folder / "qrels", index=FolderStore(folder / "index")),
    )


def kept(folder, items, key=lambda data: data):
    """Change the files of a stored index: it is read again as it was, or made anew.

    Args:
        folder: the folder in which `items` looks for its index.
        items: returns the source, and its items.
        key: what of the items must be equal.
    """

    def action(rng):
        source, whole = items()
        stored = source.stored_in(FolderStore(folder / "index"))
        for file in sorted(Path(stored.location).iterdir()) if rng is not None else ():
            file.write_bytes(changed(rng, file.read_bytes()) if rng.random() < 0.5 else file.read_bytes())

        def read():
            again = items()[1]
            assert key(again) == key(whole), "a damaged index is used"
            return again

        return read

    return action


COCO = ("coco_stage", "coco_problems", "coco_source")


@fuzzer("files/json_lists.py", "files/json_window.py", *(f"datasets/sources/{name}.py" for name in COCO))
def chunked_coco(folder):
    """COCO files read by image are those that `read_coco` reads, or are refused with its words."""
    from thresher.datasets._coco_geometries import GEOMETRIES
    from thresher.datasets.coco import read_coco
    from thresher.datasets.sources.coco_source import open_coco
    from thresher.datasets.texts import check_texts
    from thresher.errors import InputError

    def attempt(read):
        try:
            return read()
        except InputError as error:
            return str(error)

    def fingerprint(paths, geometries):
        data = read_coco(*paths, geometries=geometries)
        check_texts(data)
        return data.fingerprint(), data.notes

    def action(rng):
        truth, predicted = one_of(rng, 2)
        geometries = rng.choice(GEOMETRIES) if rng else "boxes"
        paths = folder / "gt.json", folder / "dt.json"
        paths[0].write_bytes(changed_json(truth, INSTANCES))
        rows = rng.choice([RESULTS, NAMED]) if rng else RESULTS
        paths[1].write_bytes(changed_json(predicted, rows if geometries == "masks" else rows[1:]))

        def read():
            expected = attempt(lambda: fingerprint(paths, geometries))
            with small_blocks(rng or Random(0)):
                source = attempt(lambda: open_coco(*paths, geometries=geometries))
            if isinstance(source, str):
                assert source == expected
                raise InputError(source)
            assert (source.fingerprint(), source.notes) == expected
            return source.slice(0, len(source))

        return read

    return action


@contextmanager
def small_blocks(rng):
    """Files of any size are read by chunk, in blocks of some characters and buckets of some bytes."""
    with ExitStack() as stack:
        for name, sizes in {
            "thresher.datasets.sources.opening.SMALL": (-1,),
            "thresher.files.texts._BLOCK": (1, 10, 200, 10_000),
            "thresher.files.json_lists._AT_ONCE": (1, 100, 10_000),
            "thresher.datasets.sources.stage._AT_ONCE": (1, 200, 10_000),
        }.items():
            stack.enter_context(mock.patch(name, rng.choice(sizes)))
        yield


@fuzzer("datasets/sources/stage.py")
def kept_coco_index(folder):
    from thresher.datasets import Dataset
    from thresher.datasets.sources.coco_source import open_coco

    paths = folder / "gt.json", folder / "dt.json"
    for path, data in zip(paths, (INSTANCES, RESULTS[1:]), strict=True):
        path.write_bytes(changed_json(None, data))

    return kept(
        folder,
        lambda: by_position(open_coco, *paths, index=FolderStore(folder / "index")),
        Dataset.fingerprint,
    )


@fuzzer("datasets/sources/row_stage.py")
def kept_index(folder):
    path = folder / "d.jsonl"
    path.write_bytes(changed_lines(None, ROWS))

    return kept(folder, lambda: read_by_chunk(path, FolderStore(folder / "index")))
