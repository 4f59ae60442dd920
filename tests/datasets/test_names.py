import pytest

from thresher.datasets import KNOWN_NAMES, read_dataset
from thresher.results import VOCABULARY
from thresher.results.column_vocabulary import ID_NAMES

# What each framework's own data sets look like, with one entry per item.
RAGAS = {
    "user_input": "q",
    "response": "a",
    "retrieved_contexts": ["c"],
    "reference": "r",
    "reference_contexts": ["g"],
    "retrieved_context_ids": ["d1"],
    "reference_context_ids": ["d2"],
}
RAGAS_OLD = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truth": "r"}
RAGAS_OLDEST = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["r"]}
DEEPEVAL = {
    "input": "q",
    "actual_output": "a",
    "expected_output": "r",
    "retrieval_context": ["c"],
    "context": ["g"],
}
LLAMA_INDEX = {"query": "q", "response": "a", "contexts": ["c"], "reference": "r"}
LLAMA_INDEX_RETRIEVAL = {"query": "q", "expected_ids": ["d2"], "retrieved_ids": ["d1"]}
HAYSTACK = {
    "questions": "q",
    "contexts": ["c"],
    "predicted_answers": "a",
    "ground_truth_answers": "r",
    "ground_truth_documents": ["d2"],
    "retrieved_documents": ["d1"],
}
HAYSTACK_TUTORIAL = {"question": "q", "true_answers": "r", "predicted_answer": "a", "documents": ["d1"]}
PROPOSAL = {"query_id": "7", "question": "q", "contexts": "c", "answer": "r", "predicted_answer": "a"}
SQUAD = {
    "id": "7",
    "title": "t",
    "question": "q",
    "context": "c",
    "answers": {"text": ["r"], "answer_start": [0]},
}
READ = {
    "questions": "q",
    "predicted_answers": "a",
    "contexts": ["c"],
    "ground_truth_answers": "r",
    "ground_truth_contexts": ["g"],
    "retrieved_documents": ["d1"],
    "ground_truth_documents": ["d2"],
}

NAME = "give a socket, or a plain name of letters, digits and _"


@pytest.mark.parametrize(
    ("row", "sockets"),
    [
        (RAGAS, READ),
        (RAGAS_OLD, ["questions", "predicted_answers", "contexts", "ground_truth_answers"]),
        (LLAMA_INDEX, ["questions", "predicted_answers", "contexts", "ground_truth_answers"]),
        (
            DEEPEVAL,
            ["questions", "predicted_answers", "contexts", "ground_truth_answers", "ground_truth_contexts"],
        ),
        (LLAMA_INDEX_RETRIEVAL, ["questions", "ground_truth_documents", "retrieved_documents"]),
        (HAYSTACK, HAYSTACK),
        (
            HAYSTACK_TUTORIAL,
            ["questions", "ground_truth_answers", "predicted_answers", "retrieved_documents"],
        ),
        (PROPOSAL, ["questions", "contexts", "ground_truth_answers", "predicted_answers"]),
    ],
)
def test_each_framework_s_data_are_understood(row, sockets):
    columns = read_dataset([row]).columns
    assert {name: column[0] for name, column in columns.items()} == {name: READ[name] for name in sockets}


def test_references_of_early_ragas_and_squad_are_lists():
    assert read_dataset([RAGAS_OLDEST]).columns["ground_truth_answers"] == [["r"]]
    squad = read_dataset([SQUAD])
    assert squad.ids == ["7"]
    assert {name: column[0] for name, column in squad.columns.items()} == {
        "title": "t",
        "questions": "q",
        "contexts": ["c"],
        "ground_truth_answers": ["r"],
    }


@pytest.mark.parametrize(
    "known", [known for known in KNOWN_NAMES if known.rank == "always"], ids=lambda known: known.column
)
def test_every_known_name_is_taken_for_its_socket(known):
    texts = {"ids", "questions", "predicted_answers", "second_predicted_answers", "chatbot_roles"}
    chat, calls = [{"role": "user", "content": "q"}], [{"name": "search"}]
    others = {"conversations": chat, "reference_conversations": chat, "reference_tool_calls": calls}
    value = "7" if known.socket in texts else others.get(known.socket, ["7"])
    dataset = read_dataset([{known.column: value}])
    assert dataset.ids_given if known.socket == "ids" else list(dataset.columns) == [known.socket]


def test_known_names_point_into_the_vocabulary_and_cover_the_names_used_for_joining():
    assert {known.socket for known in KNOWN_NAMES} <= set(VOCABULARY)
    understood = {known.column: known.socket for known in KNOWN_NAMES} | {name: name for name in VOCABULARY}
    assert {understood[name] for name in ID_NAMES} == {"ids"}


@pytest.mark.parametrize("column", ["User Input", "userInput", "user-input", " USER_INPUT "])
def test_case_blanks_and_hyphens_make_no_difference(column):
    assert list(read_dataset({column: ["q"]}).columns) == ["questions"]


@pytest.mark.parametrize(
    ("row", "mapping", "socket"),
    [
        ({"answer": "a"}, {}, "predicted_answers"),
        ({"answer": ["a", "b"]}, {}, "ground_truth_answers"),
        ({"answer": "a", "predicted_answer": "b"}, {}, "ground_truth_answers"),
        ({"answer": "a", "response": "b"}, {}, "ground_truth_answers"),
        ({"answer": "a", "mine": "b"}, {"mine": "predicted_answers"}, "ground_truth_answers"),
        ({"answer": "a", "mine": "b"}, {"mine": "ground_truth_answers"}, "predicted_answers"),
    ],
)
@pytest.mark.filterwarnings("ignore:read 'answer' as predicted_answers")
def test_answer_is_the_system_s_unless_another_column_is(row, mapping, socket):
    assert read_dataset([row], mapping=mapping).columns[socket] == [row["answer"]]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"context": "c"}, "contexts"),
        ({"context": None}, "contexts"),
        ({"context": "c", "retrieved_contexts": ["d"]}, "ground_truth_contexts"),
        ({"context": ["c"], "retrieved_contexts": ["d"]}, "ground_truth_contexts"),
        ({"context": ["c"], "actual_output": "a"}, "ground_truth_contexts"),
        ({"context": ["c"]}, "context"),
    ],
)
def test_context_is_told_by_what_it_holds_and_what_stands_beside_it(row, name):
    assert name in read_dataset([row]).columns


def test_a_list_written_in_a_table_makes_context_a_list(write):
    path = write("data.csv", 'input,context\nq,"[""g""]"\n')
    assert read_dataset(path).columns["ground_truth_contexts"] == [["g"]]


def test_ground_truths_beside_predictions_are_labels():
    assert list(read_dataset([{"predictions": "cat", "ground_truths": "dog"}]).columns) == [
        "predictions",
        "ground_truths",
    ]


def test_a_mapping_stands_above_every_guess():
    row = {"question": "no", "prompt": "yes", "reference": "r"}
    dataset = read_dataset([row], mapping={"prompt": "questions", "reference": "expert_text"})
    assert {name: column[0] for name, column in dataset.columns.items()} == {
        "question": "no",
        "questions": "yes",
        "expert_text": "r",
    }


def test_a_mapping_may_name_a_custom_socket_and_the_ids():
    dataset = read_dataset({"a": [1], "key": ["k"]}, mapping={"a": "my_socket", "key": "ids"})
    assert (list(dataset.ids), list(dataset.columns)) == (["k"], ["my_socket"])


@pytest.mark.parametrize(
    ("columns", "mapping", "message"),
    [
        (
            ["reference", "ground_truth"],
            {},
            (
                "the data: columns 'reference' and 'ground_truth' both mean ground_truth_answers; "
                "choose one with read_dataset(..., mapping={'reference': 'ground_truth_answers'})"
            ),
        ),
        (
            ["id", "query_id"],
            {},
            (
                "the data: columns 'id' and 'query_id' both mean ids; choose one with "
                "read_dataset(..., mapping={'id': 'ids'})"
            ),
        ),
        (
            ["answer", "predicted_answer", "reference"],
            {},
            (
                "the data: columns 'answer' and 'reference' both mean ground_truth_answers; "
                "choose one with read_dataset(..., mapping={'answer': 'ground_truth_answers'})"
            ),
        ),
        (
            ["mine", "questions"],
            {"mine": "questions"},
            (
                "the data: 'mine' is mapped to questions, but 'questions' has that name; "
                "give 'questions' another name with read_dataset(..., mapping={'questions': 'NAME'})"
            ),
        ),
        (
            ["a", "b"],
            {"a": "b"},
            (
                "the data: 'a' is mapped to b, but 'b' has that name; give 'b' another name with "
                "read_dataset(..., mapping={'b': 'NAME'})"
            ),
        ),
        (
            ["a", "b"],
            {"a": "questions", "b": "questions"},
            "'a' and 'b' are both mapped to questions; map one column to it",
        ),
        (["a", "b"], {"c": "prompt"}, "mapping={'c': 'prompt'}: the data has no column 'c'; it has 'a', 'b'"),
        (
            ["prompt"],
            {"questions": "prompt"},
            "mapping={'questions': 'prompt'} is the wrong way round; write mapping={'prompt': 'questions'}",
        ),
        (
            ["a"],
            {"a": "qestions"},
            "mapping={'a': 'qestions'}: no socket is called 'qestions'; write mapping={'a': 'questions'}",
        ),
        (
            ["a"],
            {"a": "question"},
            "mapping={'a': 'question'}: no socket is called 'question'; write mapping={'a': 'questions'}",
        ),
        (
            ["a"],
            {"a": "answer"},
            (
                "mapping={'a': 'answer'}: no socket is called 'answer'; "
                "write mapping={'a': 'predicted_answers'} or mapping={'a': 'ground_truth_answers'}"
            ),
        ),
        (["a"], {"a": "x y"}, f"mapping={{'a': 'x y'}}: {NAME}"),
        (["a"], {"a": "class"}, f"mapping={{'a': 'class'}}: {NAME}"),
    ],
)
def test_names_that_cannot_be_meant_are_refused_with_the_remedy(refusal, columns, mapping, message):
    assert refusal({column: ["7"] for column in columns}, mapping=mapping) == message


def test_the_remedy_for_two_columns_of_one_meaning_works():
    data = {"reference": ["r"], "ground_truth": ["g"]}
    dataset = read_dataset(data, mapping={"reference": "ground_truth_answers"})
    assert {name: column[0] for name, column in dataset.columns.items()} == {
        "ground_truth_answers": "r",
        "ground_truth": "g",
    }
