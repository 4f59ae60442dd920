import gzip
import runpy
from importlib.resources import files
from pathlib import Path

import pytest
from haystack.core.serialization import component_from_dict, component_to_dict
from haystack.dataclasses import ChatMessage, ToolCall

from thresher.errors import InputError
from thresher.judges import RecordedChatGenerator, Recording, asking, drive, extract, prompt
from thresher.judges.recorded import FOLDER
from thresher.results import Status


def claims(text="It is."):
    return extract(prompt("valor/claims"), "claims", text)


@pytest.fixture
def recorded(server, judge, tmp_path):
    recording = Recording("mock-1", about="made by a test")
    with asking(listener=recording.keep, cache=False):
        drive([claims()], judge())
    recording.save(tmp_path / "mine.json.gz")
    server.reset()
    return RecordedChatGenerator(str(tmp_path / "mine.json.gz"))


def test_what_was_recorded_is_replayed_and_says_so(server, recorded):
    with asking() as account:
        (outcome,) = drive([claims()], recorded)
    answer = outcome.replies[0].answer
    assert outcome.value == ("It is.",)
    assert (answer.model, answer.cached) == ("recorded:mock-1", True)
    assert (server.calls, account.calls, account.known) == (0, 0, 1)


def test_replays_are_equal_to_the_bit(recorded):
    first, second = (drive([claims()], recorded)[0].replies[0].evidence() for _ in range(2))
    assert first == second


def test_a_prompt_that_was_not_recorded_fails_and_is_named(recorded):
    (outcome,) = drive([claims("Another text.")], recorded)
    assert outcome.status is Status.FAILED
    assert "(of mock-1) has no answer to the prompt 'List the factual claims" in outcome.reason
    assert "record it again" in outcome.reason


def test_calls_of_tools_are_refused_because_they_would_share_a_reply(recorded):
    call = ToolCall("weather", {"city": "Lyon"})
    for message in (ChatMessage.from_assistant(tool_calls=[call]), ChatMessage.from_tool("12 degrees", call)):
        with pytest.raises(InputError, match="pass calls and their results as text"):
            recorded.run([ChatMessage.from_user("Is it cold?"), message])


def test_it_is_stored_as_haystack_stores_components(recorded):
    told = component_to_dict(recorded, "judge")
    again = component_from_dict(RecordedChatGenerator, told, "judge")
    assert component_to_dict(again, "judge") == told


def test_equal_recordings_are_equal_files(recorded, tmp_path):
    first = tmp_path / "mine.json.gz"
    Recording.load(first).save(tmp_path / "again.json.gz")
    assert (tmp_path / "again.json.gz").read_bytes() == first.read_bytes()
    assert Recording.load(first).about == "made by a test"


def test_a_recording_that_is_not_there_or_none_at_all_is_told(tmp_path):
    with pytest.raises(
        InputError, match=r"the recording nowhere does not exist; shipped are: .* \(looked from /"
    ):
        drive([claims()], RecordedChatGenerator("nowhere"))
    path = tmp_path / "odd.json.gz"
    for content in (b"text", gzip.compress(b"[]"), gzip.compress(b'{"model": 1')):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is not a recording|cannot be read|not JSON"):
            Recording.load(path)


@pytest.mark.slow
def test_the_script_that_records_makes_the_shipped_recording_again(tmp_path, monkeypatch, capsys):
    """The shipped recording stands for the model."""
    script = Path(__file__).parents[2] / "benchmarks" / "judging_recording" / "record.py"
    demo = Path(str(files("thresher.datasets") / "demo"))
    data = [demo / "passages.jsonl", demo / "sentences.jsonl"]
    shipped = Recording.load(FOLDER / "demo.json.gz")
    words = [script, demo / "judged.yaml", *data, tmp_path / "again.json.gz", "--judge", "recorded:demo"]
    words += ["--name", shipped.model, "--about", shipped.about, "--limit", 8]
    monkeypatch.setattr("sys.argv", [str(word) for word in words])
    runpy.run_path(str(script), run_name="__main__")
    assert "8/8 scored" in capsys.readouterr().out
    again, shipped_text = (
        gzip.decompress(path.read_bytes())  # the compressed bytes depend on the version of Python
        for path in (tmp_path / "again.json.gz", FOLDER / "demo.json.gz")
    )
    assert again == shipped_text
