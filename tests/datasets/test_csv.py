import csv

import pandas as pd
import pytest

from datasets.sources.chunked import assert_same, use_small_blocks
from thresher import evaluate
from thresher.datasets import read_dataset, read_labels
from thresher.errors import InputError

AS_UTF8 = "save the file as UTF-8 (in Excel: CSV UTF-8)"


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items()}


def test_quoted_newlines_and_doubled_quotes_are_part_of_a_cell(write):
    path = write("data.csv", 'question,response\n"a\nb","say ""x"""\nq,\n')
    assert columns(read_dataset(path)) == {"questions": ["a\nb", "q"], "predicted_answers": ['say "x"', None]}


def test_blank_lines_and_lines_of_blanks_are_no_rows(write):
    assert columns(read_dataset(write("data.csv", "a,b\n\n1,2\n   \n3,4\n"))) == {"a": [1, 3], "b": [2, 4]}


def test_tab_separated_values_may_hold_commas(write):
    assert columns(read_dataset(write("data.tsv", "question\tx\nq, r\t1\n"))) == {
        "questions": ["q, r"],
        "x": [1],
    }


def test_a_byte_order_mark_and_blanks_around_a_name_are_no_part_of_it(write):
    assert columns(read_dataset(write("data.csv", b"\xef\xbb\xbfquestion, x\nq,1\n"))) == {
        "questions": ["q"],
        "x": [1],
    }


def test_a_column_without_a_name_is_called_by_its_position(write):
    assert columns(read_dataset(write("data.csv", ",question\n0,q\n"))) == {
        "column_1": [0],
        "questions": ["q"],
    }


def test_cells_may_be_longer_than_the_csv_module_allows_and_its_limit_is_put_back(write):
    before = csv.field_size_limit()
    dataset = read_dataset(write("data.csv", f"question\n{'x' * 200_000}\n"))
    assert len(dataset.columns["questions"][0]) == 200_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1", "-2"], [1, -2]),
        (["1", "2.5", "1e-3"], [1.0, 2.5, 0.001]),
        (["1", "", "NaN", "null"], [1, None, None, None]),
        (["inf", "0.5"], [float("inf"), 0.5]),
        (["True", "false", ""], [True, False, None]),
        (["007", "8"], ["007", "8"]),
        (["1", "x"], ["1", "x"]),
        (["1", "+2"], ["1", "+2"]),
        (["1_000", "2"], ["1_000", "2"]),
        (["x", "", "NaN"], ["x", None, "NaN"]),
        ([" 0.5", "1 "], [0.5, 1.0]),
        ([" true", "false"], [True, False]),
        ([" x", "1"], [" x", "1"]),
        (["", "nan"], [None, None]),
        (["1", '"2\n3"'], ["1", "2\n3"]),
        (["1.5", '"2\n"'], [1.5, 2.0]),
        (["1", "\u0131nf"], ["1", "\u0131nf"]),
    ],
)
def test_columns_of_unknown_meaning_are_numbers_only_if_all_their_filled_cells_are(write, cells, read):
    path = write("data.csv", "question,x\n" + "".join(f"q,{cell}\n" for cell in cells))
    found = read_dataset(path).columns["x"]
    assert found == read
    assert [type(entry) for entry in found] == [type(entry) for entry in read]


def test_texts_of_known_columns_stay_texts(write):
    path = write("data.csv", "id,question,predicted_answer,answer\n007,1,2.50,true\n")
    dataset = read_dataset(path)
    assert dataset.ids == ["007"]
    assert columns(dataset) == {
        "questions": ["1"],
        "predicted_answers": ["2.50"],
        "ground_truth_answers": ["true"],
    }


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ('"[""a"", ""b""]"', ["a", "b"]),
        ("\"['a', 'b']\"", ["a", "b"]),
        ("\"['it''s', 'b']\"", None),
        ("[]", []),
        ("one passage", ["one passage"]),
        ("[1] see there", ["[1] see there"]),
        ('"{""key"": 1}"', ['{"key": 1}']),
        ("", None),
    ],
)
def test_lists_of_texts_are_written_as_json_or_as_python_prints_them(write, refusal, cell, read):
    path = write("data.csv", f"question,contexts\nq,{cell}\n")
    if cell == "\"['it''s', 'b']\"":  # two texts side by side, which Python would join
        assert refusal(path).startswith("data.csv:2: contexts holds the text ")
    else:
        assert read_dataset(path).columns["contexts"] == [read]


@pytest.mark.parametrize("cell", ["['a' 'b']", "['a', nan]", '["a", ', "['a'", "[see above]"])
def test_a_list_that_is_not_written_as_json_is_refused(write, refusal, cell):
    quoted = cell.replace('"', '""')
    assert refusal(write("data.csv", f'question,contexts\nq,"{quoted}"\n')) == (
        f"data.csv:2: contexts holds the text {cell!r}; expected a JSON list such as "
        '["first", "second"]; fix the row, or name its meaning with '
        "read_dataset(..., mapping={'contexts': 'NAME'})"
    )


def test_several_references_are_a_json_list_and_other_brackets_are_text(write):
    path = write("data.csv", 'question,reference\nq,"[""a"", ""b""]"\nr,"[1, 2]"\ns,[\nt,[]\n')
    assert read_dataset(path).columns["ground_truth_answers"] == [["a", "b"], "[1, 2]", "[", []]


def test_graded_documents_are_a_json_object(write):
    path = write("data.csv", 'question,expected_ids,retrieved_ids\nq,"{""d1"": 2}","[""d1"", 7]"\nr,d3,\n')
    dataset = read_dataset(path)
    assert dataset.columns["ground_truth_documents"] == [{"d1": 2}, ["d3"]]
    assert dataset.columns["retrieved_documents"] == [["d1", "7"], None]


def test_limit_leaves_the_rest_of_the_rows_unread(write):
    assert read_dataset(write("data.csv", 'a\n1\n2\n"broken\n'), limit=2).columns["a"] == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            'a,b\n"x\ny",1\n2\n',
            "data.csv:4: 1 field where the header has 2: none for 'b'; fill up the row",
        ),
        ("a,b,c\n1,2\n", "data.csv:2: 2 fields where the header has 3: none for 'c'; fill up the row"),
        (
            'a,b\n"x\ny",1\n2,3,4\n',
            "data.csv:4: 3 fields where the header has 2; quote fields that hold the separator",
        ),
        (
            'a,b\n"x\ny",1\n2,"3\n4\n',
            (
                "data.csv:4: not CSV (unexpected end of data); double the quotes inside a quoted field "
                '("") and close every quoted field'
            ),
        ),
        (
            'a,b\n"x" y,1\n',
            (
                "data.csv:2: not CSV (',' expected after '\"'); double the quotes inside a quoted field "
                '("") and close every quoted field'
            ),
        ),
        ("a,b,a\n1,2,3\n", "data.csv has two columns called 'a'; rename one"),
        ("a,b\n", "data.csv has no rows; give at least one"),
        ("", "data.csv has no rows; give at least one"),
        (
            "frage;antwort\nWo?;käse\n".encode("cp1252"),
            "data.csv:2: byte 6 of the line (0xe4) is not UTF-8; " + AS_UTF8,
        ),
        (
            "q;a\nx;y\n".encode("utf-16"),
            "data.csv:1: byte 1 of the line (0xff) is not UTF-8; the file looks like UTF-16; " + AS_UTF8,
        ),
        (
            "q;a\nx;y\n".encode("utf-16-le"),
            "data.csv:1: the file looks like UTF-16; " + AS_UTF8,
        ),
        (
            'question,retrieved_ids\nq,"d1, d2"\n',
            (
                "data.csv:2: 'retrieved_ids' (read as retrieved_documents) holds the text 'd1, d2'; "
                "expected a list of document ids or Documents; fix the row, or name its meaning with "
                "read_dataset(..., mapping={'retrieved_ids': 'NAME'})"
            ),
        ),
    ],
)
def test_csv_that_cannot_be_read_is_named_by_line(write, refusal, content, message):
    assert refusal(write("data.csv", content)) == message


SEMICOLONS = {
    "semicolons": ("question;x\nq, r;0,75\n", {"questions": ["q, r"], "x": [0.75]}),
    "semicolons and points": ("a;x\n1;0.75\n2;1\n", {"a": [1, 2], "x": [0.75, 1.0]}),
    "whole and decimal": ("a;x\n-3;1\n4;\n5;-1,5e3\n", {"a": [-3, 4, 5], "x": [1.0, None, -1500.0]}),
    "commas and points": ("a;x\n1;0,5\n2;0.5\n", {"a": [1, 2], "x": ["0,5", "0.5"]}),
    "thousands": ("a;x\n1;1.234,5\n", {"a": [1], "x": ["1.234,5"]}),
    "lists of numbers": ("a;x\n1;1,2,3\n", {"a": [1], "x": ["1,2,3"]}),
    "codes": ("a;x\n1;007,5\n", {"a": [1], "x": ["007,5"]}),
    "decimal commas between commas": ('a,x\n1,"0,75"\n', {"a": [1], "x": ["0,75"]}),
    "answers": (
        "response;reference\n0,75;1\n",
        {"predicted_answers": ["0,75"], "ground_truth_answers": ["1"]},
    ),
    "label sets": (
        "ground_truths;predictions\n1,2;3,4\n",
        {"ground_truths": ["1,2"], "predictions": ["3,4"]},
    ),
    "quoted separators": ('a;"b;c"\n1;"x;y"\n', {"a": [1], "b;c": ["x;y"]}),
    "quoted commas in the header": ('"a,b";"c,d,e"\n1;2\n', {"a,b": [1], "c,d,e": [2]}),
    "a comma in a name": (
        "Frage;Antwort, kurz;Note\nq;a;1\n",
        {"Frage": ["q"], "Antwort, kurz": ["a"], "Note": [1]},
    ),
    "a semicolon in a name": ("id,note; long,x\n7,a;b,1\n", {"note; long": ["a;b"], "x": [1]}),
    "a break in a name": ('"a\n, b";c\n1;2\n', {"a\n, b": [1], "c": [2]}),
    "one column": ("question\n1;2\n", {"questions": ["1;2"]}),
    "one quoted column": ('"a;b"\n1\n', {"a;b": [1]}),
    "one column of texts with commas": ('question\n"q, r"\n', {"questions": ["q, r"]}),
    "tabs": ("question\tx\nq, r\t1\n", {"questions": ["q, r"], "x": [1]}),
    "bars": ("question|x\nq; r|1\n", {"questions": ["q; r"], "x": [1]}),
    "a line for Excel": ("sep=;\r\na;x\r\n1;0,5\r\n", {"a": [1], "x": [0.5]}),
    "a line for Excel with another sign": ("sep=,\na,x;y;z\n1,2\n", {"a": [1], "x;y;z": [2]}),
    "a byte order mark": ("\ufeffquestion;x\nq;1\n", {"questions": ["q"], "x": [1]}),
    "blank lines first": ("\n\na;b\n1;2\n", {"a": [1], "b": [2]}),
    "a line separator in a name": ("a\u2028;b\n1;2\n", {"a": [1], "b": [2]}),
}


@pytest.mark.parametrize("header", ["y_true;predictions", "y_true;y_score", "y_true;probability"])
def test_probabilities_of_labels_may_have_decimal_commas(write, header):
    path = write("data.csv", f"{header}\nspam;0,75\nham;0,5\n")
    assert list(read_labels(path, positive="spam").column("predictions")) == [
        {"spam": 0.75, "ham": 0.25},
        {"spam": 0.5, "ham": 0.5},
    ]


@pytest.mark.parametrize("case", SEMICOLONS)
def test_the_header_shows_what_separates_the_fields(write, monkeypatch, case):
    content, expected = SEMICOLONS[case]
    assert columns(read_dataset(write("data.csv", content))) == expected
    assert columns(read_dataset(write("data.csv.gz", content))) == expected
    use_small_blocks(monkeypatch, 1)
    assert_same("data.csv")
    assert_same("data.csv.gz")


def test_a_row_of_another_width_is_named_by_its_line_below_the_line_for_excel(refusal, write, monkeypatch):
    message = "data.csv:4: 1 field where the header has 2: none for 'b'; fill up the row"
    assert refusal(write("data.csv", "sep=;\na;b\n1;2\n3\n")) == message
    use_small_blocks(monkeypatch, 1)
    assert assert_same("data.csv") == message


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(write, end):
    assert columns(read_dataset(write("data.csv", f"question,x{end}a,1{end}b,2{end}"))) == {
        "questions": ["a", "b"],
        "x": [1, 2],
    }
    with pytest.raises(InputError, match=r"data\.csv:3: 3 fields where the header has 2"):
        read_dataset(write("data.csv", f"question,x{end}a,1{end}b,2,3{end}"))


def test_an_empty_cell_is_missing_as_in_every_other_format(write):
    frame = pd.DataFrame(
        {"question": ["q", "r"], "response": ["a", None], "note": [None, "x"], "score": [None, 1]}
    )
    path = write("data.csv", frame.to_csv(index=False))
    found = read_dataset(path)
    assert columns(found) == columns(read_dataset(frame))
    assert columns(found)["predicted_answers"] == ["a", None]


def test_an_empty_cell_may_be_told_to_be_a_text(write):
    path = write("data.csv", "question,response,contexts,note,score\nq,,,,\nr,a,c,x,1\n")
    assert columns(read_dataset(path, empty_cells="text")) == {
        "questions": ["q", "r"],
        "predicted_answers": ["", "a"],
        "contexts": [None, ["c"]],
        "note": ["", "x"],
        "score": [None, 1],
    }
    with pytest.raises(InputError, match=r"empty_cells='null' is unknown; choose one of missing, text"):
        read_dataset(path, empty_cells="null")


def test_a_metric_leaves_out_what_an_empty_cell_lacks(write):
    path = write("data.csv", "question,answer,reference\nq,,x\nr,x,x\n")
    message = evaluate(["exact_match"], read_dataset(path)).metric("exact_match")
    assert (message.value, message.coverage) == (1.0, "1/2")
    message = evaluate(["exact_match"], read_dataset(path, empty_cells="text")).metric("exact_match")
    assert (message.value, message.coverage) == (0.5, "2/2")
