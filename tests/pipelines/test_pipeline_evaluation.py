import asyncio
import json

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage, ToolCall

from pipelines.query_systems import ANSWERS, DOCUMENTS, QUESTIONS, Writer, asked, rag
from thresher import InputError, evaluate_pipeline, open_run, read_dataset, run_batch, run_batch_async
from thresher.components import LlamaIndexCorrectnessEvaluator, RetrievalRecallEvaluator
from thresher.errors import DataWarning, IncompleteWarning
from thresher.judges import Prices
from thresher.pipelines.run_directory import RunDirectory

ROWS = [{"question": q, "answer": a} for q, a in zip(QUESTIONS, ANSWERS, strict=True)]
COST = Prices.parse("in=1,out=0")


def writer(tmp_path, **options):
    return Writer(str(tmp_path / "log"), **options)


@component
class Bot:
    """A system whose output is only a text."""

    def __init__(self, answer: str = "x"):
        self.answer = answer

    @component.output_types(answer=str)
    def run(self, query: str):
        return {"answer": self.answer.format(query=query)}


def bot(part=None):
    pipeline = Pipeline()
    pipeline.add_component("bot", part or Bot())
    return pipeline


@pytest.mark.parametrize("kind", ["rows", "file", "data set", "columns"])
def test_questions_may_be_given_in_many_forms(tmp_path, kind):
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS))
    with pytest.warns(DataWarning, match="read 'answer' as predicted"):
        read = read_dataset(ROWS, mapping=None)
    columns = {"questions": QUESTIONS, "ground_truth_answers": ANSWERS}
    source = {"rows": ROWS, "file": path, "data set": read_dataset(columns), "columns": columns}[kind]
    results = evaluate_pipeline(rag(writer(tmp_path)), source)
    assert results.metric("exact_match").value == 1.0
    assert list(results.inputs["ground_truth_answers"]) == ANSWERS
    assert list(read.columns) == ["questions", "predicted_answers"], "only where a pipeline answers"


def test_a_list_of_texts_is_enough_where_no_metric_needs_more(tmp_path):
    results = evaluate_pipeline(rag(writer(tmp_path)), QUESTIONS, ["latency", "tokens"])
    assert results.metric("tokens").value == pytest.approx(14.0)
    assert 0 < results.metric("latency_median").value < 30


def test_columns_that_the_pipeline_produces_are_replaced(tmp_path):
    data = {"questions": QUESTIONS, "ground_truth_answers": ANSWERS, "predicted_answers": ["old"] * 8}
    results = evaluate_pipeline(rag(writer(tmp_path)), data, "exact_match")
    assert list(results.inputs["predicted_answers"]) == ANSWERS


def test_a_pipeline_may_be_a_file(tmp_path):
    (tmp_path / "rag.yaml").write_text(
        "components:\n  router:\n    type: haystack.components.builders.prompt_builder.PromptBuilder\n"
        "    init_parameters: {template: 'It is {{ query }}.'}\n"
        "  joiner:\n    type: haystack.components.joiners.string_joiner.StringJoiner\n"
        "    init_parameters: {}\n"
        "connections:\n- {sender: router.prompt, receiver: joiner.strings}\n"
    )
    data = {"questions": ["a", "b"], "ground_truth_answers": ["It is a.", "It is b."]}
    options = {"answer_from": "joiner.strings"}
    assert (
        evaluate_pipeline(tmp_path / "rag.yaml", data, "exact_match", **options).metric("exact_match").value
    )
    with pytest.raises(
        InputError, match=r"no output .* is an answer \(open are joiner.strings\): end it with"
    ):
        evaluate_pipeline(str(tmp_path / "rag.yaml"), data, "exact_match")
    with pytest.raises(InputError, match=r"has no output 'joiner\.texts'"):
        evaluate_pipeline(str(tmp_path / "rag.yaml"), data, "exact_match", answer_from="joiner.texts")
    with pytest.raises(InputError, match="give a Haystack pipeline or its YAML file"):
        evaluate_pipeline(3, data)


def test_an_output_called_answer_is_the_answer():
    results = run_batch(["exact_match"], ["q1", "q2"], bot(), ground_truth_answers=["x", "y"])
    assert results.metric("exact_match").scores.tolist() == [1.0, 0.0]


def test_several_outputs_that_may_be_the_answer_are_an_error_with_the_remedy():
    pipeline = bot()
    pipeline.add_component("other", Bot("y"))
    with pytest.raises(
        InputError, match=r"none of 2 .*: bot.answer and other.answer may .* with answer_from"
    ):
        run_batch(["exact_match"], ["q1", "q2"], pipeline, ground_truth_answers=["x", "y"])
    results = run_batch(
        ["exact_match"], ["q1", "q2"], pipeline, answer_from="other.answer", ground_truth_answers=["x", "y"]
    )
    assert list(results.inputs["predicted_answers"]) == ["y", "y"]


def test_a_failure_of_all_questions_is_an_error_and_not_a_run_without_scores(tmp_path):
    with pytest.raises(InputError, match=r"none of 8 .* failed in writer: RuntimeError: out of paper"):
        run_batch(
            ["exact_match"], QUESTIONS, rag(writer(tmp_path, fail_on="How")), ground_truth_answers=ANSWERS
        )


def test_failures_are_counted_with_the_commonest_cause(tmp_path):
    sentence = (
        "no answer to 1 of 8 questions; the query pipeline failed in writer: RuntimeError: out of paper"
    )
    with pytest.warns(DataWarning, match=sentence) as caught:
        results = evaluate_pipeline(rag(writer(tmp_path, fail_on="mast")), ROWS, "qa")
    assert caught[0].filename == __file__
    for metric in ("exact_match", "token_f1", "rouge1"):
        assert results.metric(metric).result.n_scored == 7
        assert results.metric(metric).result.reasons[1].endswith("RuntimeError: out of paper")


def test_a_batch_in_a_folder_is_continued_and_can_be_compared(tmp_path):
    relevant = [[document] for document in DOCUMENTS]
    columns = {"ground_truth_answers": ANSWERS, "ground_truth_documents": relevant}
    metrics = {"f1": "token_f1", "found": RetrievalRecallEvaluator()}
    for _ in range(2):
        results = run_batch(metrics, QUESTIONS, rag(writer(tmp_path)), out=tmp_path / "run", **columns)
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)
    assert {"f1", "found"} <= set(results.metrics)
    stored = open_run(tmp_path / "run")
    assert stored.metric("found").value == 1.0
    other = run_batch(metrics, QUESTIONS, rag(writer(tmp_path), top_k=2), out=tmp_path / "two", **columns)
    assert stored.compare(other).names
    assert stored.gate(["f1 >= 0.5"]).outcome == "passed"


def test_a_budget_leaves_a_run_that_continues(tmp_path):
    questions = [f"{question} ({number})" for number in range(3) for question in QUESTIONS]
    data = {"questions": questions, "ground_truth_answers": ANSWERS * 3}
    options = {"prices": COST, "workers": 2}
    with pytest.warns(IncompleteWarning, match="of 24 questions were not asked. Run again to continue"):
        results = evaluate_pipeline(
            rag(writer(tmp_path)), data, "exact_match", out=tmp_path / "run", max_cost=1e-4, **options
        )
    assert not results.complete
    asked_first = len(asked(tmp_path / "log"))
    assert 0 < asked_first < 24
    assert not RunDirectory.open(tmp_path / "run").manifest["complete"]
    whole = evaluate_pipeline(rag(writer(tmp_path)), data, "exact_match", out=tmp_path / "run", **options)
    assert whole.complete
    assert len(asked(tmp_path / "log")) == 24
    assert whole.metric("exact_match").value == 1.0
    assert whole.inputs["costs"][0] > 0
    assert len(whole.provenance["answering"]) == 2


def test_judges_get_the_money_that_the_generators_left(tmp_path):
    def grade(messages):
        return json.dumps({"reason": "It is right.", "score": 5})

    judges = [
        LlamaIndexCorrectnessEvaluator(MockChatGenerator(response_fn=grade, model=name))
        for name in ("a", "b")
    ]
    options = {"prices": Prices.parse("in=1,out=1"), "workers": 1}
    free = evaluate_pipeline(rag(writer(tmp_path)), ROWS, judges[:1], **options)
    assert free.metric("llama_index_correctness").result.n_scored == 8
    generators = sum(free.inputs["costs"])
    with pytest.warns(IncompleteWarning, match="lack llama_index_correctness, because the budget is used up"):
        results = evaluate_pipeline(
            rag(writer(tmp_path)), ROWS, judges[1:], max_cost=generators * 2, **options
        )
    assert [answer is not None for answer in results.inputs["predicted_answers"]] == [True] * 8
    assert results.metric("llama_index_correctness").result.n_scored < 8


def test_a_budget_without_a_folder_ends_with_what_was_asked(tmp_path):
    data = {"questions": QUESTIONS * 2, "ground_truth_answers": ANSWERS * 2}
    with pytest.warns(IncompleteWarning, match="6 of 16 questions were not asked"):
        results = evaluate_pipeline(rag(writer(tmp_path)), data, "exact_match", prices=COST, max_cost=2e-5)
    assert results.metric("exact_match").result.n_scored == 10


def test_the_same_without_blocking_the_event_loop(tmp_path):
    async def both():
        batch = run_batch_async(
            ["exact_match"], QUESTIONS, rag(writer(tmp_path)), ground_truth_answers=ANSWERS
        )
        return await asyncio.gather(batch, asyncio.sleep(0, "ran"))

    results, other = asyncio.run(both())
    assert (results.metric("exact_match").value, other) == (1.0, "ran")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers"),
        ({"repeats": 0}, "repeats"),
        ({"max_cost": 1.0}, "max_cost needs prices"),
        ({"primary": ["nothing"]}, "no measure 'nothing'"),
        ({"metrics": "retrieval_recall"}, "ground_truth_documents"),
        ({"questions": [{"text": "a"}]}, r"has no questions: it has text; .*'COLUMN': 'questions'"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_asked(tmp_path, options, message):
    given = {"questions": ROWS, "metrics": "exact_match"} | options
    with pytest.raises(InputError, match=message):
        evaluate_pipeline(rag(writer(tmp_path)), **given)
    assert asked(tmp_path / "log") == []


def test_an_agent_gets_the_question_as_a_message_and_its_replies_are_counted(tmp_path):
    pipeline = Pipeline()
    pipeline.add_component("agent", Agent(chat_generator=MockChatGenerator("48 m")))
    options = {"out": tmp_path / "run", "metrics": "exact_match"}
    results = evaluate_pipeline(pipeline, ROWS[:2], **options)
    assert results.metric("exact_match").scores.tolist() == [1.0, 0.0]
    assert results.provenance["answering"][0]["calls"] == 2


@component
class Overlap:
    """A metric of another package, with an input of its own name."""

    @component.output_types(score=float, individual_scores=list[float])
    def run(self, predicted_answers: list[str], reference: list[str]):
        scores = [float(a == b) for a, b in zip(predicted_answers, reference, strict=True)]
        return {"score": sum(scores) / max(len(scores), 1), "individual_scores": scores}


def test_further_columns_of_a_batch_keep_their_names(tmp_path):
    results = run_batch([Overlap()], QUESTIONS, rag(writer(tmp_path)), reference=ANSWERS)
    assert results.metric("Overlap").value == 1.0


def test_contexts_of_the_data_stay_where_the_pipeline_retrieves_nothing():
    data = {"questions": ["q1", "q2"], "contexts": [["a"], ["b"]], "ground_truth_answers": ["x", "x"]}
    results = evaluate_pipeline(bot(), data, "exact_match")
    assert list(results.inputs["contexts"]) == [["a"], ["b"]]


def test_a_reply_without_text_is_a_failure():
    pipeline = Pipeline()
    pipeline.add_component("bot", Silent())
    with pytest.raises(InputError, match=r"none of 2 questions got an answer: .* replied without a text"):
        run_batch(["exact_match"], ["q1", "q2"], pipeline, ground_truth_answers=["x", "y"])


@component
class Silent:
    """A generator that only calls tools."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, query: str):
        return {"replies": [ChatMessage.from_assistant(meta={}, tool_calls=[ToolCall(query, {})])]}


def test_a_folder_needs_a_pipeline(tmp_path):
    with pytest.raises(InputError, match="need a query pipeline; `evaluate` stores runs of given answers"):
        run_batch(["exact_match"], ["q"], ["a"], ground_truth_answers=["a"], out=tmp_path / "run")


def test_an_empty_store_is_refused_with_the_remedy_before_a_model_is_called(tmp_path):
    system = rag(writer(tmp_path))
    store = system.get_component("retriever").document_store
    store.delete_documents([document.id for document in store.filter_documents()])
    with pytest.raises(
        InputError, match=r"retriever: the in-memory store is empty .*or call experiment with index"
    ):
        evaluate_pipeline(system, ROWS, out=tmp_path / "run")
    assert asked(tmp_path / "log") == []
    assert not (tmp_path / "run").exists()


def test_a_guess_about_a_column_that_the_pipeline_replaces_is_not_reported(tmp_path, recwarn):
    rows = [{**row, "completion": "an old answer"} for row in ROWS]
    renamed = [{("prompt" if name == "question" else name): row[name] for name in row} for row in rows]
    results = evaluate_pipeline(
        rag(writer(tmp_path)), [{**row, "references": [row["answer"]]} for row in renamed]
    )
    shown = [str(warning.message) for warning in recwarn if warning.category is DataWarning]
    assert all("completion" not in line for line in shown)
    assert any("read 'prompt' as questions" in line for line in shown)
    assert results.metric("exact_match").value == 1.0
