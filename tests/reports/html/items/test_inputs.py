from thresher import EvaluationResults
from thresher.reports.html.items.inputs import _aligned


def run(**inputs):
    return EvaluationResults.from_dict(
        {"inputs": {"id": ["1"], **inputs}, "metrics": [{"name": "m", "scores": [1]}]}
    )


def test_columns_that_play_one_part_have_one_name_in_all_runs():
    tables, parts, _ = _aligned([run(input=["q"], output=["a"]), run(question=["q"], response=["b"])])
    assert [{name: list(column) for name, column in table.items()} for table in tables] == [
        {"input": ["q"], "output": ["a"]},
        {"input": ["q"], "output": ["b"]},
    ]
    assert parts == {"input": "question", "output": "answer"}


def test_a_column_without_a_part_is_never_taken_for_one_of_another_run():
    first = run(question=["q"], response=["a"], label=["good"])
    second = run(question=["q"], prediction=["b"], label=["c"])
    tables, parts, _ = _aligned([first, second])
    assert [{name: list(column) for name, column in table.items()} for table in tables] == [
        {"question": ["q"], "response": ["a"], "label": ["good"]},
        {"question": ["q"], "response": ["b"], "label_2": ["c"]},
    ]
    assert parts == {"question": "question", "response": "answer", "label_2": "reference"}
