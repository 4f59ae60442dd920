"""Chats where a text is wanted, in the layouts of OpenAI, Haystack, ragas and LangChain."""

import json
from pathlib import Path

import pytest

from datasets.sources.chunked import assert_same, use_small_blocks
from thresher.datasets import read_dataset
from thresher.errors import DataWarning
from thresher.results.entry_kinds import USERS

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Capital of France?"}
REPLY = {"role": "assistant", "content": "Paris"}


@pytest.mark.parametrize(
    "chat",
    [
        [USER],
        USER,
        [SYSTEM, USER],
        [{"type": "human", "content": "Capital of France?"}],
        [{"role": "user", "content": [{"type": "text", "text": "Capital of France?"}]}],
        [{"role": "user", "meta": {}, "name": None, "content": [{"text": "Capital of France?"}]}],
        [{"role": "user", "parts": [{"type": "text", "content": "Capital of France?"}]}],
        [
            {"type": "system", "data": {"content": "s"}},
            {"type": "human", "data": {"content": "Capital of France?"}},
        ],
    ],
)
@pytest.mark.parametrize("column", ["input", "question", "user_input"])
def test_a_chat_that_is_one_question_is_the_question(column, chat):
    dataset = read_dataset([{column: chat, "actual_output": "Paris"}])
    assert dataset.columns["questions"] == ["Capital of France?"]
    assert dataset.notes == ()


def test_of_a_longer_chat_the_last_message_of_the_user_is_the_question_and_a_note_says_so():
    chat = [SYSTEM, USER, REPLY, {"role": "user", "content": "And of Spain?"}]
    with pytest.warns(DataWarning, match="the question of 1 chat in 'input' is their last message"):
        dataset = read_dataset(
            [{"input": chat, "ideal": "Madrid"}], mapping={"ideal": "ground_truth_answers"}
        )
    assert dataset.columns["questions"] == ["And of Spain?"]


def test_messages_are_questions_where_they_end_with_the_user():
    with pytest.warns(DataWarning, match="read 'messages' as questions"):
        assert read_dataset([{"messages": [SYSTEM, USER]}]).columns["questions"] == ["Capital of France?"]


@pytest.mark.parametrize("reply", [REPLY, [REPLY], {"type": "ai", "content": "Paris"}])
def test_one_message_of_the_assistant_is_an_answer(reply):
    assert read_dataset([{"response": reply}]).columns["predicted_answers"] == ["Paris"]


REFUSED = {"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}
REASONED = {"type": "reasoning", "summary": []}
SEARCHED = {"type": "web_search_call", "id": "w", "action": {"query": "capital"}}
TEXT = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Paris"}]}


@pytest.mark.parametrize("column", ["answer", "response", "output", "actual_output"])
@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ({"role": "assistant", "content": None, "refusal": "I can't."}, "I can't."),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't."}]}, "I can't."),
        ({"role": "assistant", "content": None}, None),
        ({"choices": [{"message": {"content": None, "refusal": "I can't."}}]}, "I can't."),
        ({"id": "x", "choices": [{"index": 0, "message": REPLY}], "usage": {"total_tokens": 3}}, "Paris"),
        ({"output": [REFUSED]}, "I can't."),
        ({"id": "r", "output": [REASONED, SEARCHED, TEXT]}, "Paris"),
        ({"candidates": [{"content": {"parts": [{"text": "Paris"}], "role": "model"}}]}, "Paris"),
        ({"role": "ai", "content": [{"type": "thinking", "thinking": ""}, {"text": "Paris"}]}, "Paris"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_a_refusal_or_a_completion_is_an_answer(column, reply, text, tmp_path, monkeypatch):
    rows = [{"question": "q", column: entry, "reference": "r"} for entry in ("plain", reply, REPLY)]
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert list(read_dataset(rows).columns["predicted_answers"]) == ["plain", text, "Paris"]
    assert list(read_dataset(rows[1:]).columns["predicted_answers"]) == [text, "Paris"]
    use_small_blocks(monkeypatch, 1)
    assert_same(path)


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (
            {"response": {"output": [{"type": "function_call", "name": "f", "arguments": "{}"}, TEXT]}},
            "holds a chat of 2 messages (function_call, assistant)",
        ),
        ({"response": {"choices": [{"message": REPLY}] * 2}}, "a chat of 2 messages (assistant)"),
        (
            {"input": [USER, REPLY]},
            "'input' (read as questions) holds a chat that ends with a message of 'assistant'",
        ),
        (
            {"input": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
            "'input' (read as questions) holds a message of 'user' that is not only text",
        ),
        ({"response": [USER, REPLY]}, "holds a chat of 2 messages (user, assistant)"),
        (
            {"response": {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}},
            "holds a message of 'assistant' that is not only text",
        ),
    ],
)
def test_other_chats_are_refused_by_name(refusal, row, found):
    line = refusal([row])
    assert found in line
    assert "mapping=" in line


@pytest.mark.parametrize("column", ["messages", "user_input"])
def test_chats_with_messages_of_the_model_are_conversations(column):
    assert list(read_dataset([{column: [USER, REPLY]}]).columns) == ["conversations"]
    assert list(read_dataset([{column: [USER]}, {column: [USER, REPLY]}]).columns) == ["conversations"]


def test_other_columns_of_messages_are_spread_as_objects_are():
    assert list(read_dataset([{"question": "q", "remark": REPLY}]).columns) == [
        "questions",
        "role",
        "content",
    ]


LAYOUTS = json.loads((Path(__file__).parents[1] / "golden/chats/layouts.json").read_text())["layouts"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_chat_with_calls_of_tools_is_no_question_in_any_layout(refusal, layout):
    chat = LAYOUTS[layout]
    assert "chat that ends with a message of" in refusal([{"input": chat}])
    assert "that is not only text" in refusal([{"input": chat[:-1]}])
    assert list(read_dataset([{"input": chat[:-1]}], mapping={"input": "chat"}).columns) == ["chat"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_its_first_question_is_read_in_every_layout(layout):
    chat = LAYOUTS[layout]
    first = next(at for at, message in enumerate(chat) if (message.get("role") or message["type"]) in USERS)
    dataset = read_dataset([{"input": chat[: first + 1]}])
    assert dataset.columns["questions"] == ["Train to Lyon, and the weather there?"]
