"""Columns that metrics lack, or that hold JSON as text: what the message proposes."""

import json
import re

import pandas as pd
import pytest

from thresher import build, evaluate, read_dataset
from thresher.components.checks import JsonSchemaEvaluator
from thresher.datasets.sources import open_source
from thresher.errors import DataWarning, InputError
from thresher.metrics import item_metric
from thresher.surface import command_line

ANSWERS = [
    "outputs.answer",
    "outputs.text",
    "output.answer",
    "output.final",
    "prediction.x",
    "predictions.foo",
    "response.text",
    "model_output.text",
    "run.outputs.answer",
    "outputs.output.text",
    "generated.content",
    "llm.reply",
    "completion.text",
]
REFERENCES = [
    "reference_outputs.answer",
    "referenceOutputs.answer",
    "expectedOutput.answer",
    "expected_output.text",
    "expected.foo",
    "reference.answer",
    "reference.output.text",
    "ground_truth.x",
    "groundTruth.answer",
    "gold.text",
    "ideal.value",
    "target.text",
    "expected.outputs.answer",
    "correct_answer.text",
]
QUESTIONS = [
    "inputs.question",
    "input.text",
    "input.foo",
    "query.text",
    "question.content",
    "user_input.text",
]
UNCLEAR = [
    "inputs.answer",
    "outputs.reference",
    "example.outputs.answer",
    "question.output",
    "input.expected",
    "note.x",
]
TEXTS = {"questions", "predicted_answers", "ground_truth_answers"}
PROPOSED = re.compile(r"--map (\S+)=(\w+)")


def nested(path, text):
    """An object with a text at a path."""
    *outer, leaf = path.split(".")
    value = {leaf: text, "seconds": 1.5}
    for key in reversed(outer):
        value = {key: value}
    return value


def rows(*paths):
    merged = [{}, {}]
    for number, row in enumerate(merged):
        for path in paths:
            row.update(nested(path, f"{path} {number}"))
    return merged


def flat(*paths, separator="."):
    return {path.replace(".", separator): [f"{path} 0", f"{path} 1"] for path in paths}


def message(metrics, data, **options):
    """The one line with which data are refused, as the command line words it."""
    with command_line(), pytest.raises(InputError) as caught:
        evaluate(metrics, read_dataset(data, **options))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def proposed(metrics, data):
    return {
        column: socket for column, socket in PROPOSED.findall(message(metrics, data)) if column != "COLUMN"
    }


@item_metric
def of_all(questions: str, predicted_answers: str, ground_truth_answers: list[str], missing: str) -> float:
    """Needs all columns, and one that no data have."""
    return 1.0


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("form", [rows, flat, lambda *paths: flat(*paths, separator="_")])
@pytest.mark.parametrize(
    ("paths", "socket"),
    [(ANSWERS, "predicted_answers"), (REFERENCES, "ground_truth_answers"), (QUESTIONS, "questions")],
)
def test_no_column_is_read_or_proposed_as_what_its_outer_key_contradicts(form, paths, socket):
    for path in paths:
        data = form(path)
        assert set(read_dataset(data).columns) & TEXTS <= {socket}
        assert set(proposed([of_all], data).values()) <= {socket}


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("form", [rows, flat, lambda *paths: flat(*paths, separator="_")])
@pytest.mark.parametrize("path", UNCLEAR)
def test_nothing_is_proposed_for_a_column_of_unclear_meaning(form, path):
    assert proposed([of_all], form(path)) == {}


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("separator", [None, ".", "_"])
@pytest.mark.parametrize(
    ("question", "answer", "reference"),
    [
        ("inputs.question", "outputs.answer", "reference_outputs.answer"),
        ("input.question", "output.answer", "expectedOutput.answer"),
        ("input.query", "prediction.answer", "expected.answer"),
        ("inputs.input", "outputs.output", "referenceOutputs.output"),
        ("input.user_input", "response.response", "ground_truth.response"),
    ],
)
def test_the_layouts_of_tools_are_read_without_a_mapping(question, answer, reference, separator):
    paths = (question, answer, reference)
    data = read_dataset(rows(*paths) if separator is None else flat(*paths, separator=separator))
    columns = {
        name: data.column(name)[1] for name in ("questions", "predicted_answers", "ground_truth_answers")
    }
    assert columns == {
        "questions": f"{question} 1",
        "predicted_answers": f"{answer} 1",
        "ground_truth_answers": f"{reference} 1",
    }
    if separator is None:
        assert data.origin["predicted_answers"] == answer
        assert f"read {question!r} as questions, {answer!r} as predicted_answers" in data.notes[0]


def test_a_complete_mapping_is_proposed_and_works():
    data = rows("inputs.ask", "prediction.x", "expected.foo")
    mapping = proposed([of_all], data)
    assert mapping == {
        "inputs.ask": "questions",
        "prediction.x": "predicted_answers",
        "expected.foo": "ground_truth_answers",
    }
    read = read_dataset(data, mapping=mapping)
    assert read.column("ground_truth_answers")[0] == "expected.foo 0"
    assert proposed([of_all], read) == {}


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_nothing_is_proposed_if_several_columns_may_be_meant():
    data = [{"outputs": {"final": "a", "thought": "b"}, "expected": {"foo": "c", "bar": "d"}}]
    assert proposed("token_f1", data) == {}
    both = read_dataset([{"outputs": {"answer": "a", "response": "b"}}])
    assert "predicted_answers" not in both.columns
    assert "'outputs.answer' and 'outputs.response' could all be predicted_answers" in both.notes[0]
    assert proposed("token_f1", {"outputs": [{"score": 0.5}], "said": ["a"]}) == {}
    assert proposed("token_f1", {"grounded_answers": ["a"], "true_answer_of_expert": ["b"]}) == {}


def test_a_misspelt_column_is_proposed():
    data = {"ground_truht_answers": ["a"], "predicted_anwsers": ["b"]}
    assert proposed("token_f1", data) == {
        "ground_truht_answers": "ground_truth_answers",
        "predicted_anwsers": "predicted_answers",
    }


def test_a_name_above_others_does_not_replace_what_is_named_itself():
    data = [{"response": "a", "reference": "r", "outputs": {"answer": "x"}, "inputs": {"context": ["c"]}}]
    with pytest.warns(DataWarning, match=r"read 'inputs.context' as contexts"):
        columns = read_dataset(data).columns
    assert list(columns["predicted_answers"]) == ["a"]
    assert list(columns["answer"]) == ["x"]
    assert list(columns["contexts"]) == [["c"]]


def test_the_socket_of_a_misunderstood_name_is_that_of_its_side():
    words = message("token_f1", {"reference_text": ["a"]}, mapping={"reference_text": "answer"})
    assert words.endswith("write --map reference_text=ground_truth_answers")


WRAPPED = {
    "request": [json.dumps({"question": f"q{n}"}) for n in range(3)],
    "response": [json.dumps({"answer": answer, "model": "m"}) for answer in "abc"],
    "expected": [json.dumps({"text": answer, "score": 1}) for answer in "abx"],
}
REFUSED = (
    "every text of 'request' (keys: question), 'response' (keys: answer, model), "
    "'expected' (keys: text, score) is the JSON of an object: read what is meant with "
    "--map request.question=questions --map response.answer=predicted_answers "
    "--map expected.text=ground_truth_answers; to evaluate the JSON itself, add the metric json_valid"
)


def written(form, tmp_path):
    frame = pd.DataFrame(WRAPPED)
    if form == "dict":
        return WRAPPED
    if form == "frame":
        return frame
    path = tmp_path / f"data.{form}"
    if form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif form == "parquet":
        frame.to_parquet(path)
    elif form == "xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("form", ["dict", "frame", "csv", "jsonl", "parquet", "xlsx"])
def test_json_texts_are_refused_with_a_mapping_that_works(form, tmp_path):
    data = written(form, tmp_path)
    words = message("token_f1", data)
    assert words == REFUSED
    read = read_dataset(data, mapping=dict(PROPOSED.findall(words)))
    assert list(read.column("questions")) == ["q0", "q1", "q2"]
    assert list(read.column("model")) == ["m"] * 3
    assert read.origin["predicted_answers"] == "response.answer"
    assert evaluate("token_f1", read).metric("token_f1").value == pytest.approx(2 / 3)


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_json_texts_in_a_file_read_by_chunk_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
    path = written("csv", tmp_path)
    with command_line(), pytest.raises(InputError, match=re.escape(REFUSED)):
        evaluate("token_f1", open_source(path))


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize(
    ("answers", "keys", "mapping"),
    [
        (['{"a": "x", "b": "y"}'], "a, b", "response.KEY"),
        (['{"reference": "x", "answer": "y"}'], "reference, answer", "response.answer"),
        (['{"reference": "x", "score": 1}'], "reference, score", "response.KEY"),
        (["{'answer': 'as Python prints it'}", None], "answer", "response.answer"),
        ([' {"message": {"content": "x"}}'], "message.content", "response.message.content"),
        (['{"error": null}', "", '{"answer": "x"}'], "error, answer", "response.answer"),
        (['{"answer": ["x"]}'], "answer", "response.KEY"),
        ([json.dumps(dict.fromkeys("abcdefghij", 1))], "a, b, c, d, e, f, g, h, ...", "response.KEY"),
    ],
)
def test_the_key_that_is_meant_is_proposed(answers, keys, mapping):
    words = message("exact_match", {"response": answers, "reference": ["r"] * len(answers)})
    assert f"'response' (keys: {keys}) is" in words
    assert f" --map {mapping}=predicted_answers;" in words


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize(
    "answers",
    [
        ['{"answer": "x"}', "plain"],
        ['{"answer": "x"'],
        ["[1]", "[2]"],
        ["{x}"],
        [None, ""],
        ["{}"],
        ["1", "2"],
    ],
)
def test_other_texts_are_evaluated(answers):
    evaluate("exact_match", {"response": answers, "reference": ["r"] * len(answers)})


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("plain", [0, 19, 1500])
@pytest.mark.parametrize("other", ["proxy error", '[{"answer": "y"}, {"answer": "z"}]'])
def test_json_texts_are_refused_if_most_are_json(plain, other):
    answers = ['{"answer": "x"}'] * 2000
    answers[plain] = other
    data = {"response": answers, "reference": ["x"] * 2000}
    words = message("exact_match", data)
    if other == "proxy error":
        assert words == (
            "1999 of 2000 texts of 'response' (keys: answer) are JSON objects: read what is meant with "
            "--map response.answer=predicted_answers, after you empty the other texts, which are then "
            "missing; to evaluate the JSON itself, add the metric json_valid"
        )
        answers[plain] = ""
        read = read_dataset(data, mapping=dict(PROPOSED.findall(words)))
        metric = evaluate("exact_match", read).metric("exact_match")
        assert metric.value == 1
    else:
        assert "(keys: answer) is the JSON of an object: replace lists of several objects by the" in words


@pytest.mark.parametrize(
    "form", ["```json\n%s\n```", "```\n%s```", "~~~json\n%s\n~~~\n", "[%s]", "```json\n[%s]\n```"]
)
@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_json_in_fences_and_lists_of_one_is_opened(form):
    data = {"response": [form % '{"answer": "x"}'] * 3, "reference": ["x"] * 3}
    words = message("exact_match", data)
    assert "every text of 'response' (keys: answer) is the JSON of an object" in words
    read = read_dataset(data, mapping=dict(PROPOSED.findall(words)))
    assert evaluate("exact_match", read).metric("exact_match").value == 1


def test_a_few_json_texts_are_reported():
    data = {"response": ['{"answer": "x"}', "x", "x", None], "reference": ["x"] * 4}
    expected = "1 of 3 texts of 'response' are JSON objects, scored as they are"
    with pytest.warns(DataWarning, match=expected):
        evaluate("exact_match", data)


def test_references_that_are_json_lists_are_lists_in_tables_and_reported_elsewhere(tmp_path):
    rows = {"response": ["Paris", "Rome"], "reference": ['["Paris", "Lutece"]', "Rome"]}
    pd.DataFrame(rows).to_csv(tmp_path / "data.csv", index=False)
    assert evaluate("exact_match", tmp_path / "data.csv").metric("exact_match").value == 1
    pd.DataFrame(rows).to_json(tmp_path / "data.jsonl", orient="records", lines=True)
    with pytest.warns(
        DataWarning, match="1 of 2 texts of 'reference' are JSON lists, scored as they are; to"
    ):
        assert evaluate("exact_match", tmp_path / "data.jsonl").metric("exact_match").value == 0.5


def test_json_is_evaluated_where_a_metric_reads_it():
    answers = ['{"answer": "x"}', '{"answer": "y"}']
    data = {"response": answers, "reference": answers}
    schema = build([JsonSchemaEvaluator(schema={"required": ["answer"]})])
    assert evaluate(schema, data).metric("json_schema").value == 1
    assert evaluate(["json_valid", "exact_match"], data).metric("exact_match").value == 1


def test_contexts_are_refused_only_if_their_keys_say_that_passages_are_inside():
    data = {"question": ["q"], "response": ["a"], "contexts": ['{"context": "c", "n": 1}']}
    assert " --map contexts.context=contexts;" in message([of_contexts], data)
    for contexts in ('{"name": "row of a table", "price": 3}', ['{"context": "a"}', "b"]):
        evaluate([of_contexts], {**data, "contexts": [contexts]})


def test_texts_that_no_metric_reads_may_be_json():
    data = {"question": ['{"question": "q"}'], "response": ["a"], "reference": ["a"]}
    assert evaluate("exact_match", data).metric("exact_match").value == 1


@item_metric
def of_contexts(contexts: list[str]) -> float:
    """Reads contexts."""
    return 1.0
