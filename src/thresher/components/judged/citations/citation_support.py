"""Whether the contexts that an answer cites support its sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.components.judged.citations._cited import CitedSentence, cited_sentences
from thresher.judges import Flow, JudgeVerdict, judge_each, prompt
from thresher.judges.claim_verdicts import SUPPORT, ClaimVerdict, ClaimVerdicts
from thresher.kernels.verdicts import share
from thresher.metrics import (
    ExtraMeasure,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    RatioOfSums,
    TextColumn,
    TextListColumn,
    Undefined,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)
from thresher.metrics.claims import passage_evidence
from thresher.metrics.options import Count

_PROMPT = "citations/support"
_SUPPORTED, _NOTHING, _UNCITED = SUPPORT[0], "nothing", "uncited"
_LABELS = (*SUPPORT, _NOTHING)
_COUNTS = ("supported", "sentences", "supporting", "citations")


@metric
class CitationSupportEvaluator(JudgedMetric):
    """Share of an answer's sentences that the contexts which they cite support.

    Citations are numbers in brackets, as in `citation_precision`. A sentence without a citation is not
    supported, even if a context says the same; a sentence that asserts nothing does not count. The evidence
    has the place of each sentence in the answer, and the passages that decide it. A second measure,
    `<name>_precision`, is the share of citations whose context supports a part of the sentence at least,
    over the citations of all items; one of a context that does not exist supports nothing.

    Formula: sentences supported by what they cite / sentences that assert something
    Source: ALCE (Gao et al., 2023), citation recall and precision.
    Calls: 1 per item; 0 for an answer without a sentence.
    Differs: ALCE decides by an entailment model, and counts a citation as wrong if the other citations of
        the sentence suffice; here each citation is judged by itself. In ALCE every sentence counts.

    Args:
        first_number: number of the first context.
        undefined: score of an answer without a sentence that asserts something: none (`skip`), `zero` or
            `one`.

    ```python
    evaluator = CitationSupportEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high [1]."])
    ```
    """

    first_number: Count = 1
    undefined: Undefined = "skip"
    no_contexts: ZeroOrSkip = "zero"
    name: str = "citation_support"

    @judged
    def run(self, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        reduction = RatioOfSums((("supporting", 1.0),), (("citations", 1.0),))
        precision = ExtraMeasure("precision", reduction=reduction)
        return JudgeJob(items, flows, (_PROMPT,), _COUNTS, measures=(precision,))

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "the item has no contexts", _COUNTS)
        parts = cited_sentences(answer, contexts, self.first_number)
        if not parts:
            return score_by_policy(self.undefined, "the answer has no sentence", _COUNTS)
        citations = {id_: number for part in parts for id_, number in part.citations().items()}
        form = ClaimVerdicts((*(part.id for part in parts), *citations), _LABELS, quoted=False)
        ask = prompt(_PROMPT).ask(
            form,
            contexts={str(number): text for number, text in enumerate(contexts, self.first_number)},
            sentences={part.id: part.text for part in parts},
            citations=_described(parts),
        )
        verdicts = yield from judge_each(ask)
        return self._scored(parts, verdicts, contexts)

    def _scored(
        self, parts: Sequence[CitedSentence], verdicts: Mapping[str, JudgeVerdict], contexts: Sequence[str]
    ) -> JudgedItem:
        entries = [_sentence(part, verdicts[part.id], contexts) for part in parts]
        stated = [entry["verdict"] for entry in entries if entry["verdict"] != _NOTHING]
        citations = [entry for part in parts for entry in _citations(part, verdicts)]
        hits = sum(entry["verdict"] == _SUPPORTED for entry in citations)
        supported = stated.count(_SUPPORTED)
        numbers = (supported, len(stated), hits, len(citations))
        if not stated:
            return score_by_policy(self.undefined, "no sentence asserts anything", _COUNTS)
        evidence = {"sentences": entries, "citations": citations}
        return JudgedItem(
            float(share(supported, len(stated))), dict(zip(_COUNTS, numbers, strict=True)), evidence
        )


def _described(parts: Sequence[CitedSentence]) -> dict[str, str]:
    """What each sentence cites, and each citation, in words."""
    described = {}
    for part in parts:
        numbers = ", ".join(map(str, part.cited))
        described[part.id] = f"cites {numbers and 'context '}{numbers or 'nothing'}"
        for id_, number in part.citations().items():
            described[id_] = f"the citation of context {number} in sentence {part.id}"
    return described


def _sentence(part: CitedSentence, verdict: JudgeVerdict, contexts: Sequence[str]) -> dict[str, Any]:
    """The evidence on a sentence; without a citation, nothing supports what it asserts."""
    label = verdict.label if part.cited or verdict.label == _NOTHING else _UNCITED
    place = {"start": part.start, "end": part.start + len(part.text), "how": "exact", "quote": part.text}
    copied = verdict.passages if isinstance(verdict, ClaimVerdict) else ()
    return {
        "id": part.id,
        "text": part.text,
        "verdict": label,
        "reason": verdict.reason,
        "span": place,
        "passages": passage_evidence(copied, contexts),
    }


def _citations(part: CitedSentence, verdicts: Mapping[str, JudgeVerdict]) -> list[dict[str, Any]]:
    """The evidence on the citations of a sentence; a context that does not exist supports nothing."""
    asked = [(number, verdicts[id_]) for id_, number in part.citations().items()]
    dangling = [(number, JudgeVerdict("no such context")) for number in part.dangling]
    return [
        {"sentence": part.id, "cited": number, "verdict": verdict.label, "reason": verdict.reason}
        for number, verdict in (*asked, *dangling)
    ]
