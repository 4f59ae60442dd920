"""The agent of the tutorials: it answers visitors of a town with three tools, in three versions.

The versions differ in the schemas of the tools, which may list the accepted values, and in one sentence of
the system prompt. The model is any generator of texts; here it is a recording, which replays what a real
model replied when `tutorials/record.py` asked it. `ToolCallingGenerator` lets a model without an API for
tools call them.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools import Tool

from thresher.components import ArgumentCorrectnessEvaluator, GoalAccuracyEvaluator

DATA = Path(__file__).parent / "data"
AGENT_REPLIES, AGENT_JUDGEMENTS = DATA / "agent_replies.json.gz", DATA / "agent_judgements.json.gz"
SYSTEM = (
    "You help visitors of the town of Grenmouth. Answer in one short sentence, from what the tools return."
)
TOOLS_FIRST = " You do not know hours or prices, and you cannot calculate: call the tools first."
LONGEST_TASK = 6
"""Steps that an agent may take: a small model may call a failing tool without end."""
VERSIONS = ("free strings", "listed values", "tools first")
COMPARED = ("free strings", "tools first")
"""Versions whose conversations are judged."""

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
HOURS = {
    "lighthouse": dict.fromkeys(DAYS[1:], "10:00 to 17:00"),
    "library": dict.fromkeys(DAYS[:5], "10:00 to 19:00")
    | {"Thursday": "10:00 to 21:00", "Saturday": "10:00 to 14:00"},
    "archive": {"Tuesday": "09:00 to 16:00", "Wednesday": "09:00 to 16:00"},
}
PRICES = {"ferry_single": 5, "ferry_return": 8, "lighthouse": 7, "library_card": 12, "tram_day": 6}


def opening_hours(place: str, day: str) -> str:
    """Return the opening hours of a place on a day of the week."""
    if place not in HOURS or day not in DAYS:
        raise ValueError(f"unknown place or day: {place!r}, {day!r}")
    return HOURS[place].get(day, "closed")


def ticket_price(ticket: str) -> str:
    """Return the price of a ticket in crowns."""
    if ticket not in PRICES:
        raise ValueError(f"unknown ticket: {ticket!r}")
    return f"{PRICES[ticket]} crowns"


def multiply(first: float, second: float) -> str:
    """Return the product of two numbers."""
    return f"{first * second:g}"


def tools_of(version: str) -> list[Tool]:
    """Return the tools of a version; only the schemas of their parameters differ."""
    text = {"type": "string"}
    listed = version != "free strings"
    place, day, ticket = (
        {**text, "enum": list(values)} if listed else text for values in (HOURS, DAYS, PRICES)
    )
    number = {"type": "number"}
    return [
        tool_of(opening_hours, place=place, day=day),
        tool_of(ticket_price, ticket=ticket),
        tool_of(multiply, first=number, second=number),
    ]


def tool_of(function: Any, **properties: dict[str, Any]) -> Tool:
    """Return a tool that requires all parameters and is described by the function's docstring."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(function.__name__, function.__doc__, parameters, function)


def agent_of(version: str, texts: Any) -> Agent:
    """Return an agent whose model is a generator of texts."""
    return Agent(
        chat_generator=ToolCallingGenerator(texts),
        tools=tools_of(version),
        system_prompt=SYSTEM + (TOOLS_FIRST if version == "tools first" else ""),
        max_agent_steps=LONGEST_TASK,
    )


def read_tasks() -> list[dict[str, Any]]:
    """Return the tasks, with the expected calls and the expected outcome."""
    return [
        json.loads(line) for line in (DATA / "agent_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def answered(version: str, texts: Any) -> list[dict[str, Any]]:
    """Run a version of the agent on every task and return the rows of a data set."""
    agent = agent_of(version, texts)
    rows = read_tasks()
    return [
        {**row, "conversations": agent.run(messages=[ChatMessage.from_user(row["question"])])} for row in rows
    ]


def judged_metrics(judge: Any) -> list[Any]:
    """Return the judged metrics of the tutorial."""
    return [GoalAccuracyEvaluator(judge), ArgumentCorrectnessEvaluator(judge)]


FORM = """{system}

Tools, as JSON:
{tools}

To call a tool, reply with nothing but this, once per call:
<tool_call>
{{"name": "a tool's name", "arguments": {{"a parameter": "its value"}}}}
</tool_call>"""
CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|$)|```(?:json)?\s*(.*?)\s*```", re.DOTALL)


@component
class ToolCallingGenerator:
    """A ChatGenerator that passes tools, calls and results as texts, and reads calls from the replies.

    Args:
        texts: a ChatGenerator of a model without an API for tools, or a recording of one.
    """

    def __init__(self, texts: Any) -> None:
        self.texts = texts

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: list[Tool] | None = None) -> dict[str, Any]:
        """Reply to the messages with a text or with calls of tools."""
        made = sum(len(message.tool_calls) for message in messages)
        reply = self.texts.run([as_text(message, tools or []) for message in messages])["replies"][0]
        calls = [
            ToolCall(call["name"], call["arguments"], id=f"call-{number}")
            for number, call in enumerate(read_calls(reply.text), start=made + 1)
        ]
        text = None if calls else reply.text
        return {"replies": [ChatMessage.from_assistant(text, tool_calls=calls, meta=reply.meta)]}


def as_text(message: ChatMessage, tools: list[Tool]) -> ChatMessage:
    """Return a message that is only a text: the model reads it, and it identifies a recorded reply."""
    if message.tool_call_results:
        results = (
            f"<tool_response>\n{result.result}\n</tool_response>" for result in message.tool_call_results
        )
        return ChatMessage.from_user("\n".join(results))
    if message.tool_calls:
        calls = ({"name": call.tool_name, "arguments": call.arguments} for call in message.tool_calls)
        return ChatMessage.from_assistant(
            "\n".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in calls)
        )
    if message.is_from("system"):
        specs = "\n".join(json.dumps(tool.tool_spec) for tool in tools)
        return ChatMessage.from_system(FORM.format(system=message.text, tools=specs))
    return message


def read_calls(text: str) -> Iterable[dict[str, Any]]:
    """Yield the calls in a reply: marked as requested, in a block of code, or as the whole reply."""
    for candidate in [marked or code for marked, code in CALL.findall(text)] or [text]:
        try:
            call = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(call, dict) and "name" in call and isinstance(call.get("arguments"), dict):
            yield call
