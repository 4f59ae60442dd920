"""Conversations whose parts are in several columns: spans, and requests with a system text."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.conversations.layouts import SPAN_MESSAGES
from thresher.results.entry_kinds import is_chat

_CONVERSATIONS, _SPAN_ID = "conversations", "gen_ai.conversation.id"


def join_conversations(columns: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Join the columns of one conversation into one; other columns are unchanged.

    Spans of OpenTelemetry's GenAI conventions become `conversations` and `conversation_id`. The `system`
    text of Anthropic's requests becomes part of `messages`.
    """
    joined = dict(columns)
    parts = [name for name in SPAN_MESSAGES if name in columns]
    if any(name.startswith("gen_ai.") for name in columns) and _CONVERSATIONS not in columns:
        parts = parts or [next(name for name in columns if name.startswith("gen_ai."))]
        rows = zip(*(columns[name] for name in parts), strict=True)
        spans = [dict(zip(parts, row, strict=True)) for row in rows]
        silent = set(parts) & set(SPAN_MESSAGES)  # spans of tools have no messages where those of chats do
        joined[_CONVERSATIONS] = [span if any(span.values()) or not silent else None for span in spans]
        if _SPAN_ID in columns and "conversation_id" not in columns:
            joined["conversation_id"] = joined.pop(_SPAN_ID)
        return {name: column for name, column in joined.items() if name not in SPAN_MESSAGES}
    if any(map(is_chat, columns.get("messages", ()))) and "system" in columns:
        rows = zip(joined.pop("system"), columns["messages"], strict=True)
        joined["messages"] = [_request(system, messages) for system, messages in rows]
    return joined


def _request(system: Any, messages: Any) -> Any:
    return {"system": system, "messages": messages} if system and is_chat(messages) else messages
