import subprocess
import sys

import pytest

pytest.importorskip("haystack")
from haystack import Document
from haystack.dataclasses import ChatMessage, GeneratedAnswer
from haystack.evaluation import EvaluationRunResult

from thresher.datasets import read_dataset

FIRST, SECOND = Document(id="d1", content="one"), Document(id="d2", content="two")


def answer(query="q", data="a", documents=(FIRST,)):
    return GeneratedAnswer(data=data, query=query, documents=list(documents), meta={"model": "m"})


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items()}


def test_an_evaluation_run_gives_its_inputs_and_item_scores():
    run = EvaluationRunResult(
        "mine",
        {
            "question": ["a", "b"],
            "contexts": [["c"], ["d"]],
            "answer": ["x", "y"],
            "predicted_answer": ["z", "y"],
        },
        {
            "faithfulness": {"score": 0.5, "individual_scores": [0.5, float("nan")]},
            "answer": {"score": 1, "individual_scores": [1, 1]},
        },
    )
    dataset = read_dataset(run)
    assert dataset.name == "mine"
    assert columns(dataset) == {
        "questions": ["a", "b"],
        "contexts": [["c"], ["d"]],
        "ground_truth_answers": ["x", "y"],
        "predicted_answers": ["z", "y"],
        "faithfulness": [0.5, None],
        "results_answer": [1, 1],
    }
    assert len(read_dataset(run, limit=1)) == 1


def test_a_fault_in_an_evaluation_run_is_named_by_run_and_row(refusal):
    run = EvaluationRunResult("mine", {"question": [[3]]}, {})
    assert refusal(run).startswith("the evaluation run 'mine', row 1: 'question' (read as questions) holds")


def test_generated_answers_give_what_was_asked_said_and_read():
    dataset = read_dataset([answer(documents=[FIRST, SECOND]), answer("r", "b", [])])
    assert columns(dataset) == {
        "contexts": [["one", "two"], []],
        "retrieved_documents": [[FIRST, SECOND], []],
        "questions": ["q", "r"],
        "predicted_answers": ["a", "b"],
    }


def test_a_pipeline_s_output_is_read_with_what_is_put_beside_it():
    output = {
        "answer_builder": {"answers": [answer(), answer(data="second best")]},
        "retriever": {"documents": [SECOND, FIRST]},
        "llm": {"replies": [ChatMessage.from_assistant("a")]},
    }
    dataset = read_dataset([{**output, "id": 7, "ground_truth_answer": "r", "recorded_scores": {"f": 1}}])
    assert dataset.ids == ["7"]
    assert columns(dataset) == {
        "ground_truth_answers": ["r"],
        "contexts": [["one"]],
        "retrieved_documents": [[SECOND, FIRST]],
        "questions": ["q"],
        "predicted_answers": ["a"],
        "f": [1],
    }


def test_a_component_s_output_is_read_as_a_row():
    rows = [{"answers": [answer()], "documents": [SECOND], "answer": "r"}]
    assert columns(read_dataset(rows)) == {
        "ground_truth_answers": ["r"],
        "contexts": [["one"]],
        "retrieved_documents": [[SECOND]],
        "questions": ["q"],
        "predicted_answers": ["a"],
    }


def test_a_retrieval_pipeline_needs_no_answer():
    rows = [{"retriever": {"documents": [FIRST]}, "question": "q", "ground_truth_documents": [FIRST]}]
    assert columns(read_dataset(rows)) == {
        "questions": ["q"],
        "ground_truth_documents": [[FIRST]],
        "contexts": [["one"]],
        "retrieved_documents": [[FIRST]],
    }


def test_what_stands_in_the_row_counts_more_than_what_the_answer_says():
    row = {"answers": [answer("rewritten query")], "user_input": "as asked"}
    assert read_dataset([row]).columns["questions"] == ["as asked"]


def test_the_answer_s_documents_count_where_several_components_gave_some():
    row = {"retriever": {"documents": [FIRST, SECOND]}, "ranker": {"documents": [SECOND]}}
    dataset = read_dataset([{**row, "builder": {"answers": [answer(documents=[SECOND])]}}])
    assert dataset.columns["retrieved_documents"] == [[SECOND]]


def test_outputs_that_could_mean_several_things_are_refused(refusal):
    documents = {"retriever": {"documents": [FIRST]}, "ranker": {"documents": [SECOND]}}
    assert (
        refusal([documents]) == "the data, row 1: 2 components gave documents; include the output of only one"
    )
    answers = {"one": {"answers": [answer()]}, "two": {"answers": [answer()]}}
    assert (
        refusal([answers])
        == "the data, row 1: 'one' and 'two' both hold answers; include the output of only one"
    )


def test_columns_may_hold_documents():
    dataset = read_dataset({"question": ["q"], "documents": [[FIRST]]})
    assert dataset.columns["retrieved_documents"] == [[FIRST]]


def test_reading_plain_data_loads_neither_haystack_nor_pandas(write):
    path = write("data.jsonl", [{"id": 1, "question": "q", "documents": ["d1"]}])
    program = (
        "import sys; from thresher.datasets import read_dataset\n"
        f"read_dataset({path!r}).fingerprint(); read_dataset([{{'question': 'q'}}])\n"
        "print(sorted({'haystack', 'pandas', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
