"""TER: edits and shifts that turn a translation into a reference."""

from typing import Any

from thresher.kernels.text.sacrebleu_tokens import tercom_tokens
from thresher.kernels.text.ter import CorpusTer, ter, ter_counts
from thresher.metrics import ReferenceColumn, TextColumn, TextPairs, metric, outputs, settings
from thresher.results import Measure, Signature


@metric
class TerEvaluator:
    """Edits and shifts per word that turn the predicted answer into a reference answer. Lower is better.

    An edit inserts, drops or replaces a word; a shift moves a phrase. Two measures: the mean of the items'
    rates, and the rate over all items as one corpus (`<name>_corpus`), which papers about translation
    report: edits and reference lengths are summed before the division. With several references the fewest
    edits count, and the mean of the reference lengths.

    Finding the fewest shifts is intractable; the search is Tercom's: greedy, with limits (phrases of at most
    10 words, moved by at most 50 places; edit distances within 25 places of the diagonal), and tries at most
    1,000 shifts per pair of texts, as sacrebleu's search does.

    Formula: (insertions + deletions + replacements + shifts) / words of the reference; without a reference
        word 1 if there are edits, else 0. May exceed 1.
    Source: Snover et al. 2006, "A Study of Translation Edit Rate with Targeted Human Annotation"; numbers are
        those of sacrebleu 2.6 divided by 100.
    Differs: sacrebleu 2.6 tokenizes references twice, which with `normalized` may split them further: the
        prediction "It was Tom's." scores 0.4 against itself there, and 0 here.

    Args:
        normalized: whether XML entities are decoded and punctuation and possessives split off.
        ignore_punctuation: whether the marks .,?:;!"() are dropped.
        asian_support: whether `normalized` splits Chinese characters into words and `ignore_punctuation`
            drops Asian marks too.

    ```python
    evaluator = TerEvaluator()
    evaluator.run(predicted_answers=["sat the cat"], ground_truth_answers=["the cat sat"])["score"]  # 0.333
    ```
    """

    normalized: bool = False
    ignore_punctuation: bool = False
    asian_support: bool = False
    lowercase: bool = True
    name: str = "ter"

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score`: mean of the items' rates; `individual_scores`; `result` with both measures.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        predictions = [self._words(text) for text in pairs.predictions]
        references = [[self._words(text) for text in texts] for texts in pairs.references]
        counts = ter_counts(predictions, references)
        pairs.warn_of_unread_references(
            self.name,
            counts.reference_length,
            "any answer without a word scores 0, any other 1; use ignore_punctuation=False",
        )
        return outputs(pairs.items.result(self._measures(), {"score": ter(counts), **counts._asdict()}))

    def _words(self, text: str) -> list[str]:
        return tercom_tokens(
            (text.lower() if self.lowercase else text).rstrip(),
            normalized=self.normalized,
            no_punct=self.ignore_punctuation,
            asian_support=self.asian_support,
        )

    def _measures(self) -> list[Measure]:
        signed, bounds = settings(self), (0.0, float("inf"))
        corpus = Signature.of(f"{self.name}_corpus", signed)
        return [
            Measure(Signature.of(self.name, signed), direction="lower", bounds=bounds),
            Measure(corpus, CorpusTer(), direction="lower", bounds=bounds),
        ]
