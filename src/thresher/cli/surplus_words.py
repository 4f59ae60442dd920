"""Messages about words that no argument of a command takes."""

import argparse
import re
import shlex
from collections.abc import Mapping, Sequence

_REQUIREMENT = re.compile(r"[<>]=?|no-regression")


def unknown(word: str, words: Sequence[str], options: Mapping[str, argparse.Action]) -> str:
    """Say what is wrong with a word that was left over, and what was probably meant.

    Args:
        word: the word.
        words: all words of the command.
        options: name -> option of the command.
    """
    if not word.startswith("-"):
        return surplus(word, words, options)
    from thresher.results.suggestions import suggest  # --help must not load numpy

    name = word.partition("=")[0]
    return f"unknown option {name}{suggest(name, options)}"


def surplus(
    word: str, words: Sequence[str], options: Mapping[str, argparse.Action], otherwise: str = ""
) -> str:
    """Say that a value was not expected, and what was probably meant.

    Args:
        word: the value.
        words: all words of the command.
        options: name -> option of the command.
        otherwise: the remedy if the words before it suggest none.
    """
    place = words.index(word)
    remedy = _list_remedy(words, place) or _remedy(word, words[:place], options) or otherwise
    if not remedy and "--data" in options and "--data" not in _names(words):
        remedy = f"give data as --data {shlex.quote(word)}"
    if not remedy and "--require" in options and _REQUIREMENT.search(word):
        remedy = f"give requirements as --require {shlex.quote(word)}"
    if not remedy and not word.startswith("-"):
        remedy = _second_run(word, options)
    return f"unexpected argument {word!r}{f'; {remedy}' if remedy else ''}"


def _second_run(word: str, options: Mapping[str, argparse.Action]) -> str:
    """The remedy for a second run of a command that takes one; empty for other commands."""
    if "--baseline" in options and "--require" in options:
        return f"give the run to compare with as --baseline {shlex.quote(word)}"
    return "`thresher compare` takes several runs" if "--detailed" in options else ""


def _list_remedy(words: Sequence[str], place: int) -> str:
    """The remedy if the word continues a list that was written with spaces after its commas; else empty."""
    start = end = place
    while start and (words[start - 1].endswith(",") or words[start].startswith(",")):
        start -= 1
    if start == place:
        return ""
    while end + 1 < len(words) and (words[end].endswith(",") or words[end + 1].startswith(",")):
        end += 1
    whole = shlex.quote("".join(words[start : end + 1]))
    option = words[start - 1] if start and words[start - 1].startswith("--") else ""
    written = f"{option} {whole}" if option and "=" not in option else whole
    return f"write lists without spaces: {written}"


def _remedy(word: str, before: Sequence[str], options: Mapping[str, argparse.Action]) -> str:
    """The remedy if a value of the option before the word was written with spaces; else empty."""
    start = next((place for place in reversed(range(len(before))) if before[place].startswith("--")), None)
    if start is None:
        return ""
    name, _, first = before[start].partition("=")
    values = [*filter(None, [first]), *before[start + 1 :]]
    option = options.get(name)
    if option is None or option.nargs == 0 or not values:
        return ""
    if name == "--data":  # a shell replaces a pattern without quotes by the names of the files
        return "name several files as a folder or a quoted pattern: --data 'part-*.jsonl'"
    if isinstance(option, argparse._AppendAction):  # noqa: SLF001  # argparse exports no public name for it
        return f"repeat the option: {name} {shlex.quote(word)}"
    return ""


def _names(words: Sequence[str]) -> list[str]:
    return [word.partition("=")[0] for word in words]
