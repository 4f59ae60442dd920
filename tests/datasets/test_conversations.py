import json
import pickle
from pathlib import Path

import pytest
from haystack.dataclasses import ChatMessage

from thresher import evaluate, open_run
from thresher.datasets import read_dataset
from thresher.errors import DataWarning, InputError

LAYOUTS = json.loads((Path(__file__).parents[1] / "golden/judges2/message_layouts.json").read_text())[
    "layouts"
]
CALLS = ["trains", "weather", "weather"]


def names(conversation):
    return [
        part["tool_call"]["tool_name"] for m in conversation for part in m["content"] if "tool_call" in part
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rows_of_every_framework_have_conversations(layout):
    entry = LAYOUTS[layout]
    row = entry if isinstance(entry, dict) else {"messages": entry}
    assert names(read_dataset([row]).columns["conversations"][0]) == CALLS
    assert names(read_dataset([{"conversations": entry}]).columns["conversations"][0]) == CALLS


def test_outputs_of_a_haystack_agent_are_rows():
    messages = [ChatMessage.from_dict(message) for message in LAYOUTS["haystack"]]
    output = {"messages": messages, "step_count": 3, "exit_reason": "text"}
    for row in (output, {"agent": output | {"last_message": messages[-1]}}):
        assert names(read_dataset([row]).columns["conversations"][0]) == CALLS
    answers = read_dataset([{"agent": output}]).columns["predicted_answers"]
    assert answers[0] == "You are welcome."


def test_the_system_text_of_a_request_is_the_first_message():
    dataset = read_dataset([LAYOUTS["anthropic"]])
    assert list(dataset.columns) == ["conversations"]
    assert dataset.columns["conversations"][0][0]["content"] == [{"text": "You book trips."}]


def test_a_test_case_with_called_tools_is_a_conversation():
    tool = {"name": "f", "input_parameters": {"a": 1}, "output": 2}
    row = {"input": "q", "actual_output": "a", "tools_called": [tool], "expected_tools": [tool]}
    dataset = read_dataset([row])
    assert names(dataset.columns["conversations"][0]) == ["f"]
    assert dataset.columns["reference_tool_calls"][0][0]["arguments"] == {"a": 1}


def test_all_layouts_give_the_same_fingerprint_where_they_hold_the_same():
    haystack, openai = ([m for m in LAYOUTS[name] if m["role"] != "tool"] for name in ("haystack", "openai"))
    prints = {read_dataset([{"id": "1", "messages": chat}]).fingerprint() for chat in (haystack, openai)}
    assert len(prints) == 1


def test_spans_of_tools_have_no_conversation_and_spans_without_any_message_are_refused():
    span = {**LAYOUTS["otel_genai"], "gen_ai.conversation.id": "c"}
    dataset = read_dataset([span, {"gen_ai.operation.name": "execute_tool"}])
    assert list(dataset.columns["conversation_id"]) == ["c", None]
    assert names(dataset.columns["conversations"][0]) == CALLS
    assert dataset.columns["conversations"][1] is None
    with pytest.raises(InputError, match="capture of message content"):
        read_dataset([{"gen_ai.operation.name": "chat"}])


def test_conversations_without_a_sign_of_their_layout_are_no_other_layout(recwarn):
    plain = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]
    rows = [{"conversations": each} for each in (plain, [], LAYOUTS["anthropic"])]
    assert len(read_dataset(rows).columns["conversations"]) == 3
    assert not recwarn.list


def test_several_layouts_in_one_column_are_noted():
    rows = [{"conversations": LAYOUTS["openai"]}, {"conversations": LAYOUTS["haystack"]}]
    with pytest.warns(DataWarning, match="'conversations' have several layouts: haystack, openai"):
        read_dataset(rows)


def test_the_layouts_are_counted_and_stored_with_a_run(tmp_path):
    plain = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    chats = [LAYOUTS["openai"], None, LAYOUTS["langchain"], LAYOUTS["openai"], plain]
    counts = {"langchain": 1, "openai": 2, "unmarked": 1}
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps({"conversations": chat}) + "\n" for chat in chats))
    with pytest.warns(DataWarning, match="several layouts"):
        dataset = read_dataset(path)
    assert dataset.layouts == {"conversations": counts}
    assert pickle.loads(pickle.dumps(dataset)).layouts == dataset.layouts  # noqa: S301  # our own bytes
    results = evaluate(["agent_counts"], dataset, out=tmp_path / "run")
    for run in (results, open_run(tmp_path / "run")):
        assert run.provenance["reading"]["layouts"] == {"conversations": counts}
    page = results.individual_detailed_score_report(output_format="html")
    assert "reading layouts conversations openai" in page


def test_the_layout_of_json_text_and_of_spans_is_counted(tmp_path):
    path = tmp_path / "chats.csv"
    path.write_text('id,conversations\n1,"' + json.dumps(LAYOUTS["openai"]).replace('"', '""') + '"\n2,\n')
    assert read_dataset(path).layouts == {"conversations": {"openai": 1}}
    spans = [LAYOUTS["otel_genai"], {"gen_ai.operation.name": "execute_tool"}]
    assert read_dataset(spans).layouts == {"conversations": {"opentelemetry": 1}}
    assert read_dataset({"questions": ["a"]}).layouts == {}


def test_an_unreadable_conversation_is_named_by_row_message_and_field(tmp_path):
    good, bad = [{"role": "user", "content": "a"}], [{"role": "user", "content": "a"}, {"role": "x"}]
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps({"conversations": chat}) + "\n" for chat in (good, bad)))
    with pytest.raises(InputError, match=r"chats.jsonl:2: conversations holds messages\[1\].role"):
        read_dataset(path)


def test_tables_hold_conversations_as_json(tmp_path):
    path = tmp_path / "chats.csv"
    path.write_text('id,conversations\n1,"' + json.dumps(LAYOUTS["openai"]).replace('"', '""') + '"\n')
    assert names(read_dataset(path).columns["conversations"][0]) == CALLS
