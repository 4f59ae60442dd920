"""Tables of labels and scores."""

import pytest

from thresher.datasets import read_labels
from thresher.errors import InputError


def table(folder, text, **options):
    path = folder / "t.csv"
    path.write_text(text)
    data = read_labels(path, **options)
    return {name: list(column) for name, column in data.columns.items()}


def test_scores_of_labels_become_one_entry_and_empty_cells_are_not_listed(tmp_path):
    found = table(tmp_path, "label,note,score_cat,score_dog\ncat,x,0.9,0.1\ndog,y,,0.8\ndog,z,,\n")
    assert found == {
        "ground_truths": ["cat", "dog", "dog"],
        "note": ["x", "y", "z"],
        "predictions": [{"cat": 0.9, "dog": 0.1}, {"dog": 0.8}, None],
    }


@pytest.mark.parametrize("prefix", ["score_", "prob_", "proba_", "probability_"])
def test_columns_of_scores_are_known_by_their_beginning(tmp_path, prefix):
    found = table(tmp_path, f"label,{prefix}a,{prefix}b\na,1,0\n")
    assert found["predictions"] == [{"a": 1, "b": 0}]


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("y_true,y_pred", ["a", "b"]),
        ("Label,Prediction", ["a", "b"]),
        ("target,predicted", ["a", "b"]),
        ("ground_truth,predicted_class", ["a", "b"]),
        ("ground_truths,predictions", ["a", "b"]),
    ],
)
def test_names_of_true_and_predicted_labels(tmp_path, header, wanted):
    found = table(tmp_path, f"{header}\na,b\n")
    assert [found["ground_truths"][0], found["predictions"][0]] == wanted


def test_what_a_column_is_may_be_said(tmp_path):
    mapping = {"x": "ground_truths", "y": "predictions"}
    found = table(tmp_path, "x,y,label\n01,1,note\n", mapping=mapping)
    assert found == {"ground_truths": ["01"], "predictions": ["1"], "label": ["note"]}


def test_the_score_of_the_predicted_label(tmp_path):
    found = table(tmp_path, "label,prediction,confidence\na,b,0.5\na,,0.5\na,a,\n")
    assert found == {"ground_truths": ["a", "a", "a"], "predictions": [{"b": 0.5, "a": 0.5}, None, "a"]}


def test_objects_written_in_cells(tmp_path):
    found = table(tmp_path, 'label,scores\na,"{""a"": 0.5, ""b"": 0.25}"\n')
    assert found["predictions"] == [{"a": 0.5, "b": 0.25}]


def test_only_the_first_rows(tmp_path):
    assert table(tmp_path, "label,prediction\na,a\nb,b\n", limit=1)["predictions"] == ["a"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("label,size\na,1\n", {}, "no column of predicted labels or scores: it has 'label', 'size'"),
        ("guess,score_a\na,1\n", {}, "no column of true labels: it has 'guess', 'score_a'"),
        ("tags,y_pred\na;b,a\n", {}, "name it .*; items with several labels have the recipe multilabel_"),
        ("label,size\na,1\n", {"scores": "p_"}, "no column begins with --scores 'p_'"),
        ("label,score_a\na,x\n", {}, "item 'row-1': score_a is 'x'; give the score as a number"),
    ],
)
def test_tables_that_lack_something_are_named(tmp_path, text, options, message):
    with pytest.raises(InputError, match=message):
        table(tmp_path, text, **options)


@pytest.mark.parametrize(
    ("text", "truths", "predictions"),
    [
        ("label,prediction\n0.0,0\n,1\n1.0,1\n", ["0", None, "1"], ["0", "1", "1"]),
        ("label,prediction\n0,0.0\n1,1.00\n", ["0", "1"], ["0", "1"]),
        ("label,score_0,score_1\n1.0,0.2,0.8\n", ["1"], [{"0": 0.2, "1": 0.8}]),
        ("label,prediction\n1.0,1.0\n2.0,1.0\n", ["1.0", "2.0"], ["1.0", "1.0"]),
        ("label,prediction\n1.0,v1\n2.5,1\n", ["1.0", "2.5"], ["v1", "1"]),
    ],
)
def test_whole_numbers_written_as_decimals_meet_those_that_are_not(tmp_path, text, truths, predictions):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    data = read_labels(path)
    assert list(data.column("ground_truths")) == truths
    assert list(data.column("predictions")) == predictions
