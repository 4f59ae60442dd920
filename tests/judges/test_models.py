import pytest
from haystack.core.serialization import component_from_dict, component_to_dict

from thresher.errors import InputError, MissingDependencyError
from thresher.judges import RecordedChatGenerator, asking, drive, extract, judge_named, prompt
from thresher.judges.local import LocalChatGenerator, LocalModelError, _replies
from thresher.judges.models import default_judge


def claims():
    return extract(prompt("valor/claims"), "claims", "It is.")


def test_the_default_judge_needs_no_key_to_be_made(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = default_judge()
    assert judge.generation_kwargs == {"temperature": 0, "seed": 42}
    assert judge.async_client is None


def test_a_judge_by_name_and_url_keeps_no_key(monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret")
    judge = judge_named(
        "small", "http://127.0.0.1:9/v1", key_variable="MY_KEY", generation_kwargs={"seed": 7}
    )
    told = component_to_dict(judge, "judge")
    assert (judge.model, judge.api_base_url) == ("small", "http://127.0.0.1:9/v1")
    assert judge.generation_kwargs == {"temperature": 0, "seed": 7}
    assert "secret" not in str(told)
    assert "MY_KEY" in str(told)


def test_a_server_of_one_s_own_needs_no_key(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = judge_named("mock", server.url)
    with asking(cache=True) as account:
        (outcome,) = drive([claims()], judge)
        assert outcome.value == ("It is.",)
        stored = component_from_dict(type(judge), component_to_dict(judge, "judge"), "judge")
        drive([claims()], stored)
    assert (account.calls, account.known, account.failures) == (1, 1, {})


def test_a_variable_that_is_named_for_a_server_must_be_set(server, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    judge = judge_named("mock", server.url, key_variable="MY_KEY")
    with pytest.raises(InputError, match=r"cannot be used: .*MY_KEY"):
        drive([claims()], judge)
    assert not server.calls


@pytest.mark.parametrize(
    "key", ["sk-Zq77-mistaken", "9f0e1d2c3b4a", "", "two words", "abcKEY12345xyz", "AKIAZQ77MISTAKEN"]
)
def test_a_key_instead_of_its_variable_is_refused_and_not_repeated(key):
    with pytest.raises(InputError, match="name no environment variable") as caught:
        judge_named("mock", "http://127.0.0.1:9/v1", key_variable=key)
    assert not key or key not in str(caught.value)


def test_names_that_mean_no_judge_are_told():
    with pytest.raises(InputError, match="name is empty"):
        judge_named("")
    with pytest.raises(InputError, match="runs without a url"):
        judge_named("gguf:model.gguf", "http://127.0.0.1:9/v1")
    with pytest.raises(InputError, match="must begin with http:// or https://"):
        judge_named("mock", "127.0.0.1:9/v1")
    with pytest.raises(InputError, match="recorded:demo runs without a url"):
        judge_named("recorded:demo", "http://127.0.0.1:9/v1")


def test_a_recording_is_a_judge_by_name(tmp_path):
    judge = judge_named(f"recorded:{tmp_path / 'none.json.gz'}")
    assert isinstance(judge, RecordedChatGenerator)
    with pytest.raises(InputError, match=r"the recording .*none\.json\.gz does not exist"):
        drive([claims()], judge)


def test_a_model_file_is_read_only_when_it_is_asked(tmp_path):
    judge = judge_named(f"gguf:{tmp_path / 'none.gguf'}")
    assert isinstance(judge, LocalChatGenerator)
    assert judge.model == "none"
    with pytest.raises(InputError, match=r"none\.gguf cannot be read"):
        drive([claims()], judge)
    other = tmp_path / "other.gguf"
    other.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="is not a GGUF model file"):
        drive([claims()], judge_named(f"gguf:{other}"))


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xllamacpp", None)
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF and more")
    with pytest.raises((InputError, MissingDependencyError), match=r"thresher\[local\]"):
        drive([claims()], judge_named(f"gguf:{model}"))


def test_local_judges_are_told_apart_and_stored(tmp_path):
    names = set()
    for content in (b"GGUF one", b"GGUF two"):
        path = tmp_path / "model.gguf"
        path.write_bytes(content)
        names.add(LocalChatGenerator(str(path)).model)
    assert len(names) == 2
    judge = LocalChatGenerator("m.gguf", {"temperature": 0}, context=100, threads=1, timeout=5.0)
    again = component_from_dict(LocalChatGenerator, judge.to_dict(), "judge")
    assert again.to_dict() == judge.to_dict()


class Engine:
    """Answers as xllamacpp's server does."""

    def handle_chat_completions(self, body):
        self.body = body
        if "long" in body["messages"][0]["content"]:
            return {"error": {"code": 400, "message": "request exceeds the available context size"}}
        choice = {"finish_reason": "stop", "message": {"content": '{"claims": ["x"]}'}}
        return {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}


def test_a_local_engine_is_asked_with_all_settings_and_its_refusals_are_told(tmp_path):
    from haystack.dataclasses import ChatMessage

    judge = LocalChatGenerator("m.gguf", {"temperature": 0})
    judge._server = Engine()
    (outcome,) = drive([claims()], judge)
    assert outcome.value == ("x",)
    assert judge._server.body["temperature"] == 0
    assert judge._server.body["response_format"]["type"] == "json_schema"
    assert outcome.replies[0].answer.prompt_tokens == 3
    with pytest.raises(LocalModelError, match="context size"):
        judge.run([ChatMessage.from_user("long")])
    assert (
        _replies({"choices": [{"finish_reason": "stop", "message": {"content": None}}]}, "m")["replies"][
            0
        ].text
        == ""
    )
    judge.close()
