"""Share of wrong statements that contexts support."""

from collections.abc import Mapping, Sequence
from typing import Literal

from thresher.components.judged._support import INFERENCE
from thresher.components.judged.ragas._steps import (
    STATEMENTS,
    has_text,
    inferred,
    require_references,
    statements_of,
)
from thresher.judges import Flow, JudgeVerdict, together
from thresher.kernels.verdicts import noise_sensitivity
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ReferenceColumn,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)

_COUNTS = ("from_relevant", "from_irrelevant", "statements")
_MODES = ("relevant", "irrelevant")


@metric
class RagasNoiseSensitivityEvaluator(JudgedMetric):
    """Share of an answer's statements that are wrong and supported by a context; lower is better.

    Formula: wrong statements that a relevant context supports / statements; in the mode `irrelevant`, wrong
        statements that only irrelevant contexts support / statements
    Source: ragas, "Noise Sensitivity": a statement is wrong if the reference does not support it, and a
        context relevant if it supports a statement of the reference. With several references, one is
        sufficient. Wrong statements that no context supports are invented, and count in neither mode.
    Calls: C + 3 per item with C contexts, and 2 more per further reference: statements of answer and
        reference, one call per context about both, one about the answer and the reference. ragas makes
        2 C + 3, sequentially.
    Differs: every statement has a verdict; in ragas a missing verdict makes the item NaN, and a single one
        applies to all statements.

    Args:
        mode: errors from `relevant` or from `irrelevant` contexts.
        undefined: score of an item whose answer or references state nothing: `zero`, or none (`skip`).
        no_contexts: score of an item without contexts: `zero`, or none (`skip`; ragas raises an error).

    ```python
    evaluator = RagasNoiseSensitivityEvaluator(mode="irrelevant")
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is 48 m high.", "The mast is 84 m high."]],
        predicted_answers=["84 m."],
        ground_truth_answers=["48 metres"],
    )
    ```
    """

    mode: Literal["relevant", "irrelevant"] = "relevant"
    undefined: ZeroOrSkip = "skip"
    no_contexts: ZeroOrSkip = "skip"
    name: str = "ragas_noise_sensitivity"

    @judged
    def run(
        self,
        questions: TextColumn,
        contexts: TextListColumn,
        predicted_answers: TextColumn,
        ground_truth_answers: ReferenceColumn,
    ) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(
            questions=questions,
            contexts=contexts,
            predicted_answers=predicted_answers,
            ground_truth_answers=ground_truth_answers,
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (STATEMENTS, INFERENCE), _COUNTS, direction="lower")

    run_async = judged_async(run)

    def _flow(
        self, question: str, contexts: list[str], answer: str, references: list[str]
    ) -> Flow[JudgedItem]:
        require_references(references)
        if not has_text(contexts):
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        stated, *expected = yield from together(
            *(statements_of(question, part) for part in (answer, *references))
        )
        reference_statements = [statement for statements in expected for statement in statements]
        if not stated or not reference_statements:
            return score_by_policy(self.undefined, "answer or references state nothing", _COUNTS)
        ours = {f"a{place}": statement for place, statement in enumerate(stated, 1)}
        theirs = {f"r{place}": statement for place, statement in enumerate(reference_statements, 1)}
        verdicts = yield from together(
            *(inferred([context], ours | theirs) for context in contexts),
            *(inferred([reference], ours) for reference in references),
        )
        return self._score(ours, theirs, verdicts[: len(contexts)], verdicts[len(contexts) :])

    def _score(
        self,
        ours: Mapping[str, str],
        theirs: Mapping[str, str],
        by_context: Sequence[dict[str, JudgeVerdict]],
        by_reference: Sequence[dict[str, JudgeVerdict]],
    ) -> JudgedItem:
        supports = [[_yes(verdicts, id_) for verdicts in by_context] for id_ in ours]
        relevant = [any(_yes(verdicts, id_) for id_ in theirs) for verdicts in by_context]
        correct = [any(_yes(verdicts, id_) for verdicts in by_reference) for id_ in ours]
        shares = noise_sensitivity(supports, relevant, correct).tolist()
        numbers = [round(share * len(ours)) for share in shares]
        counts = dict(zip(_COUNTS, (*numbers, len(ours)), strict=True))
        statements = [
            {"id": id_, "text": ours[id_], "correct": right, "contexts": _places(row)}
            for id_, right, row in zip(ours, correct, supports, strict=True)
        ]
        evidence = {"statements": statements, "relevant_contexts": _places(relevant)}
        return JudgedItem(shares[_MODES.index(self.mode)], counts, evidence)


def _yes(verdicts: Mapping[str, JudgeVerdict], id_: str) -> bool:
    return verdicts[id_].label == "yes"


def _places(flags: Sequence[bool]) -> list[int]:
    """Positions, counted from 1, as the judge saw them."""
    return [place for place, flag in enumerate(flags, 1) if flag]
