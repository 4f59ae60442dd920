"""A folder with every file and run that the commands of the docs name."""

import json
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
from PIL import Image

import thresher
from judges.rag_items import rag_items
from panoptic_cases import random_images
from panoptic_cases import write as write_panoptic
from thresher import EvaluationResults, save_run
from thresher.cli import main
from vision_files import (
    BETTER,
    FOUND,
    IMAGES,
    animal_poses,
    coco_poses,
    coco_results,
    coco_truths,
    corners,
    lvis_truths,
    open_images_files,
    yolo_poses,
)

ITEMS = 40
RUNS = ("a", "b", "main", "candidate", "before", "after", "third")
CONFIGURATIONS = ("minilm-3-128", "mpnet-3-128", "msmarco-2-128", "minilm-1-64")
SCORES = ("valor_faithfulness", "context_relevance", "sas", "token_f1", "correct")
GROUPS = ("language", "document")
DATA = Path(__file__).parents[2] / "tutorials" / "data"
DEMO = Path(thresher.__file__).parent / "datasets" / "demo"


def rows(seed):
    """Questions with answers, references, a language, a document and a human label."""
    for number, item in enumerate(rag_items(ITEMS, seed=11)):
        known = {key: item[key] for key in ("question", "contexts", "answer", "reference")}
        scores = {"faithfulness": 0.9, "context_relevance": 0.8, "sas": (number * seed % 10) / 10}
        yield {
            "id": f"q{number}",
            **known,
            **scores,
            "language": ("de", "en")[number % 2],
            "document": f"d{number // 2}",
            "human": number % 3 != 0,
            "ground_truth_documents": [f"d{number}"],
            "retrieved_documents": [f"d{number}", "d0"],
        }


def answers(name, seed=1):
    """A file of answers; those of a configuration hold scores that something else computed."""
    left_out = () if name in CONFIGURATIONS else ("faithfulness", *SCORES)
    lines = [{key: value for key, value in row.items() if key not in left_out} for row in rows(seed)]
    Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def run(name, seed):
    """A stored run with scores from 0 to 1 that a better seed raises a little."""
    rng, data = np.random.default_rng(5), list(rows(seed))
    inputs = {
        key: [row[key] for row in data] for key in ("id", "question", "contexts", "language", "document")
    }
    inputs["human"] = [int(row["human"]) for row in data]
    inputs["contexts"] = [[*row["contexts"], f"found by {name}"] for row in data]
    base = rng.beta(20, 1, (len(SCORES), ITEMS))
    scores = np.clip(base + seed * 0.005, 0.85, 1)
    metrics = [
        {"name": metric, "scores": column.tolist(), "bounds": [0, 1]}
        for metric, column in zip(SCORES, scores, strict=True)
    ]
    save_run(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name), f"runs/{name}")


def text_workspace():
    for number, name in enumerate(("answers", "old", "new", *CONFIGURATIONS), start=1):
        answers(name, number)
    for number, name in enumerate((*RUNS, *CONFIGURATIONS)):
        run(name, number)


def conversation_workspace():
    call = {"name": "weather", "args": {"city": "Lyon"}}
    messages = [
        {"role": "user", "content": "Rain?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]
    lines = [
        {"id": str(item), "messages": messages, "expected_tools": [call] * (item % 3)}
        for item in range(ITEMS)
    ]
    Path("conversations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def retrieval_workspace():
    Path("run.trec").write_text("q1 Q0 d1 1 0.9 x\nq1 Q0 d2 2 0.8 x\nq2 Q0 d3 1 0.7 x\n")
    Path("qrels.trec").write_text("q1 0 d1 1\nq2 0 d4 1\n")
    beir = Path("beir/nfcorpus")
    (beir / "qrels").mkdir(parents=True)
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "a"}\n{"_id": "q2", "text": "b"}\n')
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "x"}\n')
    (beir / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td4\t1\n")


def vision_workspace():
    shutil.copy(DATA / "spoiled.csv", "predictions.csv")
    scenes = [
        {**image, "scene": ("day", "night")[at % 2], "file_name": f"street_{image['id']}.jpg"}
        for at, image in enumerate(IMAGES)
    ]
    coco_poses()
    coco_poses(results="other_poses.json")
    yolo_poses()
    animal_poses()
    lvis_truths()
    open_images_files()
    for name in ("instances.json", "annotations.json"):
        coco_truths(name, images=scenes)
    for name, found in (("detections", FOUND), ("others", BETTER), ("masks", FOUND), ("boxes", FOUND)):
        coco_results(f"{name}.json", found, masks=name == "masks")
    with redirect_stdout(StringIO()):
        run_of = ["run", "object_detection", "--gt", "instances.json", "--data", "others.json", "--quiet"]
        assert main(run_of) == 0
    protocol_files()
    tool_files()
    Path("names.txt").write_text("sky\nroad\n")
    for folder in ("maps", "labels", "found", "photos"):
        Path(folder).mkdir()
    truths, predicted = random_images(1, images=6)
    for name, side in (("val", truths), ("pred", predicted), ("other", truths)):
        write_panoptic(Path(f"panoptic_{name}.json"), dict(enumerate(side)))


def protocol_files():
    """Files of Pascal VOC, DOTA and KITTI."""
    corners, place = "1 1 9 1 9 9 1 9", "0 0 100 100 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"
    box = "".join(
        f"<{edge}>{at}</{edge}>"
        for edge, at in zip(("xmin", "ymin", "xmax", "ymax"), (1, 1, 9, 9), strict=True)
    )
    cat = f"<name>cat</name><bndbox>{box}</bndbox>"
    for path, text in {
        "Annotations/a.xml": f"<annotation><object>{cat}</object></annotation>",
        "voc_results/comp3_det_val_cat.txt": "a 0.9 1 1 9 9\n",
        "ImageSets/Main/val.txt": "a\n",
        "labelTxt/P1.txt": f"imagesource:GoogleEarth\ngsd:0.1\n{corners} plane 0\n",
        "dota_results/Task1_plane.txt": f"P1 0.9 {corners}\n",
        "label_2/000001.txt": f"Car 0.00 0 -1.58 {place}\n",
        "kitti_results/000001.txt": f"Car -1 -1 -10 {place} 0.9\n",
    }.items():
        Path(path).parent.mkdir(parents=True)
        Path(path).write_text(text)


def tool_files():
    """Results as Ultralytics, MMDetection and Detectron2 write them, and the labels and images of a model."""
    coco_results("mmdet.bbox.json", FOUND)
    rows = json.loads(Path("mmdet.bbox.json").read_text())
    masks = json.dumps([row | {"segmentation": corners(row["bbox"])} for row in rows])
    for name in ("mmdet.segm", "coco_instances_results"):
        Path(f"{name}.json").write_text(masks)
    for row in rows:
        stem = f"street_{row['image_id']}"
        row |= {"image_id": stem, "file_name": f"{stem}.jpg", "category_id": {1: 1, 4: 2}[row["category_id"]]}
    Path("val").mkdir()
    Path("val/predictions.json").write_text(json.dumps(rows))
    Path("data.yaml").write_text("names: [cat, dog]\n")


def files_of(command):
    """`found/` holds what the command is about: label maps, or a detector's text files."""
    if "semantic_segmentation" in command:
        for folder in ("maps", "found"):
            Image.fromarray(np.arange(16, dtype=np.uint8).reshape(4, 4) % 2).save(f"{folder}/a.png")
    elif "labels/" in command:
        Path("labels/a.txt").write_text("0 .5 .5 .2 .2\n")
        Path("found/a.txt").write_text("0 .5 .5 .2 .2 .9\n")
        Image.new("L", (8, 8)).save("photos/a.png")


def tidy():
    for path in [*Path("found").glob("*"), *Path("maps").glob("*")]:
        path.unlink()


def experiment_workspace():
    shutil.copytree(DATA.parent / "experiment", "tutorials/experiment")
    Path("tutorials/data").mkdir(exist_ok=True)
    for name in (
        "questions.jsonl",
        "corpus.jsonl",
        "answers.json.gz",
        "first_answers.jsonl",
        "bm25_answers.jsonl",
    ):
        shutil.copy(DATA / name, Path("tutorials/data") / name)


def demo_workspace():
    for name in ("judged.yaml", "passages.jsonl"):
        shutil.copy(DEMO / name, name)
