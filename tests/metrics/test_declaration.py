"""What `@metric` makes of a class with annotated fields."""

import importlib
import inspect
import pickle
import pydoc
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from haystack import Pipeline
from haystack.core.errors import DeserializationError
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.components import (
    BleuEvaluator,
    CustomJudgeEvaluator,
    RagasAspectCriticEvaluator,
    RecordedScoresEvaluator,
    RetrievalFBetaEvaluator,
    RetrievalRecallEvaluator,
    RougeEvaluator,
    metric_class,
    metric_names,
)
from thresher.errors import InputError
from thresher.metrics import (
    Items,
    JudgedMetric,
    Measure,
    Signature,
    at_least,
    metric,
    outputs,
    settings,
)


@dataclass(eq=False, repr=False, kw_only=True)
class Base:
    shared: bool = False
    name: str

    def __post_init__(self) -> None:
        self.prepared = ["base"]


@metric
class LengthEvaluator(Base):
    """Length of an answer.

    Formula: characters / unit
    Source: none.

    Args:
        unit: what is counted.
        limit: the longest length.
        shared: an option of the base.
    """

    kind: ClassVar[str] = "length"
    unit: Literal["characters", "words"] = "characters"
    limit: Annotated[int | None, at_least(1)] = None
    name: str = "length"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.prepared.append(self.unit)

    def run(self, predicted_answers: list[str]) -> dict[str, Any]:
        """Measure each answer."""
        items = Items(predicted_answers=predicted_answers)
        lengths = [float(len(predicted_answers[item])) for item in items.present]
        measure = Measure(Signature.of(self.name, settings(self)), bounds=(0.0, float("inf")))
        return outputs(items.result([measure], {"score": lengths}))


POSTPONED = '''
from __future__ import annotations
from typing import Any, ClassVar
from thresher.metrics import Items, Measure, PositiveCount, Signature, metric, outputs, settings


@metric
class Shout:
    """Volume.

    Args:
        volume: how loud.
    """

    kind: ClassVar[str] = "loud"
    volume: PositiveCount = 1
    name: str = "shout"

    def run(self, questions: list[str]) -> dict[str, Any]:
        """Shout."""
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(Items(questions=questions).result([measure], {"score": [1.0] * len(questions)}))
'''


def test_fields_are_options_in_reading_order_and_class_variables_are_not():
    parameters = inspect.signature(LengthEvaluator.__init__).parameters
    assert list(parameters) == ["self", "unit", "limit", "shared", "name"]
    assert parameters["limit"].annotation == int | None
    assert {each.kind for each in list(parameters.values())[1:]} == {inspect.Parameter.KEYWORD_ONLY}


def test_help_shows_the_options():
    assert str(inspect.signature(RetrievalRecallEvaluator)).startswith(
        "(*, top_k: int | None = None, min_grade: "
    )
    shown = pydoc.render_doc(RetrievalRecallEvaluator, renderer=pydoc.plaintext)
    assert re.search(r"RetrievalRecallEvaluator\(\s*(\|\s*)?\*,\s*(\|\s*)?top_k: int \| None = None", shown)


def test_annotations_may_be_postponed(tmp_path, monkeypatch):
    (tmp_path / "postponed.py").write_text(POSTPONED)
    monkeypatch.syspath_prepend(str(tmp_path))
    kind = importlib.import_module("postponed").Shout
    assert list(inspect.signature(kind).parameters) == ["volume", "name"]
    with pytest.raises(InputError, match="volume=0 must be a whole number of at least 1"):
        kind(volume=0)
    assert kind().run(questions=["a"])["score"] == 1


def test_the_metric_of_the_contributing_guide_works(tmp_path, monkeypatch):
    guide = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (tmp_path / "guide.py").write_text(re.search(r"```python\n(.*?)```", guide, re.DOTALL)[1])
    monkeypatch.syspath_prepend(str(tmp_path))
    kind = importlib.import_module("guide").BrevityEvaluator
    out = kind(tolerance=1).run(["one two", "one two three", None], ["one", ["one", "two"], "x"])
    assert out["individual_scores"][:2] == [1.0, 0.0]
    assert str(out["result"].measures[0].signature) == "brevity|tolerance:1|version:1"


def test_it_is_a_component_with_the_outputs_of_a_metric():
    out = LengthEvaluator().run(predicted_answers=["abc", None])
    assert out["score"] == 3
    assert set(LengthEvaluator().__haystack_output__._sockets_dict) == {
        "score",
        "individual_scores",
        "result",
    }


def test_super_without_arguments_works_though_haystack_makes_a_second_class():
    assert LengthEvaluator(unit="words").prepared == ["base", "words"]


def test_it_survives_yaml_and_pickle():
    part = LengthEvaluator(unit="words", limit=3, shared=True)
    serialized = component_to_dict(part, "length")
    assert serialized["init_parameters"] == {"unit": "words", "limit": 3, "shared": True, "name": "length"}
    assert (
        component_to_dict(component_from_dict(LengthEvaluator, serialized, "length"), "length") == serialized
    )
    assert vars(pickle.loads(pickle.dumps(RetrievalRecallEvaluator(top_k=3))))["top_k"] == 3  # noqa: S301


def test_a_wrong_value_in_yaml_is_one_clear_line():
    pipeline = Pipeline()
    pipeline.add_component("recall", RetrievalRecallEvaluator(ties="trec"))
    text = pipeline.dumps().replace("ties: trec", "ties: trecc")
    with pytest.raises((DeserializationError, InputError)) as caught:
        Pipeline.loads(text)
    assert "ties='trecc' is unknown; choose one of input-order, trec, stable-score" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: RetrievalRecallEvaluator(5),
            r"^RetrievalRecallEvaluator takes its options by keyword: top_k=5$",
        ),
        (lambda: RougeEvaluator(["rouge1"]), r"takes its options by keyword: rouge_types=\['rouge1'\]$"),
        (lambda: LengthEvaluator("words"), r"takes its options by keyword: unit='words'$"),
        (lambda: CustomJudgeEvaluator("Polite? {{ questions }}", {}), r"by keyword: template='Polite\?"),
        (lambda: RetrievalFBetaEvaluator(2.0), r"takes its options by keyword: beta=2\.0$"),
        (
            lambda: RetrievalRecallEvaluator(tiess="trec"),
            r"no option 'tiess' \(did you mean 'ties'\?\); it has top_k, ",
        ),
        (lambda: BleuEvaluator(bleu_weights=[1.0]), r"\(did you mean 'weights'\?\); it has weights, "),
        (RecordedScoresEvaluator, r"missing 1 required keyword-only argument: 'column'"),
        (
            lambda: RagasAspectCriticEvaluator(None, definition="x", chat_generator=None),
            r"got chat_generator twice",
        ),
    ],
)
def test_how_options_are_given(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_a_judge_may_be_given_by_position_to_every_judged_metric():
    judged = [metric_class(name) for name in metric_names() if issubclass(metric_class(name), JudgedMetric)]
    assert len(judged) > 30
    for kind in judged:
        _, first, *others = inspect.signature(kind.__init__).parameters.values()
        assert (first.name, first.kind) == ("chat_generator", first.POSITIONAL_OR_KEYWORD)
        assert {each.kind for each in others} == {first.KEYWORD_ONLY}


def test_the_name_is_the_last_option_of_every_metric():
    for name in metric_names():
        assert list(inspect.signature(metric_class(name).__init__).parameters)[-1] == "name"


def test_a_metric_of_a_guest_needs_no_docstring_of_one_style():
    @metric
    class Loudness:
        """Share of capital letters.

        Parameters
        ----------
        factor : int
            What to multiply by.
        """

        factor: int = 1
        limit: int = 2
        name: str = "loudness"

        def run(self, utterances: list[str]) -> dict[str, Any]:
            """Count them."""
            items = Items(utterances=utterances)
            shares = [self.factor * float(utterances[item].isupper()) for item in items.present]
            return outputs(items.result([Measure(Signature.of(self.name, {}))], {"score": shares}))

    assert Loudness(limit=3).run(utterances=["HO", "ho"])["score"] == 0.5
    assert "factor : int" in Loudness.__doc__
    assert "limit" not in Loudness.__doc__
    assert "Args:" not in Loudness.run.__doc__

    @metric
    class Bare:
        name: str = "bare"

        def run(self, utterances):
            return Loudness().run(utterances=utterances)

    assert Bare().run(utterances=["HO"])["score"] == 1


def test_a_metric_without_a_name_is_an_error_of_the_class():
    with pytest.raises(
        TypeError, match=r'Nameless has no option `name`; add a field, e\.g\. name: str = "my'
    ):

        @metric
        class Nameless:
            """Score nothing."""

            def run(self, questions: list[str]) -> dict[str, Any]:
                """Do nothing."""
                return {"questions": questions}
