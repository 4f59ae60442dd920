"""Replies of a judge that is always right about `rag_items`, to the prompts of other libraries.

A prompt is known by a phrase of it; the reply has the form that the library's reader takes.
"""

import ast
import json
import re
from collections.abc import Callable
from typing import Any

import oracle

REASON = oracle.REASON
Reply = Callable[[str], Any]


def reply(prompt: str, _request: Any = None) -> Any:
    """The right reply, or None for a prompt of another library."""
    flat = re.sub(r"\s+", " ", prompt)
    for phrase, answer in _PROMPTS.items():
        if phrase in flat:
            return answer(prompt)
    return None


def _part(prompt: str, start: str, end: str = "") -> str:
    """The text between the last `start` and the first `end` after it."""
    text = prompt.rpartition(start)[2]
    return (text.partition(end)[0] if end else text).strip()


def _listed(text: str) -> list[str]:
    """The Python list in a text."""
    found = ast.literal_eval(text[text.index("[") : text.rindex("]") + 1])
    return [str(entry) for entry in found]


def _is(mark: str, text: str) -> bool:
    return mark not in text


# ragas: the input is a JSON object at the end of the prompt


def _ragas(prompt: str) -> Any:
    return json.loads(_part(prompt, "\ninput: ", "\nOutput:"))


def _ragas_verdicts(prompt: str) -> Any:
    statements = _ragas(prompt)["statements"]
    told = [{"statement": s, "reason": REASON, "verdict": int(_is("allegedly", s))} for s in statements]
    return {"statements": told}


def _ragas_recall(prompt: str) -> Any:
    found = oracle.sentences(_ragas(prompt)["answer"])
    told = [{"statement": s, "reason": REASON, "attributed": int(_is("undocumented", s))} for s in found]
    return {"classifications": told}


# DeepEval: the material is under headings, and `JSON:` closes the prompt


def _deepeval(key: str, heading: str) -> Reply:
    return lambda prompt: {key: oracle.sentences(_part(prompt, f"{heading}\n", "\n\nJSON:"))}


def _verdicts(things: list[str], mark: str) -> Any:
    said = ("no", "yes")
    return {"verdicts": [{"verdict": said[_is(mark, thing)], "reason": REASON} for thing in things]}


def _deepeval_precision(prompt: str) -> Any:
    return _verdicts(_listed(_part(prompt, "\nRetrieval Context", "\n\nJSON:")), "offtopic")


def _deepeval_recall(prompt: str) -> Any:
    found = oracle.sentences(_part(prompt, "\nExpected Output:\n", "\n\nRetrieval Context:"))
    return _verdicts(found, "undocumented")


# Haystack: Python values in something like JSON, after the last example


def _haystack_faithfulness(prompt: str) -> Any:
    found = oracle.sentences(_part(prompt, '"predicted_answers": ', "}\nOutputs:"))
    return {"statements": found, "statement_scores": [int(_is("allegedly", text)) for text in found]}


def _haystack_relevance(prompt: str) -> Any:
    contexts = _listed(_part(prompt, '"contexts": ', "}\nOutputs:"))
    useful = [context for context in contexts if _is("offtopic", context)]
    return {"relevant_statements": [oracle.sentences(context)[0] for context in useful]}


def _grade(heading: str, mark: str) -> Reply:
    """Inspect: a letter at the end of the reply."""
    return lambda prompt: f"{REASON}\n\nGRADE: {'C' if _is(mark, _part(prompt, heading, '***')) else 'I'}"


def _yes_no(start: str, end: str, mark: str) -> Reply:
    """LlamaIndex: a reply of one word."""
    return lambda prompt: "YES" if _is(mark, _part(prompt, start, end)) else "NO"


def _llamaindex_correctness(prompt: str) -> str:
    return f"{'4.5' if _is('allegedly', _part(prompt, '## Generated Answer')) else '3.0'}\n{REASON}"


_PROMPTS = {
    "complexity of each sentence": lambda p: {"statements": oracle.sentences(_ragas(p)["answer"])},
    "faithfulness of a series of statements": _ragas_verdicts,
    "Generate a question for the given answer": lambda _: {"question": "What about it?", "noncommittal": 0},
    "context was useful in arriving at": lambda p: {
        "reason": REASON,
        "verdict": int(_is("offtopic", _ragas(p)["context"])),
    },
    "can be attributed to the given context": _ragas_recall,
    "from the provided actual AI output": _deepeval("claims", "AI Output:"),
    "generate a comprehensive list of": _deepeval("truths", "\nText:"),
    "EACH claim contradicts any facts": lambda p: _verdicts(
        _listed(_part(p, "Claims:\n", "\n\nJSON:")), "allegedly"
    ),
    "list of statements presented": _deepeval("statements", "\nText:"),
    "statement is relevant to address the input": lambda p: _verdicts(
        _listed(_part(p, "Statements:\n", "\n\nJSON:")), "incidentally"
    ),
    "each node in the retrieval context was": _deepeval_precision,
    "in the given expected output below": _deepeval_recall,
    "providing the reason": lambda _: {"reason": REASON},
    "faithfulness or groundedness of statements": _haystack_faithfulness,
    "extract only sentences from the provided context": _haystack_relevance,
    "assessing a submitted answer on a given task": _grade("[Submission]:", "allegedly"),
    "comparing a submitted answer to an expert answer": _grade("[Submission]:", "allegedly"),
    "Is it grounded?": _grade("[Submission]:", "allegedly"),
    "Is it of use?": _grade("[Context]:", "offtopic"),
    "piece of information is supported by the context": _yes_no("Information:", "Context:", "allegedly"),
    "evaluate if the response for the query": _yes_no("Query and Response:", "Context:", "incidentally"),
    "expert evaluation system for a question answering": _llamaindex_correctness,
}
"""A phrase of the prompt -> the function that replies to it."""
