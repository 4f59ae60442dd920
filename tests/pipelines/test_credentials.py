"""Credentials of a judge are sent, and are in no file of a run, cache or report."""

import base64
import contextlib
import json
import re

import pytest
from haystack import Pipeline
from haystack.components.generators.chat import FallbackChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret

from judges.mock_server import MockServer, Settings, running
from thresher import InputError, build, evaluate, open_run
from thresher.cli import main
from thresher.components import SemanticSimilarityEvaluator, ValorCoherenceEvaluator
from thresher.judges import asking, estimating

DATA = {"response": ["a", "b"]}
REPLY = '{"reason": "r", "rating": 4, "opinions": []}'
MARK = re.compile(rb"(?i)mark[a-z]+mark")
OPTIONS = {
    "temperature": 0,
    "max_tokens": 77,
    "extra_headers": {
        "Authorization": "Bearer markHEADERmark",
        "X-Api-Key": "markKEYmark",
        "X-Title": "shown",
    },
    "extra_query": {"code": "markQUERYmark"},
    "extra_body": {"gateway": {"routes": [{"client_secret": "markNESTEDmark"}]}},
}


@pytest.fixture
def server():
    mock = MockServer(replies=[lambda _: REPLY])
    with running(mock):
        yield mock


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "markENVmark")
    return Secret.from_env_var("JUDGE_KEY")


def judge(url, key, options=OPTIONS, **others):
    return OpenAIChatGenerator(key, "m", api_base_url=url, generation_kwargs=options, **others)


def with_user(url):
    return url.replace("://", "://user:markUSERmark@")


def leaks(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return {str(path): found for path in files if (found := set(MARK.findall(path.read_bytes())))}


def reported(run, folder):
    for form in ("html", "json", "csv", "markdown"):
        with contextlib.suppress(SystemExit):
            assert main(["report", str(run), "--format", form, "-o", str(folder / f"report.{form}")]) == 0
        assert (folder / f"report.{form}").stat().st_size > 0


@pytest.mark.parametrize("source", ["environment", "token"])
def test_no_file_of_a_run_has_a_credential_and_the_server_gets_all(server, key, tmp_path, capsys, source):
    key = key if source == "environment" else Secret.from_token("markTOKENmark")
    asked = judge(
        f"{server.url}?u=markURLmark", key, http_client_kwargs={"headers": {"Cookie": "markCOOKIEmark"}}
    )
    with asking(cache=tmp_path / "answers.sqlite"):
        results = evaluate([ValorCoherenceEvaluator(asked)], DATA, out=tmp_path / "run")
    assert results.metrics["valor_coherence"].value == 4
    reported(tmp_path / "run", tmp_path)
    assert leaks(tmp_path) == {}
    assert not MARK.search(repr(results.provenance).encode())
    assert not MARK.search("".join(capsys.readouterr()).encode())
    signature = str(open_run(tmp_path / "run").results[0].measures[0].signature)
    assert "max_tokens=77" in signature
    assert "'X-Title': 'shown'" in signature
    assert "'Authorization': '<redacted:" in signature
    sent = [head for head in server.headers if "/v1" in head[":path"]]
    assert {head["authorization"] for head in sent} == {"Bearer markHEADERmark"}
    assert {head["x-api-key"] for head in sent} == {"markKEYmark"}
    assert {head["cookie"] for head in sent} == {"markCOOKIEmark"}
    assert all("code=markQUERYmark" in head[":path"] for head in sent)
    assert {body["gateway"]["routes"][0]["client_secret"] for body in server.bodies} == {"markNESTEDmark"}


def test_a_url_with_user_information_on_the_command_line(server, tmp_path, capsys):
    (tmp_path / "d.jsonl").write_text('{"response": "a"}\n')
    run = ["run", "safety", "--data", str(tmp_path / "d.jsonl"), "--out", str(tmp_path / "run")]
    run += ["--judge-model", "m", "--judge-url", with_user(server.url)]
    assert main(run) == 0
    calls = server.calls
    assert calls > 0
    assert main(run) == 0  # the same command is the same run
    assert server.calls == calls
    reported(tmp_path / "run", tmp_path)
    assert leaks(tmp_path) == {}
    assert not MARK.search("".join(capsys.readouterr()).encode())
    wanted = base64.b64encode(b"user:markUSERmark").decode()
    assert {head.get("authorization") for head in server.headers} == {f"Basic {wanted}"}


def test_another_credential_is_another_pipeline(server, key, tmp_path):
    for number, secret in enumerate(("first", "second")):
        options = {"extra_headers": {"Authorization": secret}}
        evaluate([ValorCoherenceEvaluator(judge(server.url, key, options))], DATA, out=tmp_path / str(number))
    first, second = (open_run(tmp_path / str(number)) for number in range(2))
    assert first.provenance["pipeline"] != second.provenance["pipeline"]
    assert first.results[0].measures[0].signature.differences(second.results[0].measures[0].signature)


def test_failures_and_problems_have_no_credential(server, key, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.01)
    server.settings = Settings(
        rejects_after=0, rejects_with=400, error={"message": "bad: Bearer markECHOmark"}
    )
    evaluate([ValorCoherenceEvaluator(judge(server.url, key))], DATA, out=tmp_path / "run")
    reasons = open_run(tmp_path / "run").results[0].reasons
    assert "bad: Bearer <redacted:" in reasons[0]
    gone = judge("http://user:markUSERmark@127.0.0.1:1/v1?key=markQUERYmark", key, {})
    with asking(cache=False), pytest.warns(UserWarning, match="judge"):
        evaluate([ValorCoherenceEvaluator(gone)], {"response": ["a"]}, out=tmp_path / "gone")
    assert leaks(tmp_path) == {}
    for url in ("user:markUSERmark@host/v1", "ftp://user:markUSERmark@host?key=markQUERYmark"):
        words = ["estimate", "safety", "--data", str(tmp_path / "none.jsonl"), "--judge-model", "m"]
        assert main([*words, "--judge-url", url]) == 2
    shown = "".join(capsys.readouterr())
    assert not MARK.search(shown.encode()), shown


def test_a_pipeline_file_with_credentials_sends_them(server, key, tmp_path, capsys):
    pipeline = build([ValorCoherenceEvaluator(judge(server.url, key))])
    own = tmp_path / "own.yaml"
    own.write_text(pipeline.dumps())
    (tmp_path / "d.jsonl").write_text(json.dumps({"response": "a"}) + "\n")
    run = ["run", str(own), "--trust", "--data", str(tmp_path / "d.jsonl")]
    run += ["--out", str(tmp_path / "runs" / "a")]
    assert main(run) == 0
    assert {head["authorization"] for head in server.headers} == {"Bearer markHEADERmark"}
    assert leaks(tmp_path / "runs") == {}
    stored = tmp_path / "stored.yaml"
    stored.write_text(open_run(tmp_path / "runs" / "a").provenance["pipeline_yaml"])
    capsys.readouterr()
    calls = server.calls
    again = ["run", str(stored), "--data", str(tmp_path / "d.jsonl"), "--out", str(tmp_path / "runs" / "b")]
    assert main(again) == 2
    problem = capsys.readouterr().err
    assert "stored.yaml" in problem
    assert "routes.0.client_secret holds the fingerprint of a credential that was not stored" in problem
    assert server.calls == calls


def test_a_stored_pipeline_loaded_by_haystack_asks_nobody(server, key, tmp_path):
    results = evaluate([ValorCoherenceEvaluator(judge(with_user(server.url), key, {}))], DATA)
    calls = server.calls
    text = results.provenance["pipeline_yaml"]
    loaded = Pipeline.loads(text, allowed_modules=["thresher"])
    for out in (None, tmp_path / "run"):
        with pytest.raises(InputError, match=r"api_base_url holds the fingerprint of a credential"):
            evaluate(loaded, DATA, out=out)
    stored = judge(f"{server.url}", key, {"extra_headers": {"X-Key": "<redacted:3f9a>"}})
    for source in (stored, FallbackChatGenerator([stored])):
        metric = ValorCoherenceEvaluator(source)
        with pytest.raises(InputError, match=r"extra_headers\.X-Key holds the fingerprint"):
            metric.run(["a"])
        with estimating(), pytest.raises(InputError, match="fingerprint"):
            metric.run(["a"])
    assert server.calls == calls
    assert not (tmp_path / "run").exists()


def test_a_component_named_like_a_credential_keeps_its_options():
    results = evaluate(
        build({"secret_token": SemanticSimilarityEvaluator()}), {"answer": ["a"], "reference": ["a"]}
    )
    loaded = Pipeline.loads(results.provenance["pipeline_yaml"], allowed_modules=["thresher"])
    assert "secret_token" in loaded.graph.nodes
    assert "<redacted" not in results.provenance["pipeline_yaml"]
