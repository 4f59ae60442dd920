"""Share of an answer's statements that can be inferred from its contexts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from haystack import component

from thresher.components.judged._support import Support, support_counts
from thresher.components.judged.haystack._located_statements import LocatedStatement, LocatedStatements
from thresher.components.judged.haystack._outputs import haystack_outputs
from thresher.components.judged.haystack._statements import Statement, Statements
from thresher.judges import Flow, answered, prompt
from thresher.judges.claim_verdicts import SUPPORT
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    ClaimMetric,
    JudgedItem,
    JudgeJob,
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
from thresher.results import MetricResult

_PROMPT = "haystack/faithfulness"
_COUNTS = ("inferred", "statements")


@metric
class HaystackFaithfulnessEvaluator(ClaimMetric):
    """Share of an answer's statements that can be inferred from its contexts.

    A drop-in replacement: inputs are Haystack's, and the outputs `results` and `meta` have one entry per item
    even if items fail.

    Formula: inferred statements / statements; with `spans="characters"`, characters of inferred statements /
        characters of statements
    Source: Haystack, `FaithfulnessEvaluator`: a judge extracts the statements and scores each, in one reply.
    Calls: 1 per item; 0 without contexts.
    Differs: each statement has its verdict and reason; in Haystack statements and scores are two lists whose
        lengths are not compared, so that one score for two statements gives 1.0, and a score of 5 counts 5.
        Replies in code fences or with text around them are read. An unreadable reply fails its item, not the
        run.

    Args:
        undefined: score of an answer that states nothing: `zero` (as in Haystack), `one`, or none
            (`skip`).

    ```python
    evaluator = HaystackFaithfulnessEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is 48 m high."]],
        predicted_answers=["It is 48 m high."],
    )
    ```
    """

    undefined: Undefined = "zero"
    no_contexts: ZeroOrSkip = "zero"
    name: str = "haystack_faithfulness"

    @component.output_types(
        score=float,
        individual_scores=list[float],
        result=MetricResult,
        results=list[dict[str, Any]],
        meta=list[dict[str, Any]] | None,
    )
    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence;
            `results`: per item `statements`, `statement_scores`, `score` and `status`; `meta`: metadata
            of the reply per item.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, predicted_answers=predicted_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        further = partial(haystack_outputs, entry=_entry)
        return JudgeJob(items, flows, (self._prompt,), self._counts, further=further)

    run_async = judged_async(run)

    @property
    def _prompt(self) -> str:
        return f"{_PROMPT}.spans" if self.spans else _PROMPT

    @property
    def _counts(self) -> tuple[str, ...]:
        return support_counts(_COUNTS, self.spans)

    def _flow(self, question: str, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", self._counts)
        form = Statements()
        if self.spans:
            form = LocatedStatements(answer=answer if self.spans == "characters" else "")
        ask = prompt(self._prompt).ask(
            form, subject=answer, question=question, contexts=contexts, answer=answer
        )
        statements = yield from answered(ask)
        if not statements:
            return score_by_policy(self.undefined, "the answer states nothing", self._counts)
        if self.spans:
            return self._located(statements, contexts, answer)
        inferred = sum(statement.inferred for statement in statements)
        counts = {"inferred": inferred, "statements": len(statements)}
        evidence = {"statements": [statement.evidence() for statement in statements]}
        return JudgedItem(float(share(inferred, len(statements))), counts, evidence)

    def _located(self, statements: Sequence[Statement], contexts: list[str], answer: str) -> JudgedItem:
        """The score with the places of the statements."""
        texts = numbered([statement.text for statement in statements])
        located = (statement for statement in statements if isinstance(statement, LocatedStatement))
        verdicts = dict(zip(texts, (statement.verdict for statement in located), strict=True))
        support = Support.of(texts, verdicts, answer, contexts, self.spans)
        return JudgedItem(support.score, support.counts(_COUNTS), {"statements": support.evidence})


def _entry(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """An item's entry of `results` in Haystack's form."""
    statements = evidence.get("statements", [])
    scores = [int(statement["verdict"] in ("yes", SUPPORT[0])) for statement in statements]
    return {"statements": [statement["text"] for statement in statements], "statement_scores": scores}
