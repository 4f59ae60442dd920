"""Whether an answer has the expected language."""

from typing import Any

from thresher.components._rows import Row, row_outputs
from thresher.errors import InputError
from thresher.kernels.checks.languages import Language, languages_of
from thresher.metrics import TextColumn, metric, read_inputs


@metric
class LanguageMatchEvaluator:
    """1 if an answer has the given language, or that of its question, else 0; no model is needed.

    The script of most words decides for Chinese, Japanese, Korean, Arabic and Hindi, frequent function words
    for languages that share a script. Addresses and code in backquotes are ignored. Undefined are texts with
    fewer than three words (three characters of Chinese or Japanese) and texts whose few function words do not
    separate the expected language from others of its script. Languages that are not listed score 0 if their
    letters differ, else they are undefined or taken for a relative.

    Formula: 1 if the language of the answer is the expected one, else 0
    Source: the function words and letters of this package, per language

    Args:
        language: expected language of all answers; None for the language of each question.

    ```python
    evaluator = LanguageMatchEvaluator(language="de")
    evaluator.run(predicted_answers=["Der Zug fährt um neun.", "The train leaves at nine."])["score"]  # 0.5
    ```
    """

    language: Language | None = None
    name: str = "language_match"

    def run(self, predicted_answers: TextColumn, questions: TextColumn | None = None) -> dict[str, Any]:
        """Compare the language of each answer with the expected one."""
        if self.language is not None:
            items, entries = read_inputs(predicted_answers=predicted_answers)
            rows = [_row(answer, self.language) for (answer,) in entries]
        elif questions is not None:
            items, entries = read_inputs(predicted_answers=predicted_answers, questions=questions)
            rows = [_row(answer, languages_of(question).language) for answer, question in entries]
        else:
            raise InputError(
                f"{self.name} has no expected language: give the option `language`, or the input `questions`"
            )
        return row_outputs(self, items, rows, ())


def _row(answer: str, expected: str | None) -> Row | str:
    if expected is None:
        return "the language of the question is not decided"
    said = languages_of(answer)
    if not said.script:
        return "the answer is too short to have a language"
    if expected in said.candidates and said.language is None:
        return "the answer has too few function words to decide its language"
    evidence = {"expected": expected, "language": said.language, "script": said.script}
    return Row(float(said.language == expected), {}, evidence)
