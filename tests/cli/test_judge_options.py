"""`--judge-option`: generation settings of the judge, from the command line to its requests."""

import pytest
from haystack.components.generators.chat.openai import OpenAIChatGenerator

import thresher
from cli.test_judging import cli, judged, server, workplace  # noqa: F401  # fixtures
from thresher.cli.judge_options import add_options, judge_options
from thresher.components import metric_class
from thresher.errors import InputError


def pipeline_with(*judges):
    names = ("valor_coherence", "valor_bias", "valor_toxicity")
    return thresher.build([metric_class(name)(judge) for name, judge in zip(names, judges, strict=False)])


def test_values_are_json_or_text():
    texts = ["a=low", "b=1", "c=0.5", "d=null", 'e={"x": [true]}', "f=", 'g="1"', "h=x=y"]
    read = ["low", 1, 0.5, None, {"x": [True]}, "", "1", "x=y"]
    assert judge_options(texts) == dict(zip("abcdefgh", read, strict=True))
    assert judge_options(["i=NaN"]) == {"i": "NaN"}, "JSON has no such number"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["low"], "--judge-option low: write NAME=VALUE"),
        (["=low"], "--judge-option =low: write NAME=VALUE"),
        (["a=1", "a=2"], "--judge-option a: given twice"),
        (["a={1}"], r"--judge-option a: the value is not JSON: line 1"),
        (["extra_headers=Bearer x"], "--judge-option extra_headers: write a JSON object"),
        (["extra_body=[1]"], "--judge-option extra_body: write a JSON object"),
        (["model=x"], "--judge-option model: name the model with --judge-model"),
        (["n=2"], "--judge-option n: each request has one reply"),
    ],
)
def test_other_forms_and_settings_of_thresher_are_refused(texts, message):
    with pytest.raises(InputError, match=message):
        judge_options(texts)


def test_a_credential_in_a_broken_setting_is_not_repeated():
    with pytest.raises(InputError) as caught:
        judge_options(['extra_headers={"Authorization": "Bearer hdr-445566"'])
    assert "445566" not in str(caught.value)


def test_metrics_that_share_a_judge_share_the_changed_one_and_the_original_stays(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    one, other = OpenAIChatGenerator(generation_kwargs={"temperature": 0, "seed": 1}), OpenAIChatGenerator()
    pipeline = pipeline_with(one, one, other)
    add_options(pipeline, {"temperature": None, "reasoning_effort": "low"})
    judges = [part.chat_generator for _, part in pipeline.walk() if hasattr(part, "chat_generator")]
    assert [judge.generation_kwargs for judge in judges[:2]] == [{"seed": 1, "reasoning_effort": "low"}] * 2
    assert judges[0] is judges[1]
    assert judges[2].generation_kwargs == {"reasoning_effort": "low"}
    assert one.generation_kwargs == {"temperature": 0, "seed": 1}


def test_every_request_has_the_settings_and_the_signature_names_them(server, workplace, capsys):  # noqa: F811
    options = ["--judge-option", "reasoning_effort=low", "--judge-option", "temperature=null"]
    cli(capsys, *judged(server, "--out", "runs/a", *options))
    assert {body["reasoning_effort"] for body in server.bodies} == {"low"}
    assert not any("temperature" in body for body in server.bodies)
    calls = server.calls
    cli(capsys, *judged(server, "--out", "runs/b"))
    assert server.calls == 2 * calls, "answers with other settings are other answers"
    signatures = [
        {str(metric.measure.signature) for metric in thresher.open_run(f"runs/{name}").metrics.values()}
        for name in "ab"
    ]
    assert all("reasoning_effort" in signature for signature in signatures[0])
    assert not signatures[0] & signatures[1]


def test_a_judge_without_settings_and_a_pipeline_without_a_judge_are_refused(workplace, capsys):  # noqa: F811
    run = ["--data", "rag.jsonl", "--judge-option", "seed=1"]
    shown = cli(capsys, "run", "judged.yaml", *run, "--judge-model", "recorded:demo", code=2)
    assert "(RecordedChatGenerator) takes no generation settings" in shown
    shown = cli(capsys, "run", "--metrics", "token_f1", *run, code=2)
    assert "--judge-option: no metric of this pipeline calls a judge" in shown
