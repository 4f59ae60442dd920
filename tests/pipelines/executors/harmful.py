"""A metric that harms the process which computes it, and one that warns and logs."""

import logging
import os
import signal
import time
import warnings
from pathlib import Path
from typing import Any

from haystack import component

from thresher.errors import DataWarning
from thresher.metrics.items import Items, outputs
from thresher.results import Measure, MetricResult, Signature


@component
class HarmfulEvaluator:
    """Scores the length of each question; `kill` kills the process, `kill once` the first that sees it."""

    def __init__(self, log: str, seconds: float = 0.0, name: str = "length") -> None:
        self.log = log
        self.seconds = seconds
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, questions: list[str]) -> dict[str, Any]:
        """Score each question by its length."""
        if len(questions):
            with Path(self.log).open("a") as log:
                log.write(f"{os.getpid()} {questions[0]}\n")
            time.sleep(self.seconds)
        for question in questions:
            self._do(question)
        measure = Measure(Signature.of(self.name, {}), bounds=(0, float("inf")))
        return outputs(
            Items(questions=questions).result([measure], {"score": [float(len(q)) for q in questions]})
        )

    def _do(self, question: str) -> None:
        if question == "warn":
            warnings.warn("a question warns", DataWarning, stacklevel=2)
            logging.getLogger("harmful").warning("a question is %s", "logged")
        if question == "kill" or (question == "kill once" and not Path(f"{self.log}.killed").exists()):
            Path(f"{self.log}.killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
