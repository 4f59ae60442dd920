"""The glossary defines each term once, names what the code has, and links the page that treats it."""

import re
from pathlib import Path

from thresher.kernels.inference import Verdict
from thresher.results import Status

TEXT = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"^### (.+)\n\n((?:(?!^##).*\n)+)", TEXT, re.MULTILINE))


def labels(term):
    """First column of the table in an entry."""
    return re.findall(r"^\| `([\w ]+)` \|", ENTRIES[term], re.MULTILINE)


def test_each_term_is_defined_once_and_links_its_page():
    terms = re.findall(r"^### (.+)$", TEXT, re.MULTILINE)
    assert len(terms) == len(set(terms)) == len(ENTRIES) > 20
    unlinked = [term for term, entry in ENTRIES.items() if not re.search(r"\]\([\w/-]+\.md", entry)]
    assert not unlinked


def test_statuses_and_verdicts_are_those_of_the_code():
    assert labels("Status") == [status.label for status in Status]
    assert labels("Verdict") == [verdict.value for verdict in Verdict]
