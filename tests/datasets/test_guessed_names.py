"""Names that mean a socket only where nothing surer does, and what is said of them."""

import pandas as pd
import pytest

from thresher.datasets import KNOWN_NAMES, read_dataset
from thresher.errors import DataWarning
from thresher.results.column_roles import roles_of

GUESSED = [known for known in KNOWN_NAMES if known.rank in ("clear", "loose")]
ALONE = [known for known in GUESSED if known.column not in {"label", "messages"}]
ENTRY = {"retrieved_documents": ["d1"], "ground_truth_documents": ["d1"]}
SURE = {
    "questions": "question",
    "predicted_answers": "response",
    "ground_truth_answers": "reference",
    "contexts": "retrieved_contexts",
    "retrieved_documents": "retrieved_ids",
    "ground_truth_documents": "expected_ids",
}

SHORT = {"predicted": "predicted_answers", "reference": "ground_truth_answers"}

quiet = pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")


@pytest.mark.parametrize("known", ALONE, ids=lambda known: known.column)
def test_a_name_is_read_where_nothing_else_claims_the_socket_and_a_note_says_so(known):
    with pytest.warns(DataWarning, match=f"read '{known.column}' as {known.socket}"):
        dataset = read_dataset([{known.column: ENTRY.get(known.socket, "a"), "x": "b"}])
    assert list(dataset.columns) == [known.socket, "x"]
    assert dataset.origin == {known.socket: known.column}
    assert len(dataset.notes) == 1


@pytest.mark.parametrize("known", GUESSED, ids=lambda known: known.column)
def test_a_surer_name_keeps_the_socket_without_a_word(known):
    row = {SURE[known.socket]: ENTRY.get(known.socket, "a"), known.column: ENTRY.get(known.socket, "b")}
    dataset = read_dataset([row])
    assert set(dataset.columns) == {known.socket, known.column}
    assert dataset.notes == ()


@pytest.mark.parametrize("known", GUESSED, ids=lambda known: known.column)
def test_entries_that_do_not_fit_leave_the_name_alone(known):
    assert list(read_dataset([{known.column: [[1]]}]).columns) == [known.column]


@quiet
@pytest.mark.parametrize(
    ("columns", "sockets"),
    [
        (
            "question answer contexts ground_truth",
            "questions predicted_answers contexts ground_truth_answers",
        ),
        (
            "question answer contexts ground_truths",
            "questions predicted_answers contexts ground_truth_answers",
        ),
        ("input output expected_output", "questions predicted reference"),
        ("input output expected", "questions predicted reference"),
        ("input ideal completion", "questions reference predicted"),
        ("query prediction label", "questions predicted reference"),
        ("question prediction target", "questions predicted reference"),
        ("prompt model_output gold", "questions predicted reference"),
        ("predictions references", "predicted reference"),
        ("inputs predictions ground_truth", "questions predicted reference"),
        ("query reference_answer reference_contexts", "questions reference ground_truth_contexts"),
        ("question answer expected", "questions predicted reference"),
        ("question answer output", "questions reference predicted"),
        ("question answer prediction", "questions reference predicted"),
        ("question output answer reference", "questions output predicted reference"),
        ("question reference_answer target", "questions reference target"),
        ("question prompt response", "questions prompt predicted"),
        ("question response label", "questions predicted label"),
        ("text target y_pred", "text target y_pred"),
        ("prediction y_true", "prediction y_true"),
        ("predictions target", "predictions target"),
    ],
)
def test_names_are_read_by_what_is_beside_them(columns, sockets):
    columns = columns.split()
    sockets = [SHORT.get(socket, socket) for socket in sockets.split()]
    read = read_dataset([dict.fromkeys(columns, "a")])
    assert list(read.columns) == sockets
    roles = roles_of({column: ["a"] for column in columns})
    assert [roles.get(column, column) for column in columns] == sockets


def test_answer_alone_is_the_system_s_and_the_note_names_the_other_meaning():
    with pytest.warns(DataWarning, match="mapping={'answer': 'ground_truth_answers'}") as caught:
        dataset = read_dataset([{"question": "q", "answer": "a", "contexts": ["c"]}])
    assert "predicted_answers" in dataset.columns
    assert caught[0].filename == __file__
    gold = read_dataset([{"question": "q", "answer": "a"}], mapping={"answer": "ground_truth_answers"})
    assert gold.notes == ()


@pytest.mark.parametrize("other", ["label", "target"])
def test_answers_or_labels_stay_open_without_a_question_and_the_note_names_both_ways(other):
    with pytest.warns(DataWarning, match="may be answers or labels") as caught:
        dataset = read_dataset([{"prediction": "cat", other: "dog"}])
    assert list(dataset.columns) == ["prediction", other]
    warning = str(caught[0].message)
    answers = {"prediction": "predicted_answers", other: "ground_truth_answers"}
    labels = {"prediction": "predictions", other: "ground_truths"}
    assert f"read_dataset(..., mapping={answers}) for answers" in warning
    assert f"read_dataset(..., mapping={labels}) for labels" in warning
    mapping = {"prediction": "predictions", other: "ground_truths"}
    assert read_dataset([{"prediction": "cat", other: "dog"}], mapping=mapping).notes == ()


def test_two_loose_names_of_one_socket_keep_their_names_and_the_note_says_how_to_choose():
    with pytest.warns(DataWarning, match="'output' and 'completion' could all") as caught:
        dataset = read_dataset([{"question": "q", "output": "a", "completion": "b"}])
    assert list(dataset.columns) == ["questions", "output", "completion"]
    assert str(caught[0].message).endswith("read_dataset(..., mapping={'output': 'predicted_answers'})")


def test_a_name_that_lost_to_another_guess_is_named():
    with pytest.warns(DataWarning, match="'output' keeps its name, since 'answer' is read as predicted"):
        read_dataset([{"question": "q", "answer": "a", "output": "b", "reference": "r"}])


def test_promptfoo_s_assertions_are_no_references():
    rows = [{"question": "q", "__expected": "Paris"}, {"question": "r", "__expected": "contains: x"}]
    assert "__expected" in read_dataset(rows).columns
    with pytest.warns(DataWarning, match="read '__expected' as ground_truth_answers"):
        assert "ground_truth_answers" in read_dataset(rows[:1]).columns


def test_labels_that_are_numbers_are_labels_in_every_source(write):
    path = write("data.csv", "query,prediction,label\na,0,1\n")
    frame = pd.read_csv(path)
    with pytest.warns(DataWarning):
        assert [list(read_dataset(source).columns) for source in (path, frame)] == [
            ["questions", "predicted_answers", "label"]
        ] * 2


def test_names_and_notes_survive_taking_items():
    with pytest.warns(DataWarning):
        dataset = read_dataset([{"prompt": "q"}, {"prompt": "r"}])
    part = dataset.take([1])
    assert (part.origin, part.notes) == (dataset.origin, dataset.notes)
