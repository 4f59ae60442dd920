"""Runs whose reports are tested, and how to read what is packed in a file."""

import base64
import gzip
import json
import re

import numpy as np

from thresher import EvaluationResults
from thresher.results import Measure, MetricResult, Signature, Statistics, Status

PLANTED = "</script><img src=x onerror=\"document.title='broken'\"><!--"


def judged_run(name, scores, answers, *, status=None, reasons=None, planted=""):
    """A run of one judged metric and one where lower is better, with labels and evidence."""
    size = len(scores)
    passages = [
        [f"The tower number {item} is {40 + item} m high. It has bells.", f"Lakes freeze.{planted}"]
        for item in range(size)
    ]
    evidence = [judged(item, scores[item], passages[item], planted) for item in range(size)]
    inputs = {
        "ids": [f"t{item:03d}{planted}" for item in range(size)],
        "questions": [f"How high is tower {item}?{planted}" for item in range(size)],
        "contexts": passages,
        "predicted_answers": [f"{answer}{planted}" for answer in answers],
        "ground_truth_answers": [[f"{40 + item} metres{planted}"] for item in range(size)],
        "human_label": [item % 2 for item in range(size)],
        f"note{planted}": [f"remark {item}{planted}" for item in range(size)],
    }
    metrics = [faithfulness(scores, status, reasons, evidence, planted), latency(size)]
    made_by = {"made by": f"a test{planted}"}
    return EvaluationResults(inputs, metrics, name=f"{name}{planted}", provenance=made_by)


def judged(item, score, passages, planted):
    """What the judge said of one item."""
    claim = {
        "id": "1",
        "text": f"It is {40 + item} m high.{planted}",
        "verdict": "yes" if score else "no",
        "reason": f'The passage says "is {40 + item} m high" so it follows.{planted}',
    }
    context = {"id": "1", "text": passages[0], "verdict": "yes", "reason": "It is about the tower."}
    reply = {"prompt": "claims", "reply": f"raw reply {item}{planted}"}
    return {"claims": [claim], "contexts": [context], "replies": [reply]}


def faithfulness(scores, status, reasons, evidence, planted):
    measure = Measure(Signature.of("faithfulness", {"judge": f"judge-1{planted}"}))
    statistics = Statistics({"score": np.array(scores, dtype=float)})
    return MetricResult([measure], statistics, status, reasons, evidence)


def latency(size):
    measure = Measure(Signature.of("latency", {}), direction="lower", bounds=(0, np.inf))
    return MetricResult(
        [measure], Statistics({"score": np.array([1 + item % 7 / 7 for item in range(size)])})
    )


def pair(planted="", size=30):
    """Two runs: the second loses on every third item, and on item 4 it has no score."""
    first = [item % 2 for item in range(size)]
    second = [score if item % 3 else 0 for item, score in enumerate(first)]
    status = np.zeros(size, dtype=int)
    status[4] = Status.FAILED
    answers = [f"It is {40 + item} m high." for item in range(size)]
    others = [
        answer if item % 5 else f"The tower is {40 + item} m tall." for item, answer in enumerate(answers)
    ]
    return [
        judged_run("first", first, answers, planted=planted),
        judged_run(
            "second", second, others, status=status, reasons={4: f"no answer{planted}"}, planted=planted
        ),
    ]


def unpacked(text):
    """The payload of a file."""
    (packed,) = re.findall(r'<script type="text/plain" id="payload">([^<]*)</script>', text)
    return json.loads(gzip.decompress(base64.b64decode(packed)))
