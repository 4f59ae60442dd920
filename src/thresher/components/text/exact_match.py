"""Whether an answer equals a reference answer."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.normalize import EMPTIED_TEXTS, ignoring
from thresher.metrics import Normalization, ReferenceColumn, TextColumn, TextPairs, metric, outputs, settings
from thresher.results import Measure, Signature


@metric
class ExactMatchEvaluator:
    """1 if the predicted answer equals one of the reference answers after normalisation, else 0.

    Ignored parts are removed first, in the order of the options; then the texts are normalised.

    Formula: 1 if any normalised reference equals the normalised prediction, else 0.
    Source: Rajpurkar et al. 2016 (`squad`: the evaluation script of SQuAD 1.1); the `ignore` options are
        those of Hugging Face's `exact_match`.
    Differs: SQuAD's script takes "A", "the" and "?" for equal, as it empties all three; here they
        differ, and none of them matches an empty reference (no answer).

    Args:
        normalization: `squad` lower-cases and drops ASCII punctuation, English articles and extra spaces
            (if that empties a text of a pair, such as the answer "A", both keep articles, or punctuation
            too); `unicode` compares case-folded words of any script, and of texts without a word the signs;
            `none` compares the texts unchanged, as Haystack's `AnswerExactMatchEvaluator` and Hugging Face's
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

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Args:
            ground_truth_answers: per item a text, or several; any of them may match.

        Returns:
            `score`: share of exact matches; `individual_scores`: 0 or 1; `result`.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        signed = {**settings(self), **EMPTIED_TEXTS[self.normalization]}
        measure, matches = Measure(Signature.of(self.name, signed)), self._matches(pairs)
        return outputs(pairs.items.result([measure], {"score": matches[pairs.best(matches)]}))

    def _matches(self, pairs: TextPairs) -> npt.NDArray[np.float64]:
        """1 or 0 for each pair."""
        if not (self.regexes_to_ignore or self.lowercase or self.ignore_punctuation or self.ignore_numbers):
            squad = self.normalization == "squad"
            return pairs.squad.matches() if squad else exact_match(*pairs.flat(), self.normalization)
        predictions, references = ([self._dropped(text) for text in texts] for texts in pairs.flat())
        matches = exact_match(predictions, references, self.normalization)
        emptied = [
            pair
            for pair, (prediction, reference) in enumerate(zip(*pairs.flat(), strict=True))
            if matches[pair] and prediction != reference and not predictions[pair].strip()
        ]
        if emptied:
            warnings.warn(
                f"{self.name}: answers match a different reference because the options leave nothing of both "
                f"({len(emptied)} of {counted(len(matches), 'pair')}); ignore less",
                stacklevel=3,
            )
        return matches
