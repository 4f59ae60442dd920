"""Whether an answer equals a reference answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.components._renamed import RENAMED
from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.normalize import NORMALIZATIONS, ignoring
from thresher.metrics import Normalization, TextPairs, metric, outputs, settings
from thresher.results import Measure, Signature


@RENAMED.options({"ignore_case": "lowercase"})
@metric
class ExactMatchEvaluator:
    """1 if the predicted answer equals one of the reference answers after normalisation, else 0.

    Ignored parts are removed first, in the order of the options; then the texts are normalised.

    Formula: 1 if any normalised reference equals the normalised prediction, else 0.
    Source: Rajpurkar et al. 2016 (`squad`: the evaluation script of SQuAD 1.1); the `ignore` options are
        those of Hugging Face's `exact_match`.

    Args:
        normalization: `squad` lower-cases and drops ASCII punctuation, English articles and extra spaces
            (two texts without a word match); `unicode` compares case-folded words of any script; `none`
            compares the texts unchanged, as Haystack's `AnswerExactMatchEvaluator` and Hugging Face's
            `exact_match` do.
        regexes_to_ignore: regular expressions whose matches are dropped.
        ignore_punctuation: whether ASCII punctuation is dropped.
        ignore_numbers: whether the digits 0 to 9 are dropped.

    ```python
    evaluator = ExactMatchEvaluator()
    evaluator.run(predicted_answers=["the Paris."], ground_truth_answers=["Paris"])["score"]  # 1.0
    ```
    """

    normalization: Normalization = "squad"
    regexes_to_ignore: Sequence[str] = ()
    lowercase: bool = False
    ignore_punctuation: bool = False
    ignore_numbers: bool = False
    name: str = "exact_match"

    def __post_init__(self) -> None:
        self._dropped = ignoring(
            self.regexes_to_ignore,
            case=self.lowercase,
            punctuation=self.ignore_punctuation,
            numbers=self.ignore_numbers,
        )

    def run(
        self, predicted_answers: list[str], ground_truth_answers: list[str] | list[list[str]]
    ) -> dict[str, Any]:
        """Score each item.

        Args:
            ground_truth_answers: per item a text, or several; any of them may match.

        Returns:
            `score`: share of exact matches; `individual_scores`: 0 or 1; `result`.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(pairs.items.result([measure], {"score": self._matches(pairs)}))

    def _matches(self, pairs: TextPairs) -> npt.NDArray[np.float64]:
        ignores = self.regexes_to_ignore or self.lowercase or self.ignore_punctuation or self.ignore_numbers
        if self.normalization == "squad" and not ignores:
            matches = pairs.squad.matches()
            return matches[pairs.best(matches)]
        predictions = [self._normal(text) for text in pairs.predictions]
        return exact_match(
            predictions, [[self._normal(text) for text in texts] for texts in pairs.references]
        )

    def _normal(self, text: str) -> str:
        return NORMALIZATIONS[self.normalization](self._dropped(text))
