"""A metric that leaves a mark each time it computes something, for tests of resuming."""

from pathlib import Path
from time import sleep
from typing import Any

from haystack import component

from thresher.metrics.items import Items, outputs
from thresher.results import Measure, MetricResult, Signature


@component
class CountingEvaluator:
    """Scores the length of each question, slowly, and writes down what it was asked."""

    def __init__(self, log: str, seconds: float = 0.0, fail_on: str = "", name: str = "length") -> None:
        self.log = log
        self.seconds = seconds
        self.fail_on = fail_on
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, questions: list[str]) -> dict[str, Any]:
        """Score each question by its length."""
        if self.fail_on and self.fail_on in questions:
            raise RuntimeError("out of\nbreath")
        if len(questions):
            with Path(self.log).open("a") as log:
                log.write(" ".join(questions) + "\n")
            sleep(self.seconds)
        measure = Measure(Signature.of(self.name, {}), bounds=(0, float("inf")))
        return outputs(
            Items(questions=questions).result([measure], {"score": [float(len(q)) for q in questions]})
        )
