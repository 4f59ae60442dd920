"""Each row of the tables in docs/library-differences.md: results of other libraries, default, option."""

from pathlib import Path

import pytest

from disagreements import detections, labels, pixels  # noqa: F401 (they register their proofs)
from disagreements.register import PROOFS

PAGE = (Path(__file__).parents[2] / "docs" / "library-differences.md").read_text(encoding="utf-8")


def rows():
    """The questions of all tables."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip() for line in lines if not line.startswith("| question")]


@pytest.mark.filterwarnings("ignore:all scores of predictions:thresher.errors.DataWarning")
@pytest.mark.parametrize("question", rows())
def test_the_row_is_true(question, tmp_path):
    proof = PROOFS[question]
    proof(*([tmp_path] if proof.__code__.co_argcount else []))


def test_no_proof_is_left_over():
    assert set(PROOFS) == set(rows())
