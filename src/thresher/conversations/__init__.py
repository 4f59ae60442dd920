"""Conversations with a model: messages, calls of tools and their results.

`read_conversation` reads a conversation in the layout of any framework, and `read_tool_calls` a list of
calls. `Conversation`, `Message`, `ToolCall` and `ToolResult` are what they return; `turn_units` cuts a
conversation into questions and replies.
"""

from thresher.conversations.message import Conversation, Message, ToolCall, ToolResult
from thresher.conversations.problem import ConversationError
from thresher.conversations.read import read_conversation, read_tool_calls
from thresher.conversations.units import turn_units

__all__ = [
    "Conversation",
    "ConversationError",
    "Message",
    "ToolCall",
    "ToolResult",
    "read_conversation",
    "read_tool_calls",
    "turn_units",
]
