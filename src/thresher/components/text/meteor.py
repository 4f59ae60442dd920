"""METEOR: words aligned with a reference answer, including stems and synonyms."""

from typing import Any, Literal

import numpy as np

from thresher.kernels.text.meteor import Meteor
from thresher.kernels.text.tokenize import BLEU_TOKENIZERS
from thresher.metrics import (
    NonNegative,
    ReferenceColumn,
    Share,
    TextColumn,
    TextPairs,
    metric,
    outputs,
    settings,
)
from thresher.results import Measure, Signature


@metric
class MeteorEvaluator:
    """Alignment of the predicted answer's words with a reference answer's, including stems and synonyms.

    English only. With several references the one with the highest score counts (the first of equals).
    Synonyms need WordNet, which no package installs: run `python -m nltk.downloader wordnet` once, or set
    NLTK_DATA to a folder with `corpora/wordnet`. WordNet's version changes the number, so it is in the
    signature.

    Formula: F (1 - gamma (chunks / aligned words)^beta) with F = PR / (alpha P + (1 - alpha) R), P and R
        the shares of aligned words; 0 without an aligned word. Equal texts of one word score 1 - gamma.
    Source: Lavie and Agarwal 2007, "Meteor: An Automatic Metric for MT Evaluation with High Levels of
        Correlation with Human Judgments"; computed by NLTK's `meteor_score`.

    Args:
        synonyms: whether synonyms of WordNet align; if False, no data files are needed and scores are a
            little lower.
        tokenizer: `13a` (punctuation is split off, as WMT does), `whitespace`, `valor` or `unicode`.
        alpha: weight of precision in the denominator; the weight of recall is 1 - alpha.
        beta: exponent of the fragmentation penalty.
        gamma: largest penalty.

    ```python
    evaluator = MeteorEvaluator(synonyms=False)
    evaluator.run(predicted_answers=["the cats sat"], ground_truth_answers=["the cat sat"])["score"]
    ```
    """

    synonyms: bool = True
    tokenizer: Literal["valor", "13a", "whitespace", "unicode"] = "13a"
    alpha: Share = 0.9
    beta: NonNegative = 3.0
    gamma: Share = 0.5
    name: str = "meteor"

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item."""
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        meteor = Meteor(self.alpha, self.beta, self.gamma, synonyms=self.synonyms)
        signed = {**settings(self), "wordnet": meteor.wordnet_version}
        tokens = BLEU_TOKENIZERS[self.tokenizer]
        predictions, references = ([tokens(text) for text in texts] for texts in pairs.flat())
        scores = meteor.scores(predictions, references)
        sizes = np.fromiter(map(len, references), np.int64, len(references))
        pairs.warn_of_unread_references(self.name, sizes, "they score 0; choose another tokenizer")
        measure = Measure(Signature.of(self.name, signed))
        return outputs(pairs.items.result([measure], {"score": scores[pairs.best(scores)]}))
