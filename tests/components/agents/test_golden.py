"""The metrics reproduce their origins on the golden cases, from conversations to scores."""

import pytest

from kernels.tool_calls.golden import cases
from thresher.components import metric_class

CALLS = "reference_tool_calls"


def column(steps, *, all_results=True):
    """A conversation in OpenAI's layout: a question, per step calls and results, and a last reply."""
    messages = [{"role": "user", "content": "go"}]
    for number, step in enumerate(steps):
        calls = [
            {"id": f"c{number}.{place}", "function": {"name": call["name"], "arguments": call["args"]}}
            for place, call in enumerate(step)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": made["id"], "content": call.get("output")}
            for made, call in zip(calls, step, strict=True)
            if all_results or "output" in call
        ]
    return [*messages, {"role": "assistant", "content": "done"}]


def inputs(name, references=CALLS):
    golden = cases(name)
    expected = [
        column(case["expected"])
        if references == "reference_conversations"
        else [call for step in case["expected"] for call in step]
        for case in golden
    ]
    return {
        "conversations": [column(case["called"], all_results=references != CALLS) for case in golden],
        references: expected,
    }


def assert_reproduced(name, key, columns, metric, **options):
    expected = [float(case["expect"][key]) for case in cases(name)]
    assert metric_class(metric)(**options).run(**columns)["individual_scores"] == pytest.approx(
        expected, abs=1e-12
    )


def test_ragas():
    columns = inputs("tool_calls_ragas")
    assert_reproduced("tool_calls_ragas", "f1", columns, "ragas_tool_call_f1")
    for key, order in (("accuracy_strict", "ordered"), ("accuracy_flexible", "any")):
        assert_reproduced("tool_calls_ragas", key, columns, "ragas_tool_call_accuracy", order=order)


def test_deepeval():
    columns = inputs("tool_calls_deepeval")
    for order in ("any", "ordered", "exact"):
        for fields in ("names", "arguments", "arguments-output"):
            key = f"{order.replace('any', 'any_order')}.{fields.replace('-', '_')}"
            options = {"order": order, "fields": fields}
            assert_reproduced("tool_calls_deepeval", key, columns, "deepeval_tool_correctness", **options)


def test_agentevals():
    columns = inputs("trajectories_agentevals", "reference_conversations")
    for key in cases("trajectories_agentevals")[0]["expect"]:
        mode, arguments = key.split(".")
        options = {"mode": mode, "arguments": arguments}
        assert_reproduced("trajectories_agentevals", key, columns, "agentevals_trajectory_match", **options)


@pytest.mark.parametrize(
    ("metric", "key", "options"),
    [
        ("tool_call_precision", "precision", {}),
        ("tool_call_recall", "recall", {}),
        ("tool_call_f1", "f1", {}),
        ("tool_call_recall", "matched_names", {"arguments": "ignore"}),
        ("tool_call_recall", "matched_arguments", {"arguments": "share"}),
        ("tool_call_recall", "ordered_arguments", {"arguments": "share", "order": "ordered"}),
    ],
)
def test_the_definitions(metric, key, options):
    expected = [case["expect"][key] for case in cases("tool_calls_definitions")]
    result = metric_class(metric)(**options).run(**inputs("tool_calls_definitions"))
    expected = [float("nan") if score is None else score for score in expected]
    assert result["individual_scores"] == pytest.approx(expected, nan_ok=True)
