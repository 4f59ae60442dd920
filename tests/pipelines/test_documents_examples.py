"""The examples of ragas' and Valor's documents run on the columns that they name."""

import json
import re

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher import evaluate, run_batch
from thresher.components import (
    LlamaIndexCorrectnessEvaluator,
    RagasAnswerCorrectnessEvaluator,
    RagasContextPrecisionEvaluator,
    RagasContextRecallEvaluator,
    ValorAnswerCorrectnessEvaluator,
)
from thresher.errors import DataWarning

pytestmark = pytest.mark.filterwarnings("ignore:component .* cannot be serialised")

QUESTIONS = {"question": ["How high is the tower?"]}
CONTEXTS = {"contexts": [["The tower is 48 m high.", "The town has a moat."]]}
ANSWERS = {"answer": ["It is 48 m high. It is blue."]}
RESPONSES = {"response": ANSWERS["answer"]}
TRUTHS = {"ground_truths": [["The tower is 48 m high. It was built in 1523."]]}


class Judge:
    """Says yes to whatever names a height, splits texts into sentences, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def generator(self):
        return MockChatGenerator(response_fn=self.reply)

    def reply(self, messages):
        text = messages[-1].text
        self.asked.append(text)
        blocks = dict(re.findall(r"<(\w+) [0-9a-f]{12}>\n(.*?)\n</", text, re.DOTALL))
        if "text" in blocks:
            return json.dumps({"statements": re.split(r"(?<=\.) ", blocks["text"])})
        if '"score"' in text:
            return json.dumps({"reason": "r", "score": 4})
        things = {}
        for name in ("answer_statements", "reference_statements", "sentences"):
            things |= json.loads(blocks.get(name, "{}"))
        things = things or json.loads(blocks["contexts"])
        word = {True: "yes", False: "no"}
        return json.dumps({key: {"reason": "r", "verdict": word["48" in it]} for key, it in things.items()})


class Embedder:
    """All texts are alike."""

    def run(self, text):
        return {"embedding": [1.0, float(not text)]}


@pytest.fixture
def judge():
    return Judge()


def value_of(metric, data):
    return next(iter(evaluate([metric], data).metrics.values()))


def test_context_precision_of_questions_and_contexts(judge):
    with pytest.warns(
        DataWarning, match="ragas_context_precision: the data have no ground_truth_answers, so"
    ):
        found = value_of(RagasContextPrecisionEvaluator(judge.generator()), QUESTIONS | CONTEXTS)
    assert found.value == 1.0  # useful at rank 1, not at rank 2
    assert "valor/context_relevance@" in str(found.measure.signature)
    assert "How high is the tower?" in judge.asked[0]


def test_context_recall_of_contexts_and_ground_truths(judge):
    found = value_of(RagasContextRecallEvaluator(judge.generator()), CONTEXTS | TRUTHS)
    assert found.value == 0.5
    assert "ragas/context_recall.unasked@" in str(found.measure.signature)


def test_ragas_answer_correctness_of_answers_and_ground_truths(judge):
    metric = RagasAnswerCorrectnessEvaluator(judge.generator(), embedder=Embedder(), weights=[0.4, 0.6])
    found = value_of(metric, ANSWERS | TRUTHS)
    assert found.value == pytest.approx(0.4 * 0.5 + 0.6 * 1.0)
    assert "valor/answer_correctness.unasked@" in str(found.measure.signature)


def test_valor_answer_correctness_of_answers_and_ground_truths(judge):
    found = value_of(ValorAnswerCorrectnessEvaluator(judge.generator()), ANSWERS | TRUTHS)
    assert found.value == 0.5


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (RagasContextRecallEvaluator, CONTEXTS | TRUTHS),
        (ValorAnswerCorrectnessEvaluator, ANSWERS | TRUTHS),
        (lambda judge: RagasAnswerCorrectnessEvaluator(judge, weights=[1, 0]), ANSWERS | TRUTHS),
    ],
)
def test_no_prompt_speaks_of_a_question_where_there_is_none(judge, make, data):
    value_of(make(judge.generator()), data)
    assert judge.asked
    assert not any("question" in text.lower() for text in judge.asked)
    with_questions = Judge()
    value_of(make(with_questions.generator()), data | QUESTIONS)
    assert any("How high is the tower?" in text for text in with_questions.asked)


def test_an_item_without_a_question_is_missing_where_others_have_one(judge):
    data = {name: column * 2 for name, column in (ANSWERS | TRUTHS).items()} | {"question": ["Why?", None]}
    found = value_of(ValorAnswerCorrectnessEvaluator(judge.generator()), data)
    assert found.coverage == "1/2"


FORGOTTEN = "llama_index_correctness: the data have no ground_truth_answers, so answers are judged without"


def test_a_forgotten_reference_column_is_warned_about(judge):
    metric = LlamaIndexCorrectnessEvaluator(judge.generator())
    with pytest.warns(DataWarning, match=FORGOTTEN):
        value_of(metric, QUESTIONS | RESPONSES)
    with pytest.warns(DataWarning, match=FORGOTTEN):
        run_batch([metric], QUESTIONS["question"], ANSWERS["answer"])
    value_of(metric, QUESTIONS | ANSWERS | TRUTHS)  # with references there is nothing to warn about
