from thresher.datasets import read_dataset


def columns(dataset):
    return {name: list(column) for name, column in dataset.columns.items()}


def test_each_key_of_an_object_is_a_column():
    rows = [{"recorded_scores": {"faithfulness": 0.9, "sas": 1}}, {"recorded_scores": {"sas": None}}, {}]
    assert columns(read_dataset(rows)) == {"faithfulness": [0.9, None, None], "sas": [1, None, None]}


def test_objects_are_flattened_to_the_last_key():
    assert columns(read_dataset([{"run": {"scores": {"f": 1}, "model": "m"}}])) == {"f": [1], "model": ["m"]}


def test_a_key_that_is_not_free_is_written_with_those_above_it():
    row = {
        "question": "q",
        "faithfulness": 0,
        "a": {"x": 1, "faithfulness": 2, "questions": "named like a socket"},
        "b-2": {"x": 3},
        "1": {"x": 4},
    }
    assert columns(read_dataset([row])) == {
        "questions": ["q"],
        "faithfulness": [0],
        "a_x": [1],
        "a_faithfulness": [2],
        "a_questions": ["named like a socket"],
        "b_2_x": [3],
        "_1_x": [4],
    }


def test_what_a_nested_key_means_is_not_guessed_but_may_be_mapped():
    rows = [{"id": 1, "meta": {"query": "n", "id_": 5}, "inputs": {"text": "q"}}]
    dataset = read_dataset(rows, mapping={"text": "questions"})
    assert columns(dataset) == {"questions": ["q"], "query": ["n"], "id_": [5]}


def test_mapped_objects_mixed_columns_and_empty_objects_stay_whole():
    rows = [
        {"meta": {"a": 1}, "mixed": {"b": 1}, "none": {}},
        {"meta": {"a": 2}, "mixed": "text", "none": None},
    ]
    assert columns(read_dataset(rows, mapping={"meta": "my_meta"})) == {
        "my_meta": [{"a": 1}, {"a": 2}],
        "mixed": [{"b": 1}, "text"],
        "none": [{}, None],
    }


def test_values_of_known_columns_stay_whole():
    row = {"answers": {"text": ["a"]}, "expected_ids": {"d1": 1}}
    assert columns(read_dataset([row])) == {
        "ground_truth_answers": [["a"]],
        "ground_truth_documents": [{"d1": 1}],
    }


def test_objects_keyed_by_data_stay_whole():
    rows = [{"score_by_document": {f"d{row}": 1.0}} for row in range(1001)]
    assert list(read_dataset(rows).columns) == ["score_by_document"]


def test_two_columns_that_come_out_under_one_name_are_refused(refusal):
    row = {"a": {"b_c": 1, "x": 1}, "a_b": {"c": 2, "x": 2}, "c": 0, "b_c": 0}
    assert refusal([row]) == "the data: 'a.b_c' and another column both become 'a_b_c'; rename one"


def test_the_origin_of_exported_items_stays_whole_so_that_old_scores_are_no_columns():
    rows = [{"question": "q", "_thresher": {"run": "first", "scores": {"token_f1": 0.5}}}]
    assert columns(read_dataset(rows)) == {"questions": ["q"], "_thresher": [rows[0]["_thresher"]]}
