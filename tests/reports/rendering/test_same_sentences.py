"""What a report says in words, it says in every format for people."""

import html
import re

import numpy as np
import pytest

from thresher import EvaluationResults, evaluate
from thresher.reports import BestThresholds, SliceReport
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.runs.run_report import RunReport
from thresher.reports.thresholds.label_thresholds import LabelThresholds


def run(seed):
    draw = np.random.default_rng(seed)
    inputs = {"id": [f"q{item}" for item in range(40)], "group": ["a", "b"] * 20}
    metrics = [
        {"name": "judge", "scores": draw.random(40).tolist(), "bounds": [0, 1]},
        {"name": "hit", "scores": draw.integers(0, 2, 40).tolist(), "bounds": [0, 1], "primary": False},
        {"name": "part", "scores": [None, *draw.random(39).tolist()], "bounds": [0, 1]},
    ]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=f"run{seed}")


def classified():
    scores = np.random.default_rng(0).random(40)
    labels = ["cat" if score > 0.4 else "dog" for score in scores[::-1]]
    predictions = [{"cat": score, "dog": 1 - score} for score in scores.tolist()]
    return evaluate(["classification_roc_auc"], {"ground_truths": labels, "predictions": predictions})


REPORTS = {
    "report": lambda: RunReport(run(0)),
    "compare": lambda: ComparisonReport([run(0), run(1)], Analysis(margin=0.1)),
    "slices": lambda: SliceReport(run(0), "group"),
    "thresholds": lambda: BestThresholds(run(0), "hit", metrics=["judge"]),
    "labels": lambda: LabelThresholds(classified()),
}
IN_OTHER_WORDS = ("primary: ", "inconclusive: ", "equivalent: ")
"""Legends that pages have as a tooltip or in a sentence of their own."""


def words(text):
    return " ".join(re.findall(r"\w+", html.unescape(re.sub(r"<[^>]+>", " ", text))))


@pytest.mark.parametrize("name", REPORTS)
def test_sentences_of_a_table_are_in_every_format(name):
    report = REPORTS[name]()
    table = next(iter(report.layouts()))
    sentences = [*table.notes, *table.reading, *report.remarks]
    assert sentences
    texts = {kind: words(report.render(kind).replace("\\", "")) for kind in ("table", "markdown", "latex")}
    page = words(report.render("html"))
    for sentence in filter(lambda line: not re.match(r"[A-Z] = ", line), sentences):
        assert [kind for kind, text in texts.items() if words(sentence) not in text] == [], sentence
        assert words(sentence) in page or sentence.startswith(IN_OTHER_WORDS), sentence
