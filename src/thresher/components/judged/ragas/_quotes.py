"""The reply of a judge that copies sentences out of contexts, checked against them."""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.components.judged.ragas._sentences import sentences
from thresher.judges import ReplySchema, Texts
from thresher.judges.schema import Json, Misfit

_SHOWN = 80


@dataclass(frozen=True)
class Quotes(ReplySchema[frozenset[int]]):
    """Sentences copied out: `{"sentences": ["...", ...]}`; its value is which of the contexts' they are.

    What is copied is taken sentence by sentence: each counts for the sentence that it is, or of which it is
    at least half; spaces, case and the marks around it do not matter. One that stands in no context does
    not fit.

    Attributes:
        contexts: the sentences of all contexts.
    """

    contexts: tuple[str, ...]

    def json_schema(self) -> Json:
        """One required key, a list of strings."""
        return Texts("sentences").json_schema()

    def read(self, data: Json) -> frozenset[int]:
        """Positions of the sentences that were copied."""
        copies = Texts("sentences").read(data)
        plain = [_plain(sentence) for sentence in self.contexts]
        parts = [part for copied in copies for part in sentences(copied) if _plain(part)]
        places = [_places(_plain(part), plain) for part in parts]
        for part, found in zip(parts, places, strict=True):
            if not found:
                raise Misfit(f"this sentence does not stand in the contexts: {part[:_SHOWN]!r}")
        return frozenset().union(*places)

    def imagine(self, subject: str) -> str:
        """The first sentence."""
        del subject
        return json.dumps({"sentences": list(self.contexts[:1])}, ensure_ascii=False)


def _places(part: str, plain: Sequence[str]) -> set[int]:
    """Which sentences a copied one is; several if it runs over a line end, or they are equal."""
    if part in plain:
        return {place for place, sentence in enumerate(plain) if sentence == part}
    of_half = {
        place for place, sentence in enumerate(plain) if part in sentence and 2 * len(part) >= len(sentence)
    }
    held = {place for place, sentence in enumerate(plain) if sentence and f" {sentence} " in f" {part} "}
    return of_half or held


def _plain(text: str) -> str:
    """The text in lower case, without surrounding marks and superfluous space."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip(" .,;:!?\"'“”‘’«»…()[]-–•*")  # noqa: RUF001  (marks that judges leave out or add)
