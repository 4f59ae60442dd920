"""Hayhooks serves the example pipeline; runs where Hayhooks is installed (docs/howto/haystack.md)."""

from pathlib import Path

import pytest

from thresher import EvaluationResults

pytest.importorskip("hayhooks", reason="Hayhooks is not installed; test_graphs.py serialises as it does")
YAML = Path(__file__).parents[3] / "examples/evaluation_with_gate.yaml"
BODY = {
    "answers": ["Paris", "the city of Rome", "x", "Oslo"],
    "references": ["Paris", "Rome", "Lima", "Oslo"],
    "ids": ["a", "b", "c", "d"],
}


@pytest.fixture
def client(monkeypatch, tmp_path):
    monkeypatch.setenv("HAYHOOKS_PIPELINES_DIR", str(tmp_path))
    from fastapi.testclient import TestClient
    from hayhooks.server.app import create_app

    return TestClient(create_app())


def answer(client, source):
    deployed = client.post(
        "/deploy-yaml", json={"name": "evaluation", "source_code": source, "overwrite": True}
    )
    assert deployed.status_code == 200, deployed.text
    response = client.post("/evaluation/run", json=BODY)
    assert response.status_code == 200, response.text
    return response.json()["result"]


def test_the_answer_holds_the_reports_and_the_gate(client):
    parts = answer(client, YAML.read_text(encoding="utf-8"))
    assert parts["reports"]["aggregate"]["metrics"]["token_f1"]["value"] == 0.625
    assert [row["id"] for row in parts["reports"]["below"]] == ["c"]
    assert parts["gate"]["outcome"] == "inconclusive"


def test_whole_results_are_answered_and_read_again(client):
    head, _, _ = YAML.read_text(encoding="utf-8").partition("outputs:")
    parts = answer(client, f"{head}outputs:\n  results: collector.results\n")
    results = EvaluationResults.from_dict(parts["collector"]["results"])
    assert results.metrics["token_f1"].value == 0.625
    assert results.ids == BODY["ids"]
