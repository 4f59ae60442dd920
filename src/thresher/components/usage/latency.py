"""How long answers take."""

from dataclasses import replace
from typing import Any

from thresher.components.usage._amounts import amount, read_amounts
from thresher.metrics import Mean, Quantile, Signature, metric, outputs, settings

_TYPICAL, _SLOW = 0.5, 0.95


@metric
class LatencyEvaluator:
    """Seconds that the system takes to answer.

    The mean depends on single slow answers; `latency_median` is the typical answer, and `latency_p95` is
    exceeded by one in twenty. They depend on the machine and on the number of workers, so compare only runs
    of one experiment.

    Formula: mean, median and 95 % quantile of `seconds`
    Source: Hyndman and Fan 1996, definition 2 of quantiles (numpy's `averaged_inverted_cdf`)

    ```python
    evaluator = LatencyEvaluator()
    evaluator.run(seconds=[0.5, 1.5, None])["score"]  # 1.0
    ```
    """

    name: str = "latency"

    def run(self, seconds: list[float | None] | list[int | None]) -> dict[str, Any]:
        """Summarise the times.

        Args:
            seconds: per item how long the answer took; None if unknown.

        Returns:
            `score`: mean; `individual_scores`: the seconds; `result`.
        """
        items, amounts = read_amounts(seconds=seconds)
        signature = Signature.of(self.name, settings(self))
        further = {"median": _TYPICAL, "p95": _SLOW}
        measures = [
            amount(signature, Mean("seconds"), "seconds"),
            *(
                amount(replace(signature, metric=f"{self.name}_{word}"), Quantile("seconds", level))
                for word, level in further.items()
            ),
        ]
        return outputs(items.result(measures, amounts))
