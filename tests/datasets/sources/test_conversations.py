"""Conversations that are read by chunk are those that `read_dataset` reads, with the same notes."""

import json
import warnings
from pathlib import Path

import pytest

from datasets.sources.chunked import assert_same, is_staged, use_small_blocks

LAYOUTS = json.loads((Path(__file__).parents[2] / "golden/judges2/message_layouts.json").read_text())[
    "layouts"
]
QUESTION = [{"role": "user", "content": "hi"}]
OPENAI, HAYSTACK = LAYOUTS["openai"], LAYOUTS["haystack"]
SPAN = LAYOUTS["otel_genai"]
ROWS = {
    "late": [{"messages": QUESTION}] * 5 + [{"messages": OPENAI}],
    "questions": [{"messages": QUESTION}] * 6,
    "several layouts": [{"conversations": chat} for chat in (OPENAI, None, OPENAI, HAYSTACK, OPENAI)],
    "requests": [LAYOUTS["anthropic"]] * 3 + [{"messages": QUESTION}],
    "spans": [{"attributes": SPAN}, {"attributes": {"gen_ai.operation.name": "execute_tool"}}] * 3,
    "spans without messages": [{"gen_ai.operation.name": "chat"}] * 4,
    "turns": [LAYOUTS["deepeval"]] * 4,
    "unreadable": [{"conversations": OPENAI}] * 4 + [{"conversations": [{"role": "x"}]}],
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_conversations_by_chunk_are_those_of_the_whole_file(rows, tmp_path, monkeypatch):
    use_small_blocks(monkeypatch, 2)
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = assert_same(path)
    assert is_staged(source) or isinstance(source, str)
