import dataclasses
import json
from pathlib import Path

import pytest
from haystack.dataclasses import ChatMessage, ToolCall

from thresher.conversations import ConversationError, read_conversation, read_tool_calls
from thresher.conversations.layouts import conversation_layout
from thresher.conversations.plain import calls_of_plain, message_of_plain

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/judges2/message_layouts.json").read_text())
LAYOUTS, LOSSY = GOLDEN["layouts"], GOLDEN["lossy"]


def rows_of(messages, layout):
    """The messages as the golden file writes them, without what the layout cannot hold."""
    rows = []
    for message in messages:
        if message["role"] == "system" and "system message" in LOSSY.get(layout, ()):
            continue
        row = {key: value for key, value in message.items() if key != "calls" or value}
        if "id" in row and "call ids" in LOSSY.get(layout, ()):
            row["id"] = None
        row["calls"] = [
            {**call, "id": None} if "call ids" in LOSSY.get(layout, ()) else call
            for call in message.get("calls", ())
        ]
        if "error flag" in " ".join(LOSSY.get(layout, ())) and "error" in row:
            row["error"] = False
        rows.append(row)
    return rows


def read_rows(conversation):
    rows = []
    for message in conversation.messages:
        for result in message.results:
            name, identity = result.call.name, result.call.id
            rows.append(
                {"role": "tool", "id": identity, "name": name, "result": result.text, "error": result.failed}
            )
            rows[-1]["calls"] = []
        if message.role != "tool":
            calls = [{"id": c.id, "name": c.name, "arguments": dict(c.arguments)} for c in message.calls]
            rows.append({"role": message.role, "text": message.text, "calls": calls})
    return rows


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "deepeval"])
def test_every_layout_is_read_as_the_same_conversation(layout):
    conversation = read_conversation(LAYOUTS[layout])
    assert read_rows(conversation) == rows_of(GOLDEN["canonical"], layout)
    assert conversation.layout == {"otel_genai": "opentelemetry"}.get(layout, layout)
    assert conversation_layout(LAYOUTS[layout]) == conversation.layout


def test_turns_of_deepeval_hold_calls_then_results_then_the_reply():
    first, calls, results, reply, *others = read_conversation(LAYOUTS["deepeval"]).messages
    assert (first.role, [call.name for call in calls.calls]) == ("user", ["trains", "weather", "weather"])
    assert [result.text for result in results.results] == ["08:12, 64 EUR", "timeout", '{"temp": 21}']
    assert reply.text == "I look it up.\nThe train leaves at 08:12 and it is 21 degrees."
    assert [message.text for message in others] == ["Thanks", "You are welcome."]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_plain_form_is_that_of_haystack_and_reads_back_equal(layout):
    conversation = read_conversation(LAYOUTS[layout])
    plain = conversation.plain()
    assert read_conversation(json.loads(json.dumps(plain))).plain() == plain
    assert [message.to_dict()["content"] for message in map(ChatMessage.from_dict, plain)] == [
        message["content"] for message in plain
    ]


def test_haystack_messages_are_read_as_objects_and_in_both_forms_of_dicts():
    messages = [ChatMessage.from_dict(message) for message in LAYOUTS["haystack"]]
    plain = read_conversation(LAYOUTS["haystack"]).plain()
    flat = [dataclasses.asdict(message) for message in messages]
    agent = {"messages": messages, "last_message": messages[-1], "step_count": 3, "exit_reason": "text"}
    for entry in (messages, flat, agent, json.dumps(LAYOUTS["haystack"])):
        assert read_conversation(entry).plain() == plain


def test_arguments_are_an_object_or_its_json_and_others_make_the_call_invalid():
    def call(arguments):
        return read_tool_calls([{"function": {"name": "f", "arguments": arguments}}])[0]

    assert call('{"a": 1}').arguments == call({"a": 1}).arguments == {"a": 1}
    assert call("") == call(None) == call({})
    for text in ('{"a": ', "[1]", "NaN", '{"a": NaN}', "[" * 100_000, '{"a": 1' + "0" * 400 + "}"):
        assert (call(text).arguments, call(text).invalid) == ({}, text)
    again = read_conversation([{"role": "assistant", "tool_calls": [{"name": "f", "args": "{"}]}])
    assert read_conversation(again.plain()).calls[0].invalid == "{"


def test_calls_are_read_in_every_layout_of_calls():
    expected = [("f", {"a": 1})]
    for call in (
        {"name": "f", "args": {"a": 1}},
        {"name": "f", "input_parameters": {"a": 1}},
        {"tool_name": "f", "arguments": {"a": 1}},
        {"type": "function", "id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}},
        ToolCall(tool_name="f", arguments={"a": 1}),
    ):
        assert [(call.name, call.arguments) for call in read_tool_calls([call])] == expected
    assert [call.name for call in read_tool_calls(LAYOUTS["openai"])] == ["trains", "weather", "weather"]
    assert read_tool_calls([]) == []


def test_results_without_ids_follow_the_order_of_the_calls():
    calls = {"role": "assistant", "tool_calls": [{"name": "a", "args": {}}, {"name": "b", "args": {}}]}
    results = [{"role": "tool", "content": "1"}, {"role": "tool", "content": [{"type": "text", "text": "2"}]}]
    messages = read_conversation([calls, *results, calls, results[0]]).messages
    assert [(result.call.name, result.text) for m in messages for result in m.results] == [
        ("a", "1"),
        ("b", "2"),
        ("a", "1"),
    ]


def test_an_id_that_is_used_again_belongs_to_the_latest_call():
    def step(name):
        call = {"id": "call_0", "function": {"name": name, "arguments": "{}"}}
        result = {"role": "tool", "tool_call_id": "call_0", "content": name}
        return [{"role": "assistant", "content": None, "tool_calls": [call]}, result]

    messages = read_conversation([*step("a"), *step("b")]).messages
    assert [result.call.name for message in messages for result in message.results] == ["a", "b"]


def test_calls_written_twice_count_once():
    parts = [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]
    message = {"type": "ai", "content": parts, "tool_calls": [{"name": "f", "args": {}, "id": "c"}]}
    assert len(read_conversation([message]).calls) == 1


def test_media_and_reasoning_are_parts_and_other_parts_leave_their_kind():
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    parts = [url, {"type": "thinking", "thinking": "hm"}, {"type": "audio"}, {"type": "text", "text": "a"}]
    read = read_conversation([{"role": "user", "content": parts}])
    (message,) = read.messages
    assert (message.text, message.media_kinds) == ("a", ["image", "audio"])
    assert read_conversation(read.plain()).messages == read.messages
    assert ChatMessage.from_dict(read.plain()[0]).files[0].extra == {"kind": "audio"}
    assert message.media[0]["image"]["mime_type"] == "image/png"
    assert message.media[1] == {"reasoning": {"reasoning_text": "hm", "extra": {}}}


def test_tokens_of_replies_are_kept_and_other_meta_data_is_not():
    meta = {"usage": {"prompt_tokens": 3, "completion_tokens": 4, "details": {}}, "model": "m", "index": 0}
    (message,) = read_conversation([{"role": "assistant", "content": "a", "meta": meta}]).messages
    assert message.meta == {"model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 4}}


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        (5, "5; expected a list of messages"),
        ("hello", "the text 'hello'; expected a list of messages"),
        ([{"role": "user", "content": "a"}, "b"], "messages[1] that is the text 'b'"),
        ([{"role": "bot", "content": "a"}], "messages[0].role that is the text 'bot'"),
        ([{"role": "user", "content": 5}], "messages[0].content that is 5"),
        ([{"role": "user", "content": ["a", 5]}], "messages[0].content[1] that is 5"),
        ([{"role": "assistant", "tool_calls": 5}], "messages[0].tool_calls that is 5"),
        ([{"role": "assistant", "tool_calls": [5]}], "messages[0].tool_calls[0] that is 5"),
        ([{"role": "assistant", "tool_calls": [{"id": "c"}]}], "messages[0].tool_calls[0].name"),
        ({"turns": [{"role": "user"}, None]}, "turns[1] that is missing"),
        ({"gen_ai.operation.name": "chat"}, "capture of message content"),
    ],
)
def test_the_error_names_message_and_field(entry, field):
    with pytest.raises(ConversationError) as error:
        read_conversation(entry)
    assert field in str(error.value)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_shortcut_for_stored_messages_reads_what_the_general_reader_reads(layout, monkeypatch):
    plain = read_conversation(LAYOUTS[layout]).plain()
    usage = {"model": "m", "usage": {"prompt_tokens": 3}, "index": 0}
    odd = [
        {**message, "meta": usage, "name": "n" if number == 2 else None}
        for number, message in enumerate(plain)
    ]
    quick = [read_conversation(entry) for entry in (plain, odd, [*plain, {"role": "user", "content": "a"}])]
    assert all(map(message_of_plain, plain))
    monkeypatch.setattr("thresher.conversations.read.message_of_plain", lambda _: None)
    assert quick == [
        read_conversation(entry) for entry in (plain, odd, [*plain, {"role": "user", "content": "a"}])
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_calls_of_stored_messages_are_read_without_the_rest(layout):
    conversation = read_conversation(LAYOUTS[layout])
    plain = conversation.plain()
    assert calls_of_plain(plain) == conversation.calls
    assert calls_of_plain(plain, last_turn=True) == []
    assert calls_of_plain([*plain[:1], *plain], last_turn=True) == []
    assert (
        calls_of_plain([message for message in plain if message["role"] != "user"], last_turn=True)
        == conversation.calls
    )
    assert calls_of_plain([*plain, {"role": "user", "content": "a"}]) is None
    assert calls_of_plain(None) is None


ASKED = {"role": "user", "parts": [{"text": "Weather in Lyon?"}]}


@pytest.mark.parametrize("role", ["user", "function", "tool"])
@pytest.mark.parametrize(
    "keys", [("functionCall", "functionResponse"), ("function_call", "function_response")]
)
def test_messages_of_gemini(role, keys):
    call, response = keys
    called = {
        "role": "model",
        "parts": [{"text": "I look."}, {call: {"name": "weather", "args": {"city": "Lyon"}}}],
    }
    returned = {"role": role, "parts": [{response: {"name": "weather", "response": {"degrees": 21}}}]}
    replied = {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "21 degrees."}]}
    whole = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [ASKED, called, returned, replied],
    }
    read = read_conversation(whole)
    assert read.layout == "gemini"
    assert [message.role for message in read.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [(one.name, one.arguments) for one in read.calls] == [("weather", {"city": "Lyon"})]
    (result,) = read.messages[3].results
    assert result.call is read.calls[0]
    assert result.text == '{"degrees": 21}'
    assert read.messages[-1].text == "21 degrees."


@pytest.mark.parametrize("part", [{"unknown": {"a": 1}}, {}, {"text": 7}])
def test_a_part_of_no_known_form_is_refused_with_its_place(part):
    with pytest.raises(ConversationError, match=r"messages\[1\]\.(parts|content)\[0\]"):
        read_conversation([ASKED, {"role": "model", "parts": [part]}])
    with pytest.raises(ConversationError, match=r"messages\[1\]\.(parts|content)\[0\]"):
        read_conversation([ASKED, {"role": "assistant", "content": [part]}])


def test_files_of_gemini_leave_their_kind():
    part = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    (message,) = read_conversation([{"role": "user", "parts": [part]}]).messages
    assert (message.text, message.media_kinds) == (None, ["inlineData"])


def test_a_refusal_is_what_the_assistant_says():
    for message in (
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"role": "assistant", "refusal": "I cannot."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        {"role": "assistant", "content": "I cannot.", "refusal": None},
    ):
        assert read_conversation([{"role": "user", "content": "q"}, message]).messages[1].text == "I cannot."


def test_items_of_openais_responses():
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "weather",
            "arguments": '{"city": "Lyon"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "21"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "Lyon"}},
        {"type": "mcp_call", "id": "mcp_1", "name": "roll", "arguments": "{}", "output": "6"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "21 degrees."}]},
    ]
    read = read_conversation(items)
    assert read.layout == "openai"
    assert [one.name for one in read.calls] == ["weather", "web_search", "roll"]
    assert read.calls[1].arguments == {"query": "Lyon"}
    results = [result for message in read.messages for result in message.results]
    assert [result.call for result in results] == [read.calls[0], read.calls[2]]
    assert read.messages[-1].text == "21 degrees."
    whole = read_conversation({"instructions": "Be brief.", "output": items[1:]})
    assert [message.role for message in whole.messages][:2] == ["system", "assistant"]
    assert whole.calls == read.calls
