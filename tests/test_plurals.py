"""Messages say "1 item", not "1 items": a number is followed by a noun only through `counted`.

The nouns are those that `counted` is called with anywhere in the package, so the list grows by itself.
"""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src/thresher"
SMALL = (
    "a|an|and|are|as|at|both|by|came|cannot|compares|for|from|has|have|hold|holds|if|in|is|its|lists|must|needs|no|not|"
    "of|on|or|overwrites|per|reads|scores|than|that|the|their|to|was|with|writes"
)
"""Words, and verbs, that begin a sentence rather than a plural with its adjectives."""
EXCEPTIONS = {
    "about(units)": "a range, or a number above 2",
    "rate:.2g": "1 time is called once",
    "self.use.whose": "an adjective",
    "alike:.1f": "a mean, with a decimal",
    "gain": "'linear' or 'exponential'",
    "have": "a verb",
    "listed(runs, 'or')": "names",
    "run": "a name",
    "export": "a command",
    "height": "the second side of a size in pixels",
    "image_set": "a name",
    "model": "a name",
    "name": "a name",
    "other": "a name",
    "path": "a name",
    "pointed.total:g": "points may be fractions",
    "remedy": "a sentence",
    "sizes.max():.0f": "the largest of clusters, which have several items",
    "sorted(lengths)": "a list",
    "split": "a name",
    "state": "a file",
    "suffix": "a kind of file",
    "verb": "a verb",
    "where": "a place",
}
"""Expressions before plurals that are no number, or never 1."""
COUNTED = re.compile(r"""\bcounted\([^"'\n]*\s*["']([\w -]+)["']""")
VERBS = r" (?:is|are|has|have|that|of|without|in|counts|differs|fits|occurs)\b.*"


def nouns_of(text):
    """The nouns that a module counts."""
    return {re.sub(VERBS, "", noun).split(" ")[-1] for noun in COUNTED.findall(text)}


def plural(noun):
    """
    >>> plural("item"), plural("entry"), plural("loss"), plural("key")
    ('items', 'entries', 'losses', 'keys')
    """
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def uncounted(text, plurals):
    """Expressions and what follows them: f-strings with a value directly before a plural."""
    follows = re.compile(
        rf" (?!(?:{SMALL})\b)(?:(?!(?:{SMALL}) )[a-z-]+ ){{0,2}}(?:{'|'.join(sorted(plurals))})\b"
    )
    if not re.search(rf"\}}{follows.pattern}", re.sub(r'"\s*\n\s*f?"', "", text)):  # parsing takes longer
        return
    for node in ast.walk(ast.parse(text)):
        for value, after in pairwise(node.values) if isinstance(node, ast.JoinedStr) else ():
            if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                continue
            shown = ast.unparse(ast.JoinedStr([value]))[3:-2]
            if (words := follows.match(after.value)) and not is_known(shown):
                yield f"line {node.lineno}: {{{shown}}}{words[0]}"


def is_known(shown):
    """Whether an expression is counted, a constant, or quoted."""
    return shown.startswith("counted(") or shown.isupper() or "!r" in shown or shown in EXCEPTIONS


def test_numbers_agree_with_their_nouns():
    paths = SOURCES.rglob("*.py")
    texts = {str(path.relative_to(SOURCES)): path.read_text(encoding="utf-8") for path in paths}
    plurals = {plural(noun) for text in texts.values() for noun in nouns_of(text)}
    assert {"items", "entries", "losses", "keypoints"} <= plurals
    places = [f"{name}, {place}" for name, text in texts.items() for place in uncounted(text, plurals)]
    assert places == [], "write counted(number, 'item')"


@pytest.mark.parametrize("line", ['''f"{n} items"''', '''f"{len(n):,} true "\n  f"entries of"'''])
def test_a_number_before_a_plural_is_found(line):
    assert len(list(uncounted(f"({line})", {"items", "entries"}))) == 1


@pytest.mark.parametrize(
    "text", ["{n} of the items", "{name!r} scores items", "{MOST} items", "{n} itemsets"]
)
def test_other_words_are_not(text):
    assert list(uncounted(f'f"{text}"', {"items"})) == []
