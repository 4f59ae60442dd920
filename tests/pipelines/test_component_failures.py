from pathlib import Path

import pytest
from haystack import Pipeline, component
from haystack.core.errors import DeserializationError, PipelineRuntimeError
from referencing.exceptions import Unresolvable

from thresher import InputError, build
from thresher.cli import main
from thresher.components import JsonSchemaEvaluator
from thresher.pipelines.component_failures import component_failure, root_cause

RETRIEVER = "haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever"
STORE = "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore"


def test_the_component_that_cannot_be_created_is_named_with_the_cause():
    part = {"type": RETRIEVER, "init_parameters": {"top_k": "three", "document_store": {"type": STORE}}}
    part["init_parameters"]["document_store"]["init_parameters"] = {}
    with pytest.raises(DeserializationError) as caught:
        Pipeline.from_dict({"components": {"search": part}, "connections": []})
    shown = component_failure(caught.value)
    assert shown.startswith("search (InMemoryBM25Retriever): TypeError: '<=' not supported")
    assert "\n" not in shown


@component
class Fails:
    def __init__(self, error):
        self.error = error

    @component.output_types(text=str)
    def run(self, text: str):  # noqa: ARG002  # Haystack needs an input
        raise self.error


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ValueError("no\n such  thing"), "part: ValueError: no such thing"),
        (TimeoutError(), "part: TimeoutError"),
        (InputError("give a text"), "part: give a text"),
    ],
)
def test_the_component_that_fails_in_a_run_is_named_with_the_cause(error, shown):
    pipeline = Pipeline()
    pipeline.add_component("part", Fails(error))
    with pytest.raises(PipelineRuntimeError) as caught:
        pipeline.run({"part": {"text": ""}})
    assert component_failure(caught.value) == shown
    assert root_cause(caught.value) is error


def test_the_command_line_names_the_component_that_raises_a_frozen_error(tmp_path, monkeypatch, capsys):
    def check(_):
        raise Unresolvable(ref="no such thing")

    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(build([JsonSchemaEvaluator(schema={})]).dumps())
    Path("d.jsonl").write_text('{"response": "{}"}\n')
    monkeypatch.setattr("thresher.components.checks.json_schema.schema_check", lambda _: check)
    assert main(["run", "p.yaml", "--data", "d.jsonl", "--out", "r"]) == 3
    assert "json_schema failed: Unresolvable: no such thing" in capsys.readouterr().err


def test_without_a_component_the_message_is_shown_alone():
    assert component_failure(ValueError("wrong connection")) == "wrong connection"
    assert component_failure(ValueError()) == "ValueError"
