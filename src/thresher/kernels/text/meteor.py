"""METEOR by NLTK, with stems and synonyms cached per word."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.surface import metric_option

Tokens = Sequence[str]


class Meteor:
    """METEOR of pairs of tokenized texts (Lavie and Agarwal 2007), as `nltk.translate.meteor_score`.

    Words are aligned if they are equal, then if their Porter stems are equal, then if they are synonyms in
    WordNet. With P and R the shares of aligned words, F = PR / (alpha P + (1 - alpha) R), and the score is
    F (1 - gamma (chunks / aligned words) ** beta); 0 without an aligned word.

    Args:
        alpha: weight of precision in the denominator of F.
        beta: exponent of fragmentation in the penalty.
        gamma: the largest penalty.
        synonyms: whether to align synonyms, which needs WordNet's files.

    >>> Meteor(synonyms=False).scores([["the", "cats"]], [["The", "cat"]]).tolist()
    [0.9375]
    """

    def __init__(
        self, alpha: float = 0.9, beta: float = 3.0, gamma: float = 0.5, *, synonyms: bool = True
    ) -> None:
        self.parameters = {"alpha": alpha, "beta": beta, "gamma": gamma}
        self.synonyms = synonyms

    @cached_property
    def wordnet_version(self) -> str:
        """Version of WordNet; `none` without synonyms.

        Raises:
            InputError: if synonyms are on and NLTK does not find WordNet.
        """
        return str(_wordnet().get_version()) if self.synonyms else "none"

    def scores(self, predictions: Sequence[Tokens], references: Sequence[Tokens]) -> npt.NDArray[np.float64]:
        """One score per pair.

        Args:
            predictions: one tokenized text per pair; case does not count.
            references: the tokenized reference of each pair.

        Raises:
            InputError: if synonyms are on and NLTK does not find WordNet.
        """
        wordnet = _wordnet() if self.synonyms else None
        if not predictions and not references:
            return np.empty(0)  # NLTK takes 3 s to import, which the list of metrics would wait for
        from nltk.translate.meteor_score import single_meteor_score

        lookups = {"stemmer": _Stems(), "wordnet": _Synonyms(wordnet)}
        values = [
            single_meteor_score(reference, prediction, **lookups, **self.parameters)
            for prediction, reference in zip(predictions, references, strict=True)
        ]
        return np.array(values, dtype=np.float64)


class _Stems:
    """A Porter stemmer with a cache."""

    def __init__(self) -> None:
        from nltk.stem.porter import PorterStemmer

        self._porter = PorterStemmer().stem
        self._known: dict[str, str] = {}

    def stem(self, word: str) -> str:
        if word not in self._known:
            self._known[word] = self._porter(word)
        return self._known[word]


class _Synonyms:
    """WordNet's interface as NLTK uses it, with a cache; without WordNet no word has synonyms."""

    def __init__(self, wordnet: Any) -> None:
        self._wordnet = wordnet
        self._known: dict[str, list[Any]] = {}

    def synsets(self, word: str) -> Iterable[Any]:
        if self._wordnet is None:
            return ()
        if word not in self._known:
            self._known[word] = self._wordnet.synsets(word)
        return self._known[word]


def _wordnet() -> Any:
    from nltk import corpus

    try:
        corpus.wordnet.ensure_loaded()
    except LookupError:
        raise InputError(
            "METEOR needs WordNet, which NLTK does not find: run `python -m nltk.downloader wordnet`, set "
            "NLTK_DATA to a folder that contains corpora/wordnet, or turn synonyms off "
            f"({metric_option('synonyms=False')})"
        ) from None
    return corpus.wordnet
