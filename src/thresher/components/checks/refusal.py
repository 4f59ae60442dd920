"""Whether an answer is a refusal, by its phrases."""

from collections.abc import Sequence
from typing import Annotated, Any

from thresher.kernels.checks.refusals import Language, refusal, refusal_phrases
from thresher.metrics import TextColumn, metric, outputs, read_inputs, settings
from thresher.metrics.options import Text, distinct
from thresher.results import Measure, Signature


@metric
class RefusalEvaluator:
    """1 if an answer contains a phrase by which models refuse to answer, else 0; lower is better.

    A list of phrases is bound to its languages, misses refusals in other words, and flags answers that quote
    such a phrase. Use it as a flag, and a judge where the difference matters. An empty answer is not a
    refusal; `text_length` counts it.

    Formula: 1 for an answer with a phrase of the list, else 0; case, spaces and forms of apostrophes are
        ignored
    Source: the phrases of this package, per language

    Args:
        languages: languages whose phrases count: `en`, `de`, `es`, `fr`.
        phrases: further phrases.

    ```python
    evaluator = RefusalEvaluator()
    evaluator.run(predicted_answers=["I'm sorry, but I can't help with that.", "Paris."])["score"]  # 0.5
    ```
    """

    languages: Annotated[Sequence[Language], distinct] = ("en",)
    phrases: Sequence[Text] = ()
    name: str = "refusal"

    def __post_init__(self) -> None:
        self._phrases = refusal_phrases(self.languages, self.phrases)

    def run(self, predicted_answers: TextColumn) -> dict[str, Any]:
        """Check each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers)
        matches = [refusal(text, self._phrases) for (text,) in entries]
        scores = [float(bool(phrase)) for phrase in matches]
        measure = Measure(Signature.of(self.name, settings(self)), direction="lower")
        evidence = [{"phrase": phrase} if phrase else {} for phrase in matches]
        return outputs(items.result([measure], {"score": scores}, evidence))
