"""Whether an answer contains, starts with, ends with, equals or matches given texts."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.components._rows import Failed, Row, row_outputs
from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.checks.conditions import Test, TextForm, UndecidedError, UnicodeForm, text_conditions
from thresher.metrics import Mean, TextColumn, metric, read_inputs, settings
from thresher.results import Measure, Signature


@metric
class TextConditionsEvaluator:
    """Share of conditions on its text that an answer meets.

    The conditions are the options, and per item those of the input `conditions`. Texts are compared as they
    are, unless an option says otherwise. A second measure, `<name>_all`, is the share of answers that meet
    all their conditions.

    Formula: conditions that are met / conditions; undefined without conditions
    Source: the conditions

    Args:
        contains_all: texts that the answer must contain; each is one condition.
        contains_none: texts that the answer must not contain; each is one condition.
        contains_any: texts; the answer must contain one of them.
        starts_with: texts; the answer must start with one of them.
        ends_with: texts; the answer must end with one of them.
        equals: texts; the answer must equal one of them.
        matches: regular expressions of the package regex, searched for in the answer; each is one condition.
            An item with a pattern that takes longer than 1 s fails.
        lowercase: whether texts are lower-cased first, and patterns ignore case.
        unicode_form: `nfc` composes characters with their marks first.

    ```python
    evaluator = TextConditionsEvaluator(contains_all=["Paris"], contains_none=["sorry"], matches=["[0-9]+"])
    evaluator.run(predicted_answers=["Paris has two million inhabitants."])["score"]  # 0.667
    ```
    """

    contains_all: Sequence[str] = ()
    contains_none: Sequence[str] = ()
    contains_any: Sequence[str] = ()
    starts_with: Sequence[str] = ()
    ends_with: Sequence[str] = ()
    equals: Sequence[str] = ()
    matches: Sequence[str] = ()
    lowercase: bool = False
    unicode_form: UnicodeForm = "none"
    name: str = "text_conditions"

    def __post_init__(self) -> None:
        self._common()

    def run(
        self,
        predicted_answers: TextColumn,
        conditions: list[dict[str, list[str]]] | list[dict[str, list[str]] | None] | None = None,
    ) -> dict[str, Any]:
        """Check the conditions of each answer.

        Returns:
            `score`: mean share of met conditions; `individual_scores`: of each item; `result`.
        """
        common = self._common()
        if conditions is None and not common:
            raise InputError(f"{self.name} has no conditions: give an option, or the input `conditions`")
        items, entries = read_inputs(predicted_answers=predicted_answers)
        if conditions is not None and len(conditions) != items.size:
            raise InputError(
                f"conditions has {counted(len(conditions), 'entry', 'entries')} for "
                f"{counted(items.size, 'answer')}"
            )
        rows = [
            self._row(text, common if conditions is None else common | self._own(item, conditions[item]))
            for item, (text,) in zip(items.present, entries, strict=True)
        ]
        passed = Measure(Signature.of(f"{self.name}_all", settings(self)), Mean("all"), "all")
        return row_outputs(self, items, rows, ("met", "conditions", "all"), passed)

    @property
    def _form(self) -> TextForm:
        return TextForm(self.lowercase, self.unicode_form)

    def _common(self) -> dict[str, Test]:
        """The conditions of the options."""
        return text_conditions(self.name, settings(self, "lowercase", "unicode_form"), self._form)

    def _own(self, item: int, conditions: Mapping[str, Sequence[str]] | None) -> dict[str, Test]:
        """The conditions of an item."""
        where = f"conditions[{item}]"
        if not isinstance(conditions, Mapping | None):
            raise InputError(f"{where} is {type(conditions).__name__}; give a dict: kind -> texts")
        return text_conditions(where, conditions or {}, self._form)

    def _row(self, text: str, tests: Mapping[str, Test]) -> Row | Failed | str:
        if not tests:
            return "no conditions"
        shown = self._form.text(text)
        try:
            results = {words: test(shown) for words, test in tests.items()}
        except UndecidedError as error:
            return Failed(str(error))
        lists = {
            name: [words for words, met in results.items() if met is expected]
            for name, expected in (("met", True), ("not_met", False))
        }
        met = len(lists["met"])
        counts = {"met": met, "conditions": len(tests), "all": float(met == len(tests))}
        return Row(met / len(tests), counts, lists)
