"""METEOR: words aligned with a reference answer, by stem and synonym too."""

from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.kernels.text.meteor import Meteor
from thresher.kernels.text.tokenize import BLEU_TOKENIZERS
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_choice, check_share, checked_options
from thresher.metrics.text_pairs import TextPairs
from thresher.results import Measure, MetricResult, Signature


@component
@checked_options
class MeteorEvaluator:
    """How well the predicted answer's words align with a reference answer's, counting stems and synonyms.

    English only. With several references the one with the highest score counts (the first of equals).
    Synonyms need WordNet, which no package installs: run `python -m nltk.downloader wordnet` once, or set
    NLTK_DATA to a folder that holds `corpora/wordnet`. WordNet's version changes the number and stands in
    the signature.

    Args:
        synonyms: whether words that WordNet knows as synonyms align; without, no data files are needed
            and scores are a little lower.
        tokenizer: `13a` (punctuation is split off, as WMT does), `whitespace`, `valor` or `unicode`.
        alpha: how much precision weighs below the line; recall has the rest.
        beta: how steeply the penalty grows with fragmentation.
        gamma: the largest penalty.
        name: name of the measure in reports.

    Formula: F (1 - gamma (chunks / aligned words)^beta) with F = PR / (alpha P + (1 - alpha) R), P and R
        the shares of aligned words; 0 without an aligned word.
    Source: Lavie and Agarwal 2007, "Meteor: An Automatic Metric for MT Evaluation with High Levels of
        Correlation with Human Judgments"; computed by NLTK's `meteor_score`.

    Raises:
        InputError: for unknown options or ones out of range, from `run` for lists of unequal length, and
            where WordNet is wanted and missing.

    ```python
    evaluator = MeteorEvaluator(synonyms=False)
    evaluator.run(predicted_answers=["the cats sat"], ground_truth_answers=["the cat sat"])["score"]
    ```
    """

    def __init__(
        self,
        synonyms: bool = True,
        tokenizer: str = "13a",
        *,
        alpha: float = 0.9,
        beta: float = 3.0,
        gamma: float = 0.5,
        name: str = "meteor",
    ) -> None:
        check_choice("tokenizer", tokenizer, list(BLEU_TOKENIZERS))
        check_share("alpha", alpha)
        check_share("gamma", gamma)
        if not beta >= 0:
            raise InputError(f"beta={beta!r} must be a number of at least 0")
        self.synonyms = synonyms
        self.tokenizer = tokenizer
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(
        self, predicted_answers: list[str], ground_truth_answers: list[str] | list[list[str]]
    ) -> dict[str, Any]:
        """Score each item.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.
            ground_truth_answers: per item a text, or several.

        Returns:
            `score`: mean of the items' scores; `individual_scores`; `result`.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        meteor = Meteor(self.alpha, self.beta, self.gamma, synonyms=self.synonyms)
        told = {**settings(self), "wordnet": meteor.wordnet_version}
        tokens = BLEU_TOKENIZERS[self.tokenizer]
        scores = meteor.scores(*([tokens(text) for text in texts] for texts in pairs.flat()))
        measure = Measure(Signature.of(self.name, told))
        return outputs(pairs.items.result([measure], {"score": scores[pairs.best(scores)]}))
