import pytest

from thresher.reports.rendering.formats.latex import escaped, latex
from thresher.reports.table import Table


def test_a_table_has_rules_and_columns_of_numbers_to_the_right():
    table = Table(
        ["metric", "value", "95 % interval", "note"],
        [["f1_micro ↑", 0.5, "[0.41, 0.59]", "a & b"], ["cost ↓", "-0.25", "-", ""]],
    )
    assert latex(table).splitlines() == [
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"metric & value & 95 \% interval & note \\",
        r"\midrule",
        r"f1\_micro $\uparrow$ & 0.5 & $[0.41,\,0.59]$ & a \& b \\",
        r"cost $\downarrow$ & $-0.25$ & - &  \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_table_without_rows():
    assert r"\begin{tabular}{ll}" in latex(Table(["a", "b"], []))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("100% $5 #1 a_b ^ ~", r"100\% \$5 \#1 a\_b \textasciicircum{} \textasciitilde{}"),
        ("a\n\nb", "a b"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ('say "so"', "say ''so''"),
        ("\N{MINUS SIGN}1 ± 2…", r"$-$1 $\pm$ 2\dots{}"),
    ],
)
def test_no_text_is_a_command(text, shown):
    assert escaped(text) == shown


def test_a_cell_cannot_be_read_as_an_option_of_the_line_before():
    assert r"{[odd} \\" in latex(Table(["a"], [["[odd"], ["x"]]))
