"""Replies with sentences that a judge copies from contexts, checked against the contexts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.components.judged.ragas._sentences import sentences
from thresher.judges import ReplySchema, Texts
from thresher.judges.schema import Json, Misfit
from thresher.kernels.text.compatibility import nfkc

_SHOWN = 80


@dataclass(frozen=True)
class Quotes(ReplySchema[frozenset[int]]):
    """Copied sentences: `{"sentences": ["...", ...]}`; the value is their positions in the contexts.

    Copies are split into sentences. Each matches the sentence that it equals, or that it is at least half of;
    spaces, case and surrounding punctuation are ignored. A sentence that no context contains is a misfit.

    Attributes:
        contexts: the sentences of all contexts.
    """

    contexts: tuple[str, ...]

    def json_schema(self) -> Json:
        """One required key, a list of strings."""
        return Texts("sentences").json_schema()

    def read(self, data: Json) -> frozenset[int]:
        """Positions of the copied sentences."""
        copies = Texts("sentences").read(data)
        plain = [_plain(sentence) for sentence in self.contexts]
        parts = [part for copied in copies for part in sentences(copied) if _plain(part)]
        places = [_places(_plain(part), plain) for part in parts]
        for part, matches in zip(parts, places, strict=True):
            if not matches:
                raise Misfit(f"this sentence is not in the contexts: {part[:_SHOWN]!r}")
        return frozenset().union(*places)

    def imagine(self, subject: str) -> str:
        """The first sentence."""
        del subject
        return json.dumps({"sentences": list(self.contexts[:1])}, ensure_ascii=False)


def _places(part: str, plain: Sequence[str]) -> set[int]:
    """Positions of the sentences that a copied one matches; several across line ends, or if equal."""
    if part in plain:
        return {place for place, sentence in enumerate(plain) if sentence == part}
    shortened = {
        place for place, sentence in enumerate(plain) if part in sentence and 2 * len(part) >= len(sentence)
    }
    contained = {place for place, sentence in enumerate(plain) if sentence and f" {sentence} " in f" {part} "}
    return shortened or contained


def _plain(text: str) -> str:
    """The text in lower case, without surrounding punctuation and repeated spaces."""
    folded = " ".join(nfkc(text).casefold().split())
    return folded.strip(" .,;:!?\"'“”‘’«»…()[]-–•*")  # noqa: RUF001  (marks that judges leave out or add)
