"""Pipeline files of others send secrets of the environment only where the user allows it."""

import json
from pathlib import Path

import pytest
import yaml

import thresher
from answer_files import cli
from judges.mock_server import MockServer, running
from thresher.components import ValorCoherenceEvaluator

OPENAI = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
EMBEDDER = "haystack.components.embedders.openai_text_embedder.OpenAITextEmbedder"
REPLY = '{"reason": "r", "rating": 4}'
RUN = ("run", "theirs.yaml", "--data", "d.jsonl", "--out", "r", "--quiet", "--no-cache")


@pytest.fixture
def server():
    mock = MockServer(replies=[lambda _: REPLY])
    with running(mock) as url:
        mock.url = url
        yield mock


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_DB_PASSWORD", "hunter2")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    Path("d.jsonl").write_text('{"response": "a"}\n{"response": "b"}\n')
    return tmp_path


def variable(name):
    return {"type": "env_var", "env_vars": [name], "strict": True}


def write_file(url, **options):
    """Write the file of the report: a judge at `url`, with the default key unless `options` name another."""
    built = yaml.safe_load(thresher.build([ValorCoherenceEvaluator()]).dumps())
    options = {"model": "m", "api_base_url": url, **options}
    judge = {"type": OPENAI, "init_parameters": options}
    (component,) = (part for part in built["components"].values() if "Coherence" in part["type"])
    component["init_parameters"]["chat_generator"] = judge
    Path("theirs.yaml").write_text(yaml.safe_dump(built))


def sent(server):
    return {headers.get("authorization") for headers in server.headers}


def refusal(capsys, *words):
    line = cli(capsys, *words, code=2)
    assert line.count("\n") == 1
    return line


@pytest.mark.parametrize("key", [{"api_key": variable("MY_DB_PASSWORD")}, {}], ids=["any", "default"])
@pytest.mark.parametrize(
    "verb", [RUN, ("estimate", "theirs.yaml", "--data", "d.jsonl")], ids=["run", "estimate"]
)
def test_no_variable_is_sent_to_an_address_that_only_the_file_names(server, place, capsys, key, verb):
    write_file(server.url, **key)
    line = refusal(capsys, *verb)
    name = "MY_DB_PASSWORD" if key else "OPENAI_API_KEY"
    assert f"theirs.yaml would send {name} to {server.url.removesuffix('/v1')}: add --trust" in line
    assert "--judge-url" in line
    assert not server.bodies
    assert not Path("r").exists()


def test_a_trusted_file_sends_them(server, place, capsys):
    write_file(server.url, api_key=variable("MY_DB_PASSWORD"))
    cli(capsys, *RUN, "--trust")
    assert sent(server) == {"Bearer hunter2"}
    assert thresher.open_run("r").complete


def test_every_continuation_needs_the_trust_again(server, place, capsys):
    write_file(server.url, api_key=variable("MY_DB_PASSWORD"))
    server.reset(rejects_after=1)
    cli(capsys, *RUN, "--trust", "--max-calls", "1", code=3)
    server.reset(rejects_after=None)
    assert "MY_DB_PASSWORD" in refusal(capsys, *RUN)
    assert not server.bodies
    cli(capsys, *RUN, "--trust")
    assert thresher.open_run("r").complete


def test_the_judge_of_the_command_line_replaces_the_one_in_the_file(server, place, capsys):
    write_file("http://127.0.0.1:9/v1", api_key=variable("MY_DB_PASSWORD"))
    cli(capsys, *RUN, "--judge-model", "m", "--judge-url", server.url)
    assert sent(server) == {"Bearer sk-own"}


def test_an_embedder_may_use_the_address_and_the_key_of_the_named_judge_only(server, place, capsys):
    part = {
        "type": "thresher.components.text.semantic_similarity.SemanticSimilarityEvaluator",
        "init_parameters": {"embedder": {"type": EMBEDDER, "init_parameters": {"api_base_url": server.url}}},
    }
    built = yaml.safe_load(thresher.build([ValorCoherenceEvaluator()]).dumps())
    Path("theirs.yaml").write_text(
        yaml.safe_dump({**built, "components": {**built["components"], "similarity": part}})
    )
    Path("d.jsonl").write_text(json.dumps({"response": "a", "reference": "a"}))
    estimate = ("estimate", "theirs.yaml", "--data", "d.jsonl", "--skip-missing")
    named = ("--judge-model", "m", "--judge-url")
    assert "OPENAI_API_KEY" in refusal(capsys, *estimate)
    assert "OPENAI_API_KEY" in refusal(capsys, *estimate, *named, "http://127.0.0.1:9/v1")
    assert "OPENAI_API_KEY" in refusal(capsys, *estimate, *named, server.url, "--judge-key", "OTHER")
    refused = refusal(capsys, *estimate, *named, "http://127.0.0.1:9/v1")
    assert "another judge" not in refused


def test_a_file_of_a_shipped_recipe_needs_no_trust(place, capsys):
    Path("theirs.yaml").write_text(thresher.load_recipe("rag").dumps())
    Path("d.jsonl").write_text('{"question": "q", "response": "a", "contexts": ["c"], "reference": "a"}')
    cli(capsys, "estimate", "theirs.yaml", "--data", "d.jsonl", "--skip-missing")
