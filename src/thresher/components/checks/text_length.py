"""Whether the length of an answer is within bounds."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from thresher.components._rows import Row, row_outputs
from thresher.errors import InputError
from thresher.kernels.checks.sentences import sentences
from thresher.kernels.text.tokenize import unicode_words
from thresher.metrics import Mean, TextColumn, metric, read_inputs, settings
from thresher.metrics.options import Count
from thresher.results import Measure, Signature

_LENGTHS: Mapping[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(unicode_words(text)),
    "sentences": lambda text: len(sentences(text)),
}


@metric
class TextLengthEvaluator:
    """1 if the length of an answer is within bounds, else 0.

    A second measure, `<name>_mean`, is the mean length (lower is better).

    Formula: 1 if minimum <= length <= maximum, else 0
    Source: code points; words of any script as in `token_f1` with `unicode`; sentences end with a terminator
        before white space, or with the line

    Args:
        unit: `characters`, `words` or `sentences`.
        minimum: lowest length; by default the answer must not be empty.
        maximum: highest length; None for any.

    ```python
    evaluator = TextLengthEvaluator(unit="words", maximum=3)
    evaluator.run(predicted_answers=["In the far north.", "North."])["score"]  # 0.5
    ```
    """

    unit: Literal["characters", "words", "sentences"] = "characters"
    minimum: Count = 1
    maximum: Count | None = None
    name: str = "text_length"

    def __post_init__(self) -> None:
        if self.maximum is not None and self.maximum < self.minimum:
            raise InputError(
                f"maximum={self.maximum} is below minimum={self.minimum}; no length is within these bounds"
            )

    def run(self, predicted_answers: TextColumn) -> dict[str, Any]:
        """Measure each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers)
        rows = [self._row(_LENGTHS[self.unit](text)) for (text,) in entries]
        signature = Signature.of(f"{self.name}_mean", settings(self))
        mean = Measure(signature, Mean("length"), "length", "lower", (0.0, float("inf")))
        return row_outputs(self, items, rows, ("length",), mean)

    def _row(self, length: int) -> Row:
        within = self.minimum <= length and (self.maximum is None or length <= self.maximum)
        return Row(float(within), {"length": length}, {self.unit: length})
