"""Evaluation pipelines with reports: from YAML alone, in one graph with a query pipeline, served, resumed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pydantic
import pytest
from haystack import Document, Pipeline, SuperComponent
from haystack.components.converters import OutputAdapter
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.core.errors import BreakpointException
from haystack.core.pipeline.breakpoint import load_pipeline_snapshot
from haystack.dataclasses.breakpoints import Breakpoint
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher import EvaluationResults, MetricResult, build
from thresher.pipelines.reporting import Gate, Reports

YAML = Path(__file__).parents[3] / "examples/evaluation_with_gate.yaml"
COLUMNS = {
    "ids": ["a", "b", "c", "d"],
    "predicted_answers": ["Paris", "the city of Rome", "x", "Oslo"],
    "ground_truth_answers": ["Paris", "Rome", "Lima", "Oslo"],
}


@pytest.fixture
def results():
    return build(["token_f1"]).run(COLUMNS)["collector"]["results"]


@pytest.mark.slow
def test_the_example_reports_from_yaml_alone():
    code = (
        "import json; from haystack import Pipeline; "
        f"out = Pipeline.load(open({str(YAML)!r})).run(json.loads({json.dumps(COLUMNS)!r})); "
        "out['gate'] = {name: value for name, value in out['gate'].items() if isinstance(value, str)}; "
        "print(json.dumps([out['reports'], out['gate']]))"
    )
    known = os.environ | {"HAYSTACK_DESERIALIZATION_ALLOWLIST": "thresher"}
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=known, check=True
    )
    reports, gate = json.loads(shown.stdout)
    report = reports["aggregate"]
    assert report["run"] == "candidate"
    assert report["metrics"]["token_f1"]["value"] == 0.625
    assert [row["id"] for row in reports["below"]] == ["c"]
    assert gate["outcome"] == "inconclusive"
    assert "| token_f1>=0.3 |" in gate["markdown"]


def test_the_example_in_a_super_component_is_loaded_again():
    pipeline = Pipeline.loads(YAML.read_text(encoding="utf-8"))
    inner = {"predicted_answers": "answers", "ground_truth_answers": "references"}
    mapping = {
        name: [f"{part}.{column}" for part in ("token_f1", "rouge", "collector")]
        for column, name in inner.items()
    }
    outputs = {"reports.aggregate": "report", "gate.outcome": "outcome", "gate.inconclusive": "results"}
    part = SuperComponent(pipeline=pipeline, input_mapping=mapping, output_mapping=outputs)
    again = SuperComponent.from_dict(part.to_dict())
    columns = {"answers": COLUMNS["predicted_answers"], "references": COLUMNS["ground_truth_answers"]}
    first, second = part.run(**columns), again.run(**columns)
    assert first["report"] == second["report"]
    assert first["results"].report().render("json") == json.dumps(
        first["report"], indent=2, ensure_ascii=False
    )


def query_and_evaluation():
    """A retriever, an extractive answer, and evaluators of both, in one graph."""
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="The tower has 48 metres."), Document(content="Rain fell.")])
    pipeline = build(["token_f1", "ragas_non_llm_context_recall"], run_name="live")
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("answer", OutputAdapter("{{ [documents[0].content] }}", list[str]))
    pipeline.add_component(
        "contexts", OutputAdapter("{{ [documents | map(attribute='content') | list] }}", list[list[str]])
    )
    pipeline.add_component("report", Reports(aggregate={}))
    pipeline.add_component("gate", Gate(["token_f1>=0.2"], decide_by="value"))
    pipeline.connect("retriever.documents", "answer.documents")
    pipeline.connect("retriever.documents", "contexts.documents")
    for part in ("token_f1", "collector"):
        pipeline.connect("answer.output", f"{part}.predicted_answers")
    for part in ("ragas_non_llm_context_recall", "collector"):
        pipeline.connect("contexts.output", f"{part}.contexts")
    pipeline.connect("collector.results", "report.results")
    pipeline.connect("collector.results", "gate.results")
    return pipeline


def test_a_query_pipeline_and_its_evaluators_run_in_one_graph():
    out = query_and_evaluation().run(
        {
            "query": "How high is the tower?",
            "ground_truth_answers": ["48 metres"],
            "ground_truth_contexts": [["The tower has 48 metres."]],
        }
    )
    assert out["report"]["aggregate"]["metrics"]["ragas_non_llm_context_recall"]["value"] == 1
    assert out["gate"]["outcome"] == "passed"
    assert out["gate"]["passed"].inputs["predicted_answers"] == ["The tower has 48 metres."]


@pytest.mark.parametrize("component", ["collector", "report"])
@pytest.mark.parametrize("in_file", [False, True])
def test_a_pipeline_resumes_before_the_collector_and_before_a_report(
    component, in_file, tmp_path, monkeypatch
):
    pipeline = build(["token_f1", "rouge"])
    pipeline.add_component("report", Reports(aggregate={}))
    pipeline.connect("collector.results", "report.results")
    expected = pipeline.run(COLUMNS)["report"]
    monkeypatch.setenv("HAYSTACK_PIPELINE_SNAPSHOT_SAVE_ENABLED", str(in_file).lower())
    point = Breakpoint(component, 0, snapshot_file_path=str(tmp_path) if in_file else None)
    with pytest.raises(BreakpointException) as caught:
        pipeline.run(COLUMNS, break_point=point)
    snapshot = caught.value.pipeline_snapshot
    if in_file:
        (path,) = tmp_path.glob("*.json")
        snapshot = load_pipeline_snapshot(path)
    assert pipeline.run({}, pipeline_snapshot=snapshot)["report"] == expected


def test_results_are_serialised_as_fastapi_and_hayhooks_do(results):
    nested = {"results": results, "parts": [results.results[0]], "more": {"x": results}}
    data = json.loads(pydantic.TypeAdapter(Any).dump_json(nested), parse_constant=pytest.fail)
    again = EvaluationResults.from_dict(data["results"])
    assert again.to_json() == results.to_json()
    assert MetricResult.from_dict(data["parts"][0]).score == results.results[0].score
    assert pydantic.TypeAdapter(Any).dump_python({"r": results}, mode="json")["r"]["run"] == results.name
