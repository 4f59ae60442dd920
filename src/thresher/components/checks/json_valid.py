"""Whether an answer is JSON."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.kernels.checks.strict_json import Extract, InvalidJsonError, read_json
from thresher.metrics import TextColumn, metric, read_inputs


@metric
class JsonValidEvaluator:
    """1 if the answer is valid JSON, else 0, with the place of the first error.

    NaN and Infinity, repeated keys, a byte order mark and an empty answer are not valid.

    Formula: 1 for a JSON text, else 0
    Source: RFC 8259; unique keys as RFC 7493 (I-JSON) requires

    ```python
    evaluator = JsonValidEvaluator()
    evaluator.run(predicted_answers=['{"a": 1}', '{"a": NaN}'])["score"]  # 0.5
    ```
    """

    extract: Extract = "whole"
    name: str = "json_valid"
    reads_json = True  # so that answers that are all JSON objects are not refused

    def run(self, predicted_answers: TextColumn) -> dict[str, Any]:
        """Check each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers)
        return row_outputs(self, items, [self._row(text) for (text,) in entries], ())

    def _row(self, text: str) -> Row:
        try:
            read_json(text, self.extract)
        except InvalidJsonError as problem:
            return Row(0.0, {}, {"problem": str(problem)})
        return Row(1.0, {}, {})
