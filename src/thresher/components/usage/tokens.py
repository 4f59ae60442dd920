"""How many tokens answers take."""

from dataclasses import replace
from typing import Any

from thresher.components.usage._amounts import amount, read_amounts
from thresher.metrics import Mean, Signature, metric, outputs, settings


@metric
class TokensEvaluator:
    """Tokens that models read and write for an answer.

    An item is missing if either count is: systems whose generators report no tokens use an unknown number.

    Formula: mean of `input_tokens` + `output_tokens`
    Source: the counts that the providers of the models report

    ```python
    evaluator = TokensEvaluator()
    evaluator.run(input_tokens=[100, 200], output_tokens=[10, 30])["score"]  # 170.0
    ```
    """

    name: str = "tokens"

    def run(
        self,
        input_tokens: list[float | None] | list[int | None],
        output_tokens: list[float | None] | list[int | None],
    ) -> dict[str, Any]:
        """Count the tokens.

        Args:
            input_tokens: per item the tokens sent to models; None if unknown.
            output_tokens: per item the tokens received; None if unknown.

        Returns:
            `score`: mean of the sums; `individual_scores`: the sums; `result`.
        """
        items, amounts = read_amounts(input_tokens=input_tokens, output_tokens=output_tokens)
        amounts["tokens"] = amounts["input_tokens"] + amounts["output_tokens"]
        signature = Signature.of(self.name, settings(self))
        measures = [
            amount(signature, Mean("tokens"), "tokens"),
            *(
                amount(replace(signature, metric=f"{self.name}_{word}"), Mean(column), column)
                for word, column in (("input", "input_tokens"), ("output", "output_tokens"))
            ),
        ]
        return outputs(items.result(measures, amounts))
