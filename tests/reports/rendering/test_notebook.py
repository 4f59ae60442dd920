import pytest

from thresher import EvaluationResults, InputError
from thresher.reports import Table


def made(**columns):
    metrics = [{"name": "hit", "scores": [1, None, 1]}]
    inputs = {"id": ["a", "b", "c"], **columns}
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="<b>")


def test_results_show_values_with_intervals_and_coverage():
    html = made()._repr_html_()
    assert html.startswith("<p>&lt;b&gt;: 3 items</p>")
    assert "<th>95 % interval</th>" in html
    assert "<td>1.00</td>" in html
    assert "<td>2/3</td>" in html


def test_results_that_cannot_be_summarised_say_why():
    html = made(cluster=["x", None, "y"])._repr_html_()
    assert "item b has no entry" in html
    assert "<table>" not in html


def test_cells_are_escaped_and_long_tables_cut():
    table = Table(["<x>"], [["<script>\nalert"]] * 60, notes=["a & b"], reading=["end"])
    html = table._repr_html_()
    assert "<script>" not in html
    assert html.startswith("<p>a &amp; b</p><table><tr><th>&lt;x&gt;</th></tr>")
    assert html.count("<tr>") == 51
    assert html.endswith("<p>10 more rows</p><p>end</p>")


def test_printing_results_shows_the_table_of_values():
    lines = str(made()).splitlines()
    assert lines[0] == "<b>: 3 items"
    assert any(line.split()[:2] == ["hit", "↑"] and line.split()[-1] == "2/3" for line in lines)
    assert repr(made()) == "EvaluationResults('<b>', 3 items, hit)"
    assert "item b has no entry" in str(made(cluster=["x", None, "y"]))


def test_a_format_in_the_place_of_queries_has_advice():
    advice = r" \(did you mean output_format='df'\?\)"
    with pytest.raises(InputError, match=rf"of this run{advice}$"):
        made().individual_detailed_score_report("df")
    with pytest.raises(InputError, match=rf"no column 'df' to slice by{advice}; there are"):
        made().individual_sliced_score_report("df")
    with pytest.raises(InputError, match=rf"no column 'df' to slice by{advice}; there are"):
        made().comparative_sliced_score_report(made(), "df")
    with pytest.raises(InputError, match=r"of this run$"):
        made().individual_detailed_score_report("d")
