import pytest

from thresher.datasets import read_dataset


def entry(column, value):
    (found,) = read_dataset([{column: value}]).columns.values()
    return found[0]


@pytest.mark.parametrize(
    ("column", "value", "read"),
    [
        ("predicted_answers", "", ""),
        ("predicted_answers", None, None),
        ("ground_truth_answers", "a", "a"),
        ("ground_truth_answers", ["a", "b"], ["a", "b"]),
        ("ground_truth_answers", ["a", None], ["a"]),
        ("ground_truth_answers", [None], []),
        ("second_predicted_answers", "a", "a"),
        ("rubrics", {"1": "bad", "5": "good"}, {"1": "bad", "5": "good"}),
        ("conditions", {"equals": ["a"], "matches": None}, {"equals": ["a"]}),
        ("answers", {"text": ["a", "a"], "answer_start": [1, 2]}, ["a", "a"]),
        ("answers", {"text": [], "answer_start": []}, []),
        ("answers", [{"text": "a", "answer_start": 1}], ["a"]),
        ("contexts", "a", ["a"]),
        ("contexts", [], []),
        ("ground_truth_contexts", ["a"], ["a"]),
        ("retrieved_documents", ["d1", 7, 7.0], ["d1", "7", "7"]),
        ("retrieved_documents", "d1", ["d1"]),
        ("ground_truth_documents", 7, ["7"]),
        ("ground_truth_documents", {"d1": 2, "d2": 0.5, "d3": None}, {"d1": 2, "d2": 0.5}),
        ("ground_truth_documents", {7: 1}, {"7": 1}),
        ("ground_truth_documents", {7.0: 1}, {"7": 1}),
    ],
)
def test_entries_of_known_columns_take_the_form_that_metrics_expect(column, value, read):
    assert entry(column, value) == read


def test_documents_written_as_objects_become_documents():
    pytest.importorskip("haystack")
    from haystack import Document

    read = entry(
        "retrieved_documents",
        [
            {"content": "text", "meta": {"page": 3}, "id": None},
            {"id": 7},
            {"id": "d2", "content": "x", "url": "u"},
            Document(id="d3"),
            "d4",
        ],
    )
    assert read == [
        Document(content="text", meta={"page": 3}),
        Document(id="7"),
        Document(id="d2", content="x", meta={"url": "u"}),
        Document(id="d3"),
        "d4",
    ]
    assert entry("ground_truth_documents", {"id": "d1", "content": "x"}) == [Document(id="d1", content="x")]


@pytest.mark.parametrize(
    ("column", "value", "found", "wanted"),
    [
        ("questions", ["q"], "a list", "a text"),
        ("predicted_answers", {"text": "a"}, "an object", "a text"),
        (
            "ground_truth_answers",
            ["a", 1],
            "a list whose entry 2 is the number 1",
            "a text or a list of texts",
        ),
        ("ground_truth_answers", {"text": None}, "nothing", "a text or a list of texts"),
        ("contexts", [3], "a list whose entry 1 is the number 3", "a list of texts"),
        ("contexts", ["a", None], "a list whose entry 2 is nothing", "a list of texts"),
        ("contexts", ["a", {"content": "b"}], "a list whose entry 2 is an object", "a list of texts"),
        (
            "retrieved_documents",
            [["d"]],
            "a list whose entry 1 is a list",
            "a list of document ids or Documents",
        ),
        (
            "retrieved_documents",
            ["d", ""],
            "a list whose entry 2 is the text ''",
            "a list of document ids or Documents",
        ),
        ("retrieved_documents", {"d": 1}, "an object", "a list of document ids or Documents"),
        (
            "ground_truth_documents",
            {"d": "high"},
            "the text 'high' as the grade of 'd'",
            "a number as each document's grade",
        ),
        (
            "ground_truth_documents",
            {"d": True},
            "true as the grade of 'd'",
            "a number as each document's grade",
        ),
        ("questions", b"x", "a bytes", "a text"),
    ],
)
def test_entries_of_the_wrong_type_are_named_with_what_is_wanted(refusal, column, value, found, wanted):
    message = f"{column} holds {found}; expected {wanted}; fix the row, or name its meaning with"
    # Mapping a column to itself keeps objects whole, as they are where a row holds something else too.
    assert (
        refusal([{column: value}], mapping={column: column})
        == f"the data, row 1: {message} read_dataset(..., mapping={{'{column}': 'NAME'}})"
    )


def test_an_object_that_is_no_document_is_refused(refusal):
    pytest.importorskip("haystack")
    message = refusal([{"documents": ["d1", {"content": 3}]}])
    assert message == (
        "the data, row 1: 'documents' (read as retrieved_documents) holds a list whose entry 2 is an object "
        "that is not a Document (The `content` field must be a string or None.); expected a list of document "
        "ids or Documents; fix the row, or name its meaning with "
        "read_dataset(..., mapping={'documents': 'NAME'})"
    )


def test_long_texts_are_quoted_in_part(refusal):
    message = refusal([{"retrieved_documents": "word " * 100}])
    assert "holds the text 'word word word word word word word wo...';" in message


def test_file_line_and_column_are_named(write, refusal):
    path = write("data.jsonl", [{"user_input": "q"}, {"user_input": ["turn 1", "turn 2"]}])
    assert refusal(path) == (
        "data.jsonl:2: 'user_input' (read as questions) holds a list; expected a text; fix the row, "
        "or name its meaning with read_dataset(..., mapping={'user_input': 'NAME'})"
    )
