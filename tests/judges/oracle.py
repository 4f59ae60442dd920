"""A judge that is always right about `rag_items` and `chat_items`: it reads the shipped prompts and goes by
the marks."""

import json
import re

try:
    import chat_items
except ImportError:
    from judges import chat_items

_BLOCK = re.compile(r"<(\w+) ([0-9a-f]{12})>\n(.*?)\n</\1 \2>", re.DOTALL)
_ABSENT = {
    ("claims", "contexts"): "allegedly",
    ("answer", "claims", "contexts"): "allegedly",
    ("question", "statements"): "incidentally",
    ("contexts", "question", "reference"): "offtopic",
    ("contexts", "question"): "offtopic",
    ("contexts", "statements"): "undocumented",
    ("answer_statements", "question", "reference_statements"): "allegedly",
}
"""Blocks of a prompt -> the mark that makes the verdict on a thing "no"."""
_PRESENT = {("opinions",): "awful", ("contexts", "text"): "offtopic"}
"""Blocks of a prompt -> the mark that makes the verdict on a thing "yes"."""
_JUDGED = ("claims", "statements", "opinions")
REASON = "The passage speaks of exactly this, and so the matter can be settled from it alone."


def reply(text):
    """The right reply to a shipped prompt, as JSON text."""
    blocks = {match[1]: match[3] for match in _BLOCK.finditer(text)}
    if (about := chat_items.reply(text, blocks)) is not None:
        return _only_wanted(text, about)
    wanted = re.search(r'holds the list "(\w+)"', text)
    if wanted:
        return json.dumps({wanted[1]: sentences(blocks["text"], wanted[1])})
    if '"rating"' in text:
        return json.dumps({"reason": REASON, "rating": 4})
    verdicts = {id_: {"reason": REASON, "verdict": word} for id_, word in _verdicts(blocks).items()}
    if '"passages"' in text:
        verdicts = {id_: _with_words(id_, verdict, blocks) for id_, verdict in verdicts.items()}
    return _only_wanted(text, verdicts)


def _only_wanted(text, verdicts):
    """The reply, with the ids that a repeated request names."""
    only = re.search(r"Give verdicts for these ids only: (.+)\.$", text)
    ids = only[1].split(", ") if only else list(verdicts)
    return json.dumps({id_: verdicts[id_] for id_ in ids})


def _with_words(id_, verdict, blocks):
    """A verdict on a claim with its words in the answer, where it is a sentence, and the first context."""
    words = {"quote": json.loads(blocks["claims"])[id_], "passages": [json.loads(blocks["contexts"])["1"]]}
    return {**words, **verdict, "verdict": "supported" if verdict["verdict"] == "yes" else "unsupported"}


def sentences(text, kind="statements"):
    """The sentences of a text; of opinions, those that say so."""
    parts = [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]
    return [part for part in parts if "think" in part] if kind == "opinions" else parts


def _verdicts(blocks):
    names = tuple(sorted(blocks))
    things = {}
    for name, block in blocks.items():
        if name in _JUDGED or name.endswith("_statements"):
            things |= json.loads(block)
    things = things or json.loads(blocks["contexts"])
    if names in _PRESENT:
        return {id_: "yes" if _PRESENT[names] in thing else "no" for id_, thing in things.items()}
    return {id_: "no" if _ABSENT[names] in thing else "yes" for id_, thing in things.items()}
