"""Two sources with one default name: the clash is noticed before the second one is read."""

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from datasets.sources.chunked import use_small_blocks
from thresher.cli import main
from vision_files import BETTER, FOUND, cli, coco_results, coco_truths

BAD = "this cannot be read\n"
ROWS = [{"id": f"i{n}", "response": "a b", "reference": "a c"} for n in range(4)]
VOC = (
    "<annotation><object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax>"
    "</bndbox></object></annotation>"
)


def write(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def coco(place):
    coco_truths()
    place.mkdir()
    coco_results(place / "found.json", FOUND)
    return [
        "object_detection",
        "--gt",
        "instances.json",
        "--data",
        place / "found.json",
    ], place / "found.json"


def yolo(place):
    write("truths/a.txt", "0 0.5 0.5 0.2 0.4\n")
    write(place / "labels/a.txt", "0 0.5 0.5 0.2 0.4 0.9\n")
    write(place / "labels/b.txt", "")
    return ["object_detection", "--gt", "truths", "--data", place / "labels"], place / "labels/a.txt"


def voc(place):
    write("truths/a.xml", VOC)
    write(place / "found/cat.txt", "a 0.9 1 1 5 5\n")
    return ["object_detection", "--gt", "truths", "--data", place / "found"], place / "found/cat.txt"


def beir(place):
    write("beir/queries.jsonl", '{"_id": "q1", "text": "one"}\n')
    write("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\tb\t1\n")
    write(place / "run.trec", "q1 Q0 b 1 9.5 t\n")
    return ["retrieval", "--data", "beir", "--run", place / "run.trec"], place / "run.trec"


def hugging_face(place):
    (place / "answers").mkdir(parents=True)
    table = pa.Table.from_pylist(ROWS)
    with (
        pa.OSFile(str(place / "answers/data.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as out,
    ):
        out.write_table(table)
    write(place / "answers/state.json", json.dumps({"_data_files": [{"filename": "data.arrow"}]}))
    return ["exact_match", "--data", place / "answers"], place / "answers/data.arrow"


def pattern(place):
    for half, rows in enumerate((ROWS[:2], ROWS[2:])):
        write(place / f"part-{half}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return ["exact_match", "--data", place / "part-*.jsonl"], place / "part-0.jsonl"


@pytest.mark.parametrize(
    ("kind", "by_chunk"),
    [
        (coco, False),
        (coco, True),
        (yolo, False),
        (voc, False),
        (beir, True),
        (hugging_face, True),
        (pattern, True),
    ],
)  # small files of rows and rankings leave no index: reading them takes no time
def test_other_data_of_the_same_name_are_refused_before_they_are_read(
    workplace, capsys, monkeypatch, kind, by_chunk
):
    if by_chunk:
        use_small_blocks(monkeypatch, 3)
        monkeypatch.setattr("thresher.datasets.sources.coco_source._COLUMNS", 0)
    words, first = kind(Path("first"))
    cli(capsys, "run", *words, "--quiet")
    cli(capsys, "run", *words, "--quiet")
    for place in ("equal", "other"):
        shutil.copytree("first", place)
    cli(capsys, "run", *(str(word).replace("first", "equal") for word in words), "--quiet")
    (Path("other") / first.relative_to("first")).write_text(BAD)
    there = [str(word).replace("first", "other") for word in words]
    message = cli(capsys, "run", *there, "--quiet", code=2)
    assert re.search("holds the run of (first|equal)", message)
    assert "store this one elsewhere with --name or --out" in message
    assert BAD.strip() not in cli(capsys, "run", *there, "--quiet", "--name", "new", code=2), "it is read"
    assert main(["verify", *map(str, Path("runs").iterdir())]) == 0
    assert "leftover" not in capsys.readouterr().out


def test_a_changed_file_at_the_same_place_is_read(workplace, capsys):
    words, found = coco(Path("first"))
    cli(capsys, "run", *words, "--quiet")
    coco_results(found, BETTER)
    assert "holds a run with other data" in cli(capsys, "run", *words, "--quiet", code=2)
    cli(capsys, "run", *words, "--quiet", "--overwrite")
    cli(capsys, "run", *words, "--quiet")
