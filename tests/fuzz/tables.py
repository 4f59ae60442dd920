"""Tables of items, rankings and labels."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from fuzz.inputs import ROWS, changed, changed_json, changed_lines, one_of
from fuzz.mutations import mutate_data
from fuzz.registry import fuzzer


def table(path: Path, make: Callable[[Random | None], bytes]):
    from thresher import read_dataset

    def action(rng):
        content = make(rng)
        packed = rng is not None and rng.random() < 0.1
        target = path.with_name(path.name + ".gz") if packed and path.suffix != ".parquet" else path
        target.write_bytes(gzip.compress(content) if target is not path else content)
        if rng is not None and rng.random() < 0.1:
            return lambda: read_dataset(io.BytesIO(content), format=path.suffix[1:])
        return lambda: read_dataset(target)

    return action


@fuzzer("datasets/_json.py", "datasets/_formats.py", "datasets/read.py", "datasets/_opened.py")
def jsonl(folder):
    def make(rng):
        return changed_lines(rng, ROWS)

    return table(folder / "d.jsonl", make)


@fuzzer("datasets/_json.py")
def json_table(folder):
    columns = {name: [row.get(name) for row in ROWS] for name in ("id", "question", "response", "reference")}
    whole = [ROWS, columns, {"data": ROWS}, {"train": ROWS[:2], "test": ROWS[2:]}]
    return table(folder / "d.json", lambda rng: changed_json(rng, rng.choice(whole) if rng else ROWS))


CSV = """id,question,response,reference,contexts,n
a,who?,the cat,"[""a cat""]","['x']",1
b,"wh,y
?",a dog,dog,[],2.5
"""


@fuzzer("datasets/_csv.py")
def csv(folder):
    return table(folder / "d.csv", lambda rng: changed(rng, CSV.encode()))


@fuzzer("datasets/_csv.py")
def tsv(folder):
    return table(folder / "d.tsv", lambda rng: changed(rng, CSV.replace(",", "\t").encode()))


@fuzzer("datasets/_csv.py")
def semicolons(folder):
    content = CSV.replace(",", ";").replace("2.5", "2,5").encode()
    return table(folder / "d.csv", lambda rng: changed(rng, content))


@fuzzer("datasets/_flatten.py", "datasets/_values.py")
def json_texts(folder):
    from thresher import read_dataset

    content = b'log;x\n"{""answer"": ""a"", ""more"": ""{}""}";1\n"{\'answer\': None}";\n'

    def action(rng):
        (folder / "d.csv").write_bytes(changed(rng, content))
        return lambda: read_dataset(folder / "d.csv", mapping={"log.answer": "predicted_answers"})

    return action


@fuzzer("datasets/_xlsx.py")
def xlsx(folder):
    from openpyxl import Workbook

    workbook, sink = Workbook(), io.BytesIO()
    for row in (["id", "question", "response", "n"], ["a", "who?", "a cat", 0.5], ["b", "=A1", True, None]):
        workbook.active.append(row)
    workbook.save(sink)
    content = sink.getvalue()

    def make(rng):
        if rng is None or rng.random() < 0.3:
            return changed(rng, content)
        changed_part = io.BytesIO()  # in the sheet, not in the archive
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed_part, "w") as new:
            for name in old.namelist():
                part = old.read(name)
                new.writestr(name, changed(rng, part) if "sheet" in name else part)
        return changed_part.getvalue()

    return table(folder / "d.xlsx", make)


@fuzzer("datasets/_parquet.py")
def parquet(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("id", "question", "response", "contexts")
    contents = []
    for compression in ("none", "zstd"):
        sink = io.BytesIO()
        pq.write_table(
            pa.table({name: [row.get(name) for row in ROWS] for name in names}), sink, compression=compression
        )
        contents.append(sink.getvalue())
    return table(folder / "d.parquet", lambda rng: changed(rng, rng.choice(contents) if rng else contents[0]))


@fuzzer("files/arrow.py")
def arrow(folder):
    import pyarrow as pa

    columns = pa.table({name: [row.get(name) for row in ROWS] for name in ("id", "question", "contexts")})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, columns.schema) as file:
        file.write_table(columns, max_chunksize=2)
    content = sink.getvalue().to_pybytes()
    return table(folder / "d.arrow", lambda rng: changed(rng, content))


@fuzzer("datasets/read.py")
def python_data(folder):
    from thresher import read_dataset

    def action(rng):
        data = ROWS if rng is None else mutate_data(rng, ROWS)
        return lambda: read_dataset(data)

    return action


RUN = b"q1 Q0 d1 1 0.5 tag\nq1 Q0 d2 2 0.25 tag\nq2 Q0 d1 1 3 tag\n"


QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"


@fuzzer("datasets/_rows.py")
def trec(folder):
    from thresher import read_trec

    def action(rng):
        run, qrels = one_of(rng, 2)
        (folder / "run").write_bytes(changed(run, RUN))
        (folder / "qrels").write_bytes(changed(qrels, QRELS))
        return lambda: read_trec(folder / "run", folder / "qrels")

    return action


BEIR_QUERIES = [{"_id": "q1", "text": "who?"}, {"_id": "q2", "text": "why?", "metadata": {}}]
BEIR_QRELS = b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t0\n"


@fuzzer("datasets/beir.py")
def beir(folder):
    from thresher import read_beir
    from thresher.datasets import read_beir_documents

    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": "d1", "text": "a", "title": "t", "metadata": {"k": 1}}, {"_id": "d2", "text": "b"}]

    def action(rng):
        generators = one_of(rng, 3)
        for name, rows in (("queries", BEIR_QUERIES), ("corpus", corpus)):
            (folder / f"{name}.jsonl").write_bytes(changed_lines(generators.pop(), rows))
        (folder / "qrels/test.tsv").write_bytes(changed(generators.pop(), BEIR_QRELS))
        return lambda: (list(read_beir_documents(folder)), read_beir(folder))[1]

    return action


@fuzzer("datasets/labels.py", "datasets/read.py")
def labels(folder):
    from thresher.components import metric_class
    from thresher.datasets.labels import read_labels

    texts = [
        b"id,y_true,y_pred\na,cat,dog\nb,dog,dog\nc,,cat\n",
        b"id,label,score_cat,score_dog\na,cat,0.25,0.75\nb,dog,0.5,0.5\n",
        b"id,y_true,y_score\na,0,0.25\nb,1,0.75\n",
    ]
    names = ("accuracy", "f1", "roc_auc", "average_precision", "roc_curve", "matthews_correlation")
    metrics = [metric_class(f"classification_{name}")() for name in names]
    losses = ("log_loss", "brier_score")
    metrics += [metric_class(f"classification_{name}")(unnormalised="ignore") for name in losses]

    def read():
        data = read_labels(folder / "l.csv")
        for metric in metrics:
            metric.run(
                ground_truths=list(data.column("ground_truths")), predictions=list(data.column("predictions"))
            )
        return data

    def action(rng):
        (folder / "l.csv").write_bytes(changed(rng, rng.choice(texts) if rng else texts[0]))
        return read

    return action


@fuzzer("datasets/label_sets.py", "datasets/_label_set_cells.py")
def label_sets(folder):
    from thresher.components import metric_class
    from thresher.datasets.label_sets import read_label_sets

    texts = [
        b"id,labels,predicted_labels\na,cat|dog,dog\nb,dog,dog|cat\nc,,cat\n",
        b"id,cat,dog,score_cat,score_dog\na,1,0,0.25,0.75\nb,1,1,0.5,0.5\n",
        b'id,y_true,scores\na,"[""cat""]","{""cat"": 0.5}"\nb,[],"{""dog"": 0.1}"\n',
    ]
    names = ("f1", "hamming_loss", "average_precision", "ranking_average_precision")
    metrics = [metric_class(f"multilabel_{name}")() for name in names]

    def read():
        data = read_label_sets(folder / "s.csv", empty_cells="text")
        for metric in metrics:
            metric.run(
                ground_truths=list(data.column("ground_truths")), predictions=list(data.column("predictions"))
            )
        return data

    def action(rng):
        (folder / "s.csv").write_bytes(changed(rng, rng.choice(texts) if rng else texts[0]))
        return read

    return action


@fuzzer("datasets/_npz.py")
def npz(folder):
    import numpy as np

    contents = []
    for save in (np.savez, np.savez_compressed):
        sink = io.BytesIO()
        matrix = np.array([[0.9, 0.1], [0.2, 0.8]])
        save(sink, y_true=np.array([0, 1]), y_prob=matrix, labels=np.array(["cat", "dog"]), epoch=np.array(3))
        contents.append(sink.getvalue())
    return table(folder / "d.npz", lambda rng: changed(rng, rng.choice(contents) if rng else contents[0]))
