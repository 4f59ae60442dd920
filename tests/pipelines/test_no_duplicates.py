"""No measure stands in a recipe under two names: on random data no two of them always agree."""

import hashlib
import json
from itertools import combinations

import numpy as np
import pytest
from haystack.dataclasses import ChatMessage, ToolCall

from judges import oracle
from panoptic_cases import random_images
from thresher import evaluate, load_recipe
from thresher.components.detection import Raster
from thresher.pipelines.judged import use_judge
from thresher.pipelines.library import RECIPES

pytestmark = pytest.mark.filterwarnings("ignore:all scores of predictions are above")
SEEDS = (1, 2, 3)
SAME = 1e-12
WORDS = [f"w{number}" for number in range(12)]


class CoinJudge:
    """A judge whose verdicts and ratings are random, and the same for the same prompt."""

    def run(self, messages):
        text = messages[-1].text
        known = json.loads(oracle.reply(text))
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        return {
            "replies": [ChatMessage.from_assistant(json.dumps(drawn(known, np.random.default_rng(seed))))]
        }

    def to_dict(self):
        return {"type": "test_no_duplicates.CoinJudge", "init_parameters": {}}


def drawn(reply, rng):
    """The reply with its verdicts and ratings replaced by random ones; lists of sentences stay."""
    if "rating" in reply:
        return {**reply, "rating": int(rng.integers(1, 6))}
    return {
        key: {**value, "verdict": str(rng.choice(["yes", "no"]))} if isinstance(value, dict) else value
        for key, value in reply.items()
    }


def text(rng, sentences=1):
    """Sentences of random words, some of them opinions, with articles, which SQuAD's normalisation drops."""
    heads = rng.choice(["the", "I think the"], sentences)
    made = (" ".join([head, *rng.choice(WORDS, rng.integers(2, 7))]) + "." for head in heads)
    return " ".join(made)


def answers(rng, items=40):
    truths = [text(rng) for _ in range(items)]
    ids = [[f"d{each}" for each in rng.permutation(20)[:12]] for _ in range(items)]
    return {
        "questions": [f"{text(rng)} {item}?" for item in range(items)],
        "predicted_answers": [each if rng.random() < 0.3 else text(rng, 3) for each in truths],
        "ground_truth_answers": truths,
        "contexts": [[text(rng, 2) for _ in range(4)] for _ in range(items)],
        "retrieved_documents": ids,
        "ground_truth_documents": [
            {
                f"d{each}": int(rng.integers(1, 4))
                for each in rng.choice(20, rng.integers(2, 6), replace=False)
            }
            for _ in range(items)
        ],
    }


def labels(rng, items=200):
    names = ["ape", "bee", "cat", "dog"]
    truths = rng.choice(names, items, p=[0.5, 0.3, 0.15, 0.05])
    scores = rng.dirichlet(np.ones(4), items) + 0.4 * (truths[:, None] == np.array(names))
    rows = [dict(zip(names, row, strict=True)) for row in (scores / scores.sum(1, keepdims=True)).tolist()]
    return {"ground_truths": truths.tolist(), "predictions": rows}


def label_sets(rng, items=200):
    names = np.array(["ape", "bee", "cat", "dog"])
    truths = rng.random((items, 4)) < [0.5, 0.3, 0.15, 0.05]
    scores = 0.7 * rng.random(truths.shape) + 0.3 * truths
    return {
        "ground_truths": [names[row].tolist() for row in truths],
        "predictions": [dict(zip(names.tolist(), row, strict=True)) for row in scores.tolist()],
    }


def objects(rng, images=25, labels=("cat", "dog")):
    """Objects of three sizes and two labels, more than ten of a label in some images."""
    sides = np.array([[20, 25], [60, 70], [120, 130]])
    data = {"ground_truths": [], "predictions": []}
    for _ in range(images):
        count = int(rng.integers(1, 30))
        low = rng.uniform(0, 500, (count, 2))
        size = sides[rng.integers(0, 3, count)] * rng.uniform(0.9, 1.1, (count, 2))
        boxes = np.hstack([low, low + size])
        names = rng.choice(labels, count)
        corner = low + rng.normal(0, 4, low.shape)
        moved = np.hstack([corner, corner + size * rng.uniform(0.85, 1.15, size.shape)])
        wrong = np.where(rng.random(count) < 0.2, rng.choice(labels, count), names)
        shown = rng.random(count) < 0.85
        shown[0] = True
        data["ground_truths"].append({"labels": names.tolist(), "boxes": boxes.tolist()})
        scores = rng.beta(3, 2, int(shown.sum())).tolist()
        data["predictions"].append(
            {"labels": wrong[shown].tolist(), "boxes": moved[shown].tolist(), "scores": scores}
        )
    return data


def traffic(rng):
    """The objects as cars and pedestrians of random levels."""
    data = objects(rng, images=40)
    for side in data.values():
        for image in side:
            image["labels"] = [{"cat": "Car", "dog": "Pedestrian"}[label] for label in image["labels"]]
    sizes = [len(image["labels"]) for image in data["ground_truths"]]
    levels = ["easy", "moderate", "hard", "none"]
    return {**data, "difficulty_levels": [rng.choice(levels, size).tolist() for size in sizes]}


def outlines(rng):
    """The objects as masks, in images so small that small objects are not all boundary."""
    data = objects(rng, images=12)
    for side in data.values():
        for image in side:
            image["geometries"] = [mask(box) for box in image.pop("boxes")]
    return data


def mask(box, size=300):
    left, top, right, bottom = (int(edge) for edge in box)
    across, down = left // 150 * 150, top // 150 * 150
    pixels = np.zeros((size, size), bool)
    pixels[top - down : bottom - down, left - across : right - across] = True
    return Raster.of(pixels).to_dict()


def poses(rng):
    """Keypoints on the diagonals of boxes; predicted ones are moved."""
    data = objects(rng)
    for side in data.values():
        for image in side:
            boxes = np.array(image["boxes"])
            steps = np.linspace(0, 1, 17)[:, None]
            points = boxes[:, None, :2] + steps * (boxes[:, 2:] - boxes[:, :2])[:, None]
            if "scores" in image:
                points += rng.normal(0, 2, points.shape) * rng.choice([0, 1, 3], (len(boxes), 1, 1))
            image["keypoints"] = points.tolist()
    return data


FREQUENCIES = {"ape": "rare", "cat": "common", "dog": "frequent"}


def federated(rng):
    """Objects in images that were checked for some labels."""
    data = objects(rng, labels=list(FREQUENCIES))
    for image in data["ground_truths"]:
        absent = [name for name in FREQUENCIES if name not in image["labels"] and rng.random() < 0.7]
        known = {"absent": absent, "not_exhaustive": [name for name in FREQUENCIES if rng.random() < 0.2]}
        image["federated"] = known | {"frequency": [FREQUENCIES[name] for name in image["labels"]]}
    return data


def grouped(rng):
    """Objects of which some are groups that contain many predictions."""
    data = objects(rng)
    for image in data["ground_truths"]:
        image["crowd"] = (rng.random(len(image["labels"])) < 0.3).tolist()
    return data


def maps(rng, images=4):
    truths = rng.integers(1, 5, (images, 12, 12))
    predictions = np.where(rng.random(truths.shape) < 0.6, truths, rng.integers(1, 5, truths.shape))
    return {"ground_truths": truths.tolist(), "predictions": predictions.tolist()}


def panoptic_maps(rng):
    return dict(zip(("ground_truths", "predictions"), random_images(rng, images=12), strict=True))


def conversations(rng, items=40):
    """Calls that differ from the expected ones in tool, arguments, number or order; some of them fail."""
    data = {"conversations": [], "reference_tool_calls": []}
    for _ in range(items):
        expected = [called(rng) for _ in range(rng.integers(1, 4))]
        kept = [each if rng.random() < 0.7 else called(rng) for each in expected if rng.random() < 0.9]
        made = [*kept, *(called(rng) for _ in range(rng.integers(0, 3)))]
        if rng.random() < 0.3:
            rng.shuffle(made)
        data["reference_tool_calls"].append(expected)
        data["conversations"].append([message for each in made for message in turn(rng, each)])
    return data


def called(rng):
    arguments = {"city": str(rng.choice(WORDS[:3])), "days": int(rng.integers(1, 3))}
    return {"name": str(rng.choice(["weather", "book"])), "args": arguments}


def turn(rng, call):
    """A call with its result, after a message of the user at times."""
    usage = {"prompt_tokens": int(rng.integers(5, 90)), "completion_tokens": int(rng.integers(5, 90))}
    made = ToolCall(call["name"], call["args"], id=str(rng.integers(10**9)))
    result = ChatMessage.from_tool("done", origin=made, error=bool(rng.random() < 0.3))
    asked = [ChatMessage.from_user(text(rng))] if rng.random() < 0.4 else []
    said = [ChatMessage.from_assistant("done")] if rng.random() < 0.4 else []
    return [*asked, ChatMessage.from_assistant(tool_calls=[made], meta={"usage": usage}), result, *said]


def dialogues(rng, items=40):
    """Conversations of two to four questions with replies; the user states facts and wishes."""
    return {"conversations": [[*_turns(rng, rng.integers(2, 5))] for _ in range(items)]}


def _turns(rng, units):
    for _ in range(units):
        yield {"role": "user", "content": f"My {text(rng)} I want {text(rng)}"}
        yield {"role": "assistant", "content": text(rng)}


DATA = {
    "agent": conversations,
    "conversation": dialogues,
    **dict.fromkeys(("qa", "rag", "retrieval", "safety", "summarization"), answers),
    "classification": labels,
    "multilabel_classification": label_sets,
    **dict.fromkeys(
        ("object_detection", "instance_segmentation", "oriented_detection", "voc_detection"), objects
    ),
    "boundary_segmentation": outlines,
    "panoptic_segmentation": panoptic_maps,
    "keypoint_detection": poses,
    **dict.fromkeys(("lvis_detection", "lvis_segmentation"), federated),
    "kitti_detection": traffic,
    "open_images_detection": grouped,
    "semantic_segmentation": maps,
}


def values(name, seed):
    pipeline = load_recipe(name)
    use_judge(pipeline, CoinJudge())
    results = evaluate(pipeline, DATA[name](np.random.default_rng(seed)))
    return {metric.name: metric.value for metric in results.metrics.values()}


def duplicates(tables):
    """Pairs of measures with equal values in all tables; undefined values are equal to nothing."""
    return [
        pair
        for pair in combinations(tables[0], 2)
        if all(abs(table[pair[0]] - table[pair[1]]) <= SAME for table in tables)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_no_two_measures_of_a_recipe_are_one(name):
    tables = [values(name, seed) for seed in SEEDS]
    assert len({len(table) for table in tables}) == 1
    assert duplicates(tables) == []
    undefined = {measure for table in tables for measure, value in table.items() if np.isnan(value)}
    assert not undefined, "random data that leave a measure undefined say nothing about it"


@pytest.mark.parametrize(
    ("metrics", "data", "pairs"),
    [
        (
            ["classification_accuracy", "classification_confusion_matrix"],
            labels,
            {("classification_accuracy", "classification_confusion_matrix")},
        ),
        (
            ["classification_recall", "classification_accuracy"],
            labels,
            {
                ("classification_accuracy", "classification_recall_micro"),
                ("classification_accuracy", "classification_recall_weighted"),
            },
        ),
        (
            ["classification_precision_recall_curve", "classification_detailed_precision_recall_curve"],
            labels,
            {
                (
                    "classification_detailed_precision_recall_curve_best_f1",
                    "classification_precision_recall_curve_best_f1",
                )
            },
        ),
        (["rouge"], answers, {("rougeL", "rougeLsum")}),
    ],
)
def test_the_comparison_of_measures_finds_what_is_one(metrics, data, pairs):
    tables = [
        {
            name: metric.value
            for name, metric in evaluate(metrics, data(np.random.default_rng(seed))).metrics.items()
        }
        for seed in SEEDS
    ]
    assert pairs <= set(duplicates(tables))
