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


WITH_PARTS = {
    "openai": lambda parts: [{"role": "user", "content": parts}],
    "haystack": lambda parts: [{"role": "user", "content": parts, "meta": {}, "name": None}],
    "langchain": lambda parts: [{"type": "ai", "content": parts, "additional_kwargs": {}}],
    "langchain, nested": lambda parts: [{"type": "human", "data": {"content": parts}}],
    "ragas": lambda parts: {"user_input": [{"type": "human", "content": parts}]},
    "anthropic": lambda parts: {"messages": [{"role": "assistant", "content": parts}]},
    "anthropic, system": lambda parts: {"messages": [ASKED], "system": parts},
    "deepeval": lambda parts: {"turns": [{"role": "user", "content": parts}]},
    "gemini": lambda parts: {"contents": [{"role": "model", "parts": parts}]},
    "gemini, system": lambda parts: {"contents": [ASKED], "systemInstruction": {"parts": parts}},
    "opentelemetry": lambda parts: {"gen_ai.input.messages": json.dumps([{"role": "user", "parts": parts}])},
    "responses": lambda parts: {"output": [{"type": "message", "role": "assistant", "content": parts}]},
    "responses, system": lambda parts: {"output": [ASKED], "instructions": parts},
}
UNREADABLE = [
    *({"unknown": {"a": 1}}, {}, {"text": 7}, {"text": None}, None, 5, [], {"type": ["text"]}, {"type": ""}),
    *({"type": "text"}, {"type": "refusal"}, {"type": "output_text", "text": None}, {"functionCall": None}),
    *({"type": "tool_use"}, {"type": "server_tool_use", "input": {}}, {"function_call": {"args": {}}}),
]


@pytest.mark.parametrize("layout", WITH_PARTS)
@pytest.mark.parametrize("part", UNREADABLE)
def test_a_part_of_no_known_form_is_refused_with_its_place(layout, part):
    with pytest.raises(ConversationError, match=r"(parts|content|system)\[1\]"):
        read_conversation(WITH_PARTS[layout]([{"type": "text", "text": "a"}, part]))


@pytest.mark.parametrize("layout", WITH_PARTS)
@pytest.mark.parametrize("part", [{"type": "input_audio"}, {"inlineData": {}}, {"type": "custom", "x": 1}])
def test_a_part_that_cannot_be_shown_leaves_its_kind_beside_the_text(layout, part):
    read = read_conversation(WITH_PARTS[layout]([{"type": "text", "text": "a"}, part]))
    (message,) = [message for message in read.messages if message.media_kinds]
    assert (message.text, message.media_kinds) == ("a", [part.get("type", "inlineData")])


def test_calls_of_the_providers_own_tools_come_before_their_results():
    parts = [
        {"type": "text", "text": "I search."},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "Lyon"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "Lyon", "url": "u"}]},
        {"type": "text", "text": "It rains."},
    ]
    calls, results, reply = read_conversation([{"role": "assistant", "content": parts}]).messages
    assert [(call.name, call.arguments) for call in calls.calls] == [("web_search", {"query": "Lyon"})]
    assert results.results[0].call == calls.calls[0]
    assert json.loads(results.results[0].text) == [{"title": "Lyon", "url": "u"}]
    assert (reply.role, reply.text, reply.calls) == ("assistant", "I search.\nIt rains.", ())


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
        {"role": "assistant", "content": "", "refusal": "I cannot."},
        {"role": "assistant", "content": "I cannot.", "refusal": "I cannot."},
        {"type": "ai", "content": "", "additional_kwargs": {"refusal": "I cannot."}},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        ChatMessage.from_assistant("", meta={"refusal": "I cannot."}),
        ChatMessage.from_assistant(meta={"refusal": "I cannot."}).to_dict(),
    ):
        assert read_conversation([{"role": "user", "content": "q"}, message]).messages[1].text == "I cannot."


def test_a_refusal_after_a_text_is_said_too():
    message = {"role": "assistant", "content": "First", "refusal": "I cannot."}
    assert read_conversation([message]).messages[0].text == "First\nI cannot."
    assert read_conversation([{"role": "assistant", "content": "", "refusal": None}]).messages[0].text == ""


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
        {"type": "mcp_call", "id": "mcp_2", "name": "roll", "arguments": "{}", "error": "no dice"},
        {"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "ls -l"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "a"}]},
        {"type": "file_search_call", "id": "f", "queries": ["Lyon"], "results": [{"text": "rain"}]},
        {"type": "code_interpreter_call", "id": "ci", "code": "1 + 1", "outputs": None},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "21 degrees."}]},
    ]
    read = read_conversation(items)
    assert read.layout == "openai"
    own = ["roll", "roll", "shell", "file_search", "code_interpreter"]
    assert [one.name for one in read.calls] == ["weather", "web_search", *own]
    assert read.calls[1].arguments == {"query": "Lyon"}
    free = [{"input": "ls -l"}, {"queries": ["Lyon"]}, {"code": "1 + 1"}]
    assert [one.arguments for one in read.calls[4:]] == free
    assert not any(one.invalid for one in read.calls)
    results = [result for message in read.messages for result in message.results]
    assert [result.call for result in results] == [read.calls[0], *read.calls[2:6]]
    assert [result.text for result in results] == ["21", "6", "no dice", "a", "rain"]
    assert [result.failed for result in results] == [False, False, True, False, False]
    assert read.messages[-1].text == "21 degrees."
    whole = read_conversation({"instructions": "Be brief.", "output": items[1:]})
    assert [message.role for message in whole.messages][:2] == ["system", "assistant"]
    assert whole.calls == read.calls
