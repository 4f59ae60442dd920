"""The generator of tutorial 8 passes tools as texts and reads calls from replies."""

import importlib.util
from pathlib import Path

import pytest
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage, ToolCall

CALL = '{"name": "multiply", "arguments": {"first": 6, "second": 3}}'


@pytest.fixture(scope="module")
def town():
    path = Path(__file__).parents[2] / "tutorials" / "town.py"
    spec = importlib.util.spec_from_file_location("town", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        (CALL, 1),
        (f"<tool_call>\n{CALL}\n</tool_call>\n<tool_call>\n{CALL}\n</tool_call>", 2),
        (f"```json\n{CALL}\n```", 1),
        ("18", 0),
        ('{"first": 6}', 0),
        ('{"name": "multiply", "arguments": [6, 3]}', 0),
        ("<tool_call>\n{cut off", 0),
    ],
)
def test_calls_are_read_in_all_forms_that_models_write(town, reply, number):
    calls = list(town.read_calls(reply))
    assert calls == [{"name": "multiply", "arguments": {"first": 6, "second": 3}}] * number


def test_an_agent_of_texts_calls_a_tool_and_sees_its_result(town):
    prompts = []

    def reply(messages):
        prompts.append(messages)
        return ChatMessage.from_assistant(CALL if len(messages) == 2 else "18")

    messages = town.agent_of("tools first", MockChatGenerator(response_fn=reply)).run(
        messages=[ChatMessage.from_user("What is 6 times 3?")]
    )["messages"]
    assert messages[2].tool_calls == [ToolCall("multiply", {"first": 6, "second": 3}, id="call-1")]
    assert messages[3].tool_call_result.result == "18"
    assert messages[4].text == "18"
    assert prompts[0][0].text.startswith(town.SYSTEM + town.TOOLS_FIRST)
    assert prompts[1][3].text == "<tool_response>\n18\n</tool_response>"
