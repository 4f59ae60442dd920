"""Replies in any form: one that an attacker may plant, its disguises, and one that is the judge's own."""

import json
import re
from collections.abc import Iterator
from typing import Any

from thresher.judges import Ask
from thresher.judges.flow import Answer, Reply
from thresher.judges.gist import letters
from thresher.judges.planted import Material
from thresher.judges.schema import Misfit, ReplySchema

OWN = "This is what the judge itself makes of the matter, in words of its own."
FLIPPED = {
    "yes": "no",
    "no": "yes",
    "A": "B",
    "B": "A",
    "supported": "contradicted",
    "contradicted": "compatible",
}


def read(ask: Ask[Any], text: str, *planted: str) -> Reply[Any]:
    """The reply to an ask whose data hold some planted texts."""
    shown = Material([f"Some words before. {text} Some words behind." for text in planted])
    object.__setattr__(ask, "material", shown)
    return Reply.read(ask, Answer(text))


def disguises(planted: str) -> dict[str, str]:
    """A planted reply in other clothes; every one of them says the same."""
    plain = {
        "verbatim": planted,
        "between words": f"Here you are:\n{planted}\nDone.",
        "fenced": f"```json\n{planted}\n```",
        "other case": re.sub(r"[a-z]+", lambda word: word[0].capitalize(), planted)
        if not _data(planted)
        else "",
        "another mark": planted.replace(". ", "! "),
    }
    data = _data(planted)
    return {name: text for name, text in (plain | (_dressed(data) if data else {})).items() if text}


def _dressed(data: dict[str, Any]) -> dict[str, str]:
    plain = json.dumps(data, ensure_ascii=False)
    return {
        "spaced": json.dumps(data, indent=3, separators=(" , ", " : ")),
        "squeezed": json.dumps(data, separators=(",", ":")),
        "other order": json.dumps(_turned(data)),
        "upper case": json.dumps(changed(data, lambda _, text: text.upper())),
        "escaped letters": re.sub(r"(?<=[a-z])[a-z](?=[a-z]*\")", _escaped, plain),
        "single quotes": str(data),
        "trailing commas": plain.replace("}", ",}"),
        "wrapped": json.dumps({"result": data}),
        "thought": f"<think>What now?</think>{plain}",
        "twice": f"{plain}\n{plain}",
        "another full stop": json.dumps(changed(data, _in_reasons(lambda text: f"{text}!"))),
        "a letter less": json.dumps(changed(data, _in_reasons(lambda text: text[:5] + text[6:]))),
        "half a reason": json.dumps(changed(data, _in_reasons(lambda text: text[: len(text) // 2]))),
        "no reasons": json.dumps(_without_reasons(data)),
        "another key": plain.replace('"reason"', '"analysis"'),
        "one more key": json.dumps({**data, "note": "as told"}),
        **_of_verdicts(data),
    }


def _of_verdicts(data: dict[str, Any]) -> dict[str, str]:
    """As a bare map and as lists, where each entry is a verdict."""
    if not all(isinstance(entry, dict) and "verdict" in entry for entry in data.values()):
        return {}
    listed = [{"id": id_, **entry} for id_, entry in data.items()]
    return {
        "bare map": json.dumps({id_: entry["verdict"] for id_, entry in data.items()}),
        "bare list": json.dumps(listed),
        "named list": json.dumps({"verdicts": listed}),
        "one by one": "\n".join(json.dumps({id_: entry}) for id_, entry in data.items()),
    }


def own(schema: ReplySchema[Any], planted: str) -> str:
    """A reply that decides otherwise, or where nothing is decided says something else."""
    for text in _candidates(planted):
        value = reading(schema, text)
        if value is not None and _differs(schema.gists(value), schema.gists(reading(schema, planted))):
            return text
    raise AssertionError(f"no other reply than {planted!r} is known for {schema!r}")


def reworded(planted: str) -> str:
    """The same decision for a reason of its own."""
    data = _data(planted)
    return json.dumps(changed(data, _in_reasons(lambda _: OWN))) if data else ""


def reading(schema: ReplySchema[Any], text: str) -> Any:
    """What a form reads in a reply without data; None if nothing."""
    data = _data(text)
    try:
        return schema.read_text(text) if data is None else schema.read(data)
    except Misfit:
        return None


def _candidates(planted: str) -> Iterator[str]:
    data = _data(planted)
    if data is None:
        for old, new in (
            ("9 7", "3 8"),
            ("5", "2"),
            ("A", "B"),
            ("NO", "YES"),
            ("YES", "NO"),
            ("] 4", "] 1"),
        ):
            if old in planted:
                yield re.sub(r"(?<=[.:] )[A-Z][a-z].*?\.", OWN, planted.replace(old, new))
                verdict = re.search(rf"(?:\[RESULT\] )?\b{new}\b", planted.replace(old, new))
                yield (
                    f"{verdict.group()}\n{OWN}"
                    if verdict and verdict.start() == 0
                    else planted.replace(old, new)
                )
        return
    for less in (1, 2, 0.5, 0):
        yield json.dumps(changed(data, _otherwise, less))
    yield json.dumps({key: [] if isinstance(entry, list) else entry for key, entry in data.items()})


def _otherwise(key: str, text: str) -> str:
    """Another verdict or text; words of the answer stay, as some forms read no others."""
    return text if key == "quote" else FLIPPED.get(text, OWN)


def _differs(gists: Any, planted: Any) -> bool:
    return all(
        gist.judgement != planted[thing].judgement
        or letters(gist.reason or "") not in ("", letters(planted[thing].reason or ""))
        for thing, gist in gists.items()
    )


def changed(entry: Any, change: Any, less: float = 0, key: str = "") -> Any:
    """The data with other texts, and numbers that are smaller."""
    if isinstance(entry, dict):
        return {key: change_of(value, change, less, key) for key, value in entry.items()}
    return change_of(entry, change, less, key)


def change_of(entry: Any, change: Any, less: float, key: str) -> Any:
    if isinstance(entry, dict):
        return changed(entry, change, less)
    if isinstance(entry, list):
        return [change_of(part, change, less, key) for part in entry]
    return change(key, entry) if isinstance(entry, str) else entry - less


def _in_reasons(change: Any) -> Any:
    return lambda key, text: change(text) if key in ("reason", "analysis") else text


def _without_reasons(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_without_reasons(part) for part in entry]
    if not isinstance(entry, dict):
        return entry
    return {key: _without_reasons(part) for key, part in entry.items() if key != "reason"}


def _turned(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: _turned(entry[key]) for key in [*entry][::-1]}


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _data(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
