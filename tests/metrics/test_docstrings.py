"""The docstrings that users read: options, inputs and errors, in one order of sections."""

import inspect
import re

import pytest

from thresher.components import RetrievalRecallEvaluator, metric_class, metric_names
from thresher.components.detection import DetectionMatcher
from thresher.metrics.docstrings import complete_docstrings

every_metric = pytest.mark.parametrize("name", metric_names())
ORDER = ("Formula:", "Source:", "Calls:", "Differs:", "Args:", "Raises:", "```")


@pytest.mark.parametrize("kind", [*map(metric_class, metric_names()), DetectionMatcher])
def test_every_option_and_every_input_of_this_package_is_described(kind):
    text = inspect.getdoc(kind)
    for option in list(inspect.signature(kind.__init__).parameters)[1:]:
        assert re.search(rf"^    {option}: \S", text, re.MULTILINE), option
    read = inspect.getdoc(kind.run)
    for socket in list(inspect.signature(kind.run).parameters)[1:]:
        assert re.search(rf"^    {socket}: \S", read, re.MULTILINE), socket
    assert "\nReturns:\n" in read


@every_metric
def test_sections_are_in_one_order(name):
    lines = inspect.getdoc(metric_class(name)).splitlines()
    places = [next((at for at, line in enumerate(lines) if line.startswith(mark)), None) for mark in ORDER]
    assert [place for place in places if place is not None] == sorted(
        place for place in places if place is not None
    )
    assert "Raises:" in lines


def test_words_of_the_source_win_over_the_vocabulary():
    class Example:
        """An example.

        Args:
            name: a name of its own.

        Raises:
            OSError: sometimes.

        ```python
        Example()
        ```
        """

        def run(self, questions: list[str]) -> dict[str, str]:
            """Ask."""
            return dict.fromkeys(questions, "")

    complete_docstrings(Example, ["top_k", "name"])
    lines = Example.__doc__.splitlines()
    assert lines[:3] == ["An example.", "", "Args:"]
    assert lines[3].startswith("    top_k: number of retrieved documents")
    assert "    name: a name of its own." in lines
    assert lines.index("    OSError: sometimes.") > lines.index("Raises:") + 1
    assert lines[-3:] == ["```python", "Example()", "```"]
    assert "questions: one text per item" in Example.run.__doc__


def test_help_is_complete():
    assert "top_k: int | None = None" in str(inspect.signature(RetrievalRecallEvaluator.__init__))
    assert "ties: order of the retrieved documents" in RetrievalRecallEvaluator.__doc__
