"""Sentences of an answer and the contexts that each cites."""

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.kernels.checks.citations import cited_numbers
from thresher.kernels.checks.sentences import sentences


@dataclass(frozen=True)
class CitedSentence:
    """A sentence and its citations.

    Attributes:
        id: its id in the prompt, `s1` for the first sentence.
        text: the sentence with its markers.
        start: first code point in the answer.
        cited: the numbers of existing contexts that it cites, each once.
        dangling: the other numbers that it cites, each once.
    """

    id: str
    text: str
    start: int
    cited: tuple[int, ...]
    dangling: tuple[int, ...]

    def citations(self) -> dict[str, int]:
        """Id of each citation of an existing context, such as `s1c2`, with the number of the context."""
        return {f"{self.id}c{number}": number for number in self.cited}


def cited_sentences(answer: str, contexts: Sequence[str], first: int) -> list[CitedSentence]:
    """Split an answer into sentences with their citations.

    Args:
        answer: the answer.
        contexts: the contexts.
        first: number of the first context.
    """
    known, place, parts = range(first, first + len(contexts)), 0, []
    for number, text in enumerate(sentences(answer), 1):
        place = answer.index(text, place)
        numbers = dict.fromkeys(cited_numbers(text))
        cited = tuple(entry for entry in numbers if entry in known)
        dangling = tuple(entry for entry in numbers if entry not in known)
        parts.append(CitedSentence(f"s{number}", text, place, cited, dangling))
        place += len(text)
    return parts
