import numpy as np
import pytest

from thresher.kernels.inference.panel_tables import PanelAgreement, PanelJudges
from thresher.kernels.inference.panels import panel_columns


def _statistics():
    scores = np.array([[1.0, 0.0], [1.0, np.nan], [0.0, 0.0]])
    votes = [[("yes", "no"), ("no", "no")], [("yes", None)], [(2.0, 4.0)]]
    return panel_columns({"score": np.zeros(3)}, scores, votes)


def test_the_table_of_judges_counts_lost_votes():
    detail = PanelJudges(("a", "b"))(_statistics(), np.ones(3))
    assert detail.columns["mean"] == pytest.approx([2 / 3, 0.0])
    assert detail.columns["bias"] == pytest.approx([1 / 6, -0.25])
    assert detail.columns["votes"] == [4, 3]
    assert detail.columns["coverage"] == [1.0, 0.75]
    only = PanelJudges(("a", "b"))(_statistics(), np.array([1.0, 0.0, 0.0]))
    assert only.columns["votes"] == [2, 2]


def test_agreement_is_of_labels_and_of_numbers():
    rows = {
        (row["coefficient"], row["judges"]): (row["value"], row["subjects"])
        for row in PanelAgreement(("a", "b"))(_statistics(), np.array([2.0, 1.0, 1.0])).rows()
    }
    assert rows["unanimous", "all"] in [(0.5, 4), (0.0, 1)]
    assert rows["cohen_kappa", "a, b"] == (0.0, 4)
    assert {name for name, _ in rows} == {
        "unanimous",
        "fleiss_kappa",
        "krippendorff_alpha_nominal",
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
        "cohen_kappa",
    }
