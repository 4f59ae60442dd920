"""A kind of quantity is one file in the folder of quantities: parser, rule, sentences and formats find it."""

import sys
from pathlib import Path

import pytest

from thresher.errors import InputError
from thresher.reports.gates import parse, quantities
from thresher.reports.gates.quantities.base import KINDS

MEDIAN = '''
"""The median item score: `median(latency)<=2`."""

from dataclasses import dataclass

import numpy as np

from thresher.kernels.inference import Target
from thresher.reports.gates.grammar import Mask
from thresher.reports.gates.quantities.base import ExactQuantity, register


@register
@dataclass(frozen=True)
class MedianScore(ExactQuantity):
    """The median item score."""

    keyword = "median"
    wording = "median {}"
    needs_item_scores = True

    def number(self, target: Target, items: Mask) -> float:
        """Return the median of the scored items."""
        return float(np.median(target.result.item_scores(target.name)[target.mask & items]))
'''


@pytest.fixture
def median(tmp_path, monkeypatch):
    """One more file in the folder of quantities."""
    (tmp_path / "median.py").write_text(MEDIAN, encoding="utf-8")
    monkeypatch.setattr(quantities, "__path__", [*quantities.__path__, str(tmp_path)])
    before = list(KINDS)
    quantities.load_kinds()
    yield
    KINDS[:] = before
    del sys.modules[f"{quantities.__name__}.median"]


def test_without_the_file_the_kind_is_unknown():
    with pytest.raises(
        InputError, match="'median' is not a quantity; choose one of coverage, held_out, items, max"
    ):
        parse("median(m)>=1")
    with pytest.raises(InputError, match=r"'coverge' is not a quantity \(did you mean 'coverage'\?\)"):
        parse("coverge(m)>=1")


@pytest.mark.usefixtures("median")
def test_a_kind_is_one_file(made):
    languages = {"language": ["de"] * 3 + ["en"] * 2}
    run = made("new", m=[0.1, 0.4, 0.6, 0.8, 0.9], inputs=languages)
    main = made("main", m=[0.5, 0.6, 0.7, 0.8, 0.9], inputs=languages)
    requirements = [
        "median(m)>=0.7",
        "median(m[language=de])>=0.4",
        "median(m)>=baseline-0.2",
        "median(m)>=baseline",
    ]
    gate = run.gate(requirements, baseline=main)
    assert [decision.sentence for decision in gate.decisions] == [
        "median m is 0.6 on 5 items: below 0.7.",
        "median m where language = de is 0.4 on 3 items: at least 0.4.",
        (
            "median m is 0.6 against 0.7 (-0.1) on the 5 items that both runs scored: "
            "within 0.2 of the baseline or better."
        ),
        "median m is 0.6 against 0.7 (-0.1) on the 5 items that both runs scored: below the baseline.",
    ]
    assert [str(item) for item in gate.decisions[0].worst][:2] == ["q0 (0.1)", "q1 (0.4)"]
    assert [str(item) for item in gate.decisions[3].worst] == [
        "q0 (0.1, baseline 0.5)",
        "q1 (0.4, baseline 0.6)",
        "q2 (0.6, baseline 0.7)",
    ]
    assert "median m is 0.6 on 5 items" in gate.render("github")


def test_every_file_of_the_folder_registers_its_kinds():
    files = {path.stem for path in Path(quantities.__file__).parent.glob("*.py")}
    assert {kind.__module__.rpartition(".")[2] for kind in KINDS} == files - {"__init__", "base", "value"}
    assert len({kind.keyword for kind in KINDS}) == len(KINDS)


def test_a_share_of_items_names_only_items_that_moved_away(made):
    main = made("main", m=[0.9] * 60)
    run = made("new", m=[0.1] * 2 + [0.3] + [0.95] * 57)
    (decision,) = run.gate(["items(m>=0.8)>=baseline+0.2"], baseline=main).decisions
    assert [item.id for item in decision.worst] == ["q0", "q1", "q2"]
    (decision,) = run.gate(["items(m<=0.2)<=baseline-0.2"], baseline=main).decisions
    assert [item.id for item in decision.worst] == ["q0", "q1", "q2"]
