"""How much answers cost."""

from typing import Any

from thresher.components.usage._amounts import amount, read_amounts
from thresher.metrics import Mean, Signature, metric, outputs, settings


@metric
class CostEvaluator:
    """Money that the tokens of an answer cost, in the currency of the prices.

    A reply that came from a cache costs what it cost when it was made, so that configurations can be
    compared.

    Formula: mean of `costs`
    Source: tokens reported by the providers, and the prices of the run

    ```python
    evaluator = CostEvaluator()
    evaluator.run(costs=[0.25, 0.75, None])["score"]  # 0.5
    ```
    """

    name: str = "cost"

    def run(self, costs: list[float | None] | list[int | None]) -> dict[str, Any]:
        """Summarise the costs.

        Args:
            costs: per item what its tokens cost; None if unknown.

        Returns:
            `score`: mean; `individual_scores`: the costs; `result`.
        """
        items, amounts = read_amounts(costs=costs)
        signature = Signature.of(self.name, settings(self))
        return outputs(items.result([amount(signature, Mean("costs"), "costs")], amounts))
