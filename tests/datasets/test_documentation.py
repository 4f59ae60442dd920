from pathlib import Path

from thresher.datasets import KNOWN_NAMES
from thresher.datasets._entries import _CONVERTERS
from thresher.results import VOCABULARY

PAGE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")


def test_the_page_on_data_sets_lists_exactly_the_known_names():
    start = PAGE.index("| column | is read as | used by | when |")
    rows = PAGE[start:].split("\n\n")[0].splitlines()[2:]
    assert rows == [
        f"| `{known.column}` | `{known.socket}` | {known.used_by} | {known.when} |" for known in KNOWN_NAMES
    ]


def test_the_page_on_data_sets_lists_the_sockets_whose_entries_are_checked():
    start = PAGE.index("| socket | one item's entry |")
    rows = PAGE[start:].split("\n\n")[0].splitlines()[2:]
    sockets = {row.split("`")[1] for row in rows}
    assert sockets == set(_CONVERTERS) <= set(VOCABULARY)
