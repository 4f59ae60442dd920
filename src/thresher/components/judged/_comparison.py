"""Compare the statements of an answer and of a reference in one ask, which Valor and ragas share."""

from collections.abc import Mapping

from thresher.judges import Ask, JudgeVerdict, Verdicts, prompt

_COMPARISON = "valor/answer_correctness"


def comparison_prompt(*, asked: bool) -> str:
    """Name of the prompt; items without a question have a separate prompt."""
    return _COMPARISON if asked else f"{_COMPARISON}.unasked"


def comparison(
    question: str | None, answer: Mapping[str, str], reference: Mapping[str, str]
) -> Ask[dict[str, JudgeVerdict]]:
    """Ask which statements of either side the other side supports.

    Args:
        question: the question; None if the data have no questions.
        answer: id -> statement of the answer.
        reference: id -> statement of the reference.
    """
    form = Verdicts((*answer, *reference))
    template = prompt(comparison_prompt(asked=question is not None))
    if question is None:
        return template.ask(form, answer_statements=answer, reference_statements=reference)
    return template.ask(form, question=question, answer_statements=answer, reference_statements=reference)
