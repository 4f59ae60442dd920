"""Data in an object store are read as copies on disk are, and named by their URLs."""

import gzip
import json
import pickle
from pathlib import Path

import pytest

from thresher import evaluate, open_run, read_dataset, read_trec
from thresher.cli.main import main
from thresher.datasets.sources import open_source
from thresher.errors import DataWarning, InputError
from thresher.files.fetching import _copied
from thresher.files.stores import open_store
from thresher.files.stores.store import Entry

ROWS = [{"id": f"i{n}", "question": "q", "response": "a", "reference": "ab"[n % 2]} for n in range(30)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
SOME = b"".join(LINES.splitlines(keepends=True)[:7])


def put(url, **files):
    for name, content in files.items():
        place, _, last = f"{url}/{name.replace('__', '/').replace('_', '.')}".rpartition("/")
        assert open_store(place).put_if_absent(last, content) is not None


@pytest.mark.parametrize("size", [-1, 10**6])
def test_files_folders_and_patterns_are_read_and_named_by_their_urls(url, size, tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", size)
    put(
        url,
        rows_jsonl=LINES,
        more__a_jsonl=SOME,
        more__b_jsonl=LINES.removeprefix(SOME),
        zip_jsonl_gz=gzip.compress(LINES),
    )
    (tmp_path / "rows.jsonl").write_bytes(LINES)
    expected = read_dataset(tmp_path / "rows.jsonl")
    for name in ("rows.jsonl", "zip.jsonl.gz", "more", "more/*.jsonl", "r*.jsonl"):
        source = open_source(f"{url}/{name}")
        assert source.fingerprint() == expected.fingerprint(), name
    assert read_dataset(f"{url}/rows.jsonl") == expected
    with pytest.raises(InputError, match=f"^{url}/none.jsonl does not exist; give the URL"):
        open_source(f"{url}/none.jsonl")
    put(url, bad_jsonl=LINES + b"{", odd_jsonl=b'{"id": 1, "question": 4.0}\n', cells_csv=b"id,x\n1,'=1\n")
    with pytest.raises(InputError, match=f"^{url}/bad.jsonl:31: not JSON"):
        open_source(f"{url}/bad.jsonl")
    with pytest.warns(DataWarning, match=f"^{url}/cells.csv: removed the"):
        source = open_source(f"{url}/cells.csv")
    assert source.notes[0].startswith(f"{url}/cells.csv: removed")


def test_data_and_run_in_a_store_need_no_folder_of_the_driver(url, monkeypatch, capsys):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
    put(url, rows_jsonl=LINES)
    results = evaluate("exact_match", f"{url}/rows.jsonl", out=f"{url}/run", chunk_size=10, shard=(1, 2))
    stages = open_store(f"{url}/run").child("source")
    (stage,) = stages.names()
    assert any(name.startswith("rows-") for name in stages.child(stage).names())
    monkeypatch.setattr("thresher.datasets.sources.opening.stage_rows", None)
    results = evaluate("exact_match", f"{url}/rows.jsonl", out=f"{url}/run")
    assert (results.complete, len(results)) == (True, 30)
    assert stages.child(stage).names() == ["index.json"]
    assert main(["run", "exact_match", "--data", f"{url}/none.csv", "--out", f"{url}/other"]) == 2
    assert capsys.readouterr().err.startswith(f"thresher: {url}/none.csv does not exist")


def test_workers_on_other_machines_read_the_stage_in_the_store_of_the_run(url, tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
    (tmp_path / "rows.jsonl").write_bytes(LINES)
    source = open_source(tmp_path / "rows.jsonl")
    expected, folder = source.slice(3, 9), Path(source.location)
    stored = pickle.dumps(source.stored_in(open_store(url)))
    del source
    (tmp_path / "rows.jsonl").unlink()
    assert not folder.exists()
    there = pickle.loads(stored)  # noqa: S301
    assert there.location == f"{url}/{folder.name}"
    assert there.slice(3, 9) == expected


def test_annotations_and_judgements_in_a_store(url, tmp_path, monkeypatch, capsys):
    truth = {
        "images": [{"id": 1, "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]}],
    }
    found = [{"image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2], "score": 0.5}]
    put(url, gt_json=json.dumps(truth).encode(), dt_json=json.dumps(found).encode())
    put(url, a_run=b"q Q0 d 0 1 t\n", a_qrels=b"q 0 d 1\n", b_run=b"q Q0 d\n")
    monkeypatch.chdir(tmp_path)
    words = ["--gt", f"{url}/gt.json", "--data", f"{url}/dt.json", "--quiet"]
    assert main(["run", "object_detection", *words, "--out", "run"]) == 0
    assert len(open_run("run")) == 1
    capsys.readouterr()
    Path("a.run").write_bytes(b"q Q0 d 0 1 t\n")
    Path("a.qrels").write_bytes(b"q 0 d 1\n")
    assert read_trec(f"{url}/a.run", f"{url}/a.qrels") == read_trec("a.run", "a.qrels")
    with pytest.raises(InputError, match=f"^{url}/b.run:1: 3 fields"):
        read_trec(f"{url}/b.run", f"{url}/a.qrels")


@pytest.mark.parametrize("url", ["https://host/a.jsonl", "ftp://host/a.jsonl", "s3://bucket", "s3://"])
def test_other_urls_are_refused(url):
    with pytest.raises(
        InputError, match=f"^{url} cannot be read: give a file, or a URL such as s3://BUCKET/FILE and gs"
    ):
        read_dataset(url)


class Escaping:
    """A store in which a key leads out of the folder that lists it."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name

    def stat(self, _):
        return None

    def child(self, name):
        return Escaping(name, self.name)

    def names(self):
        return [self.name]

    def entries(self):
        return {self.name: Entry(5, "1", 0.0)}

    def place(self, name):
        return f"s3://bucket/{self.folder}/{name}"

    def read_range(self, name, *_):
        raise AssertionError(f"{name} is read")


@pytest.mark.parametrize("name", ["../../out.jsonl", "/etc/out.jsonl", "a/../../../out.jsonl"])
def test_a_key_that_leads_out_of_the_folder_is_not_copied(name):
    with pytest.raises(InputError, match="cannot be copied: its name leads out of its folder"):
        _copied(Escaping("data", name), "data", "s3://bucket/data")
