import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.reports.gates import parse
from thresher.reports.gates.files import read_gate_file
from thresher.reports.gates.requirement import Bar, Part, Quantity


@pytest.mark.parametrize(
    ("text", "quantity", "metric", "bar"),
    [
        ("faithfulness>=0.8", "value", "faithfulness", Bar(">=", 0.8)),
        (" ndcg@10  >  .5 ", "value", "ndcg@10", Bar(">", 0.5)),
        ("cost <= -1.5e2", "value", "cost", Bar("<=", -150)),
        ("recall≥70%", "value", "recall", Bar(">=", 0.7)),
        ("toxicity≤0", "value", "toxicity", Bar("<=", 0)),
        ("recall>=baseline", "value", "recall", Bar(">=", 0, baseline=True)),
        ("recall>=baseline - 0.02", "value", "recall", Bar(">=", -0.02, baseline=True)),
        ("cost<baseline+5%", "value", "cost", Bar("<", 0.05, baseline=True)),
        ("min(recall)>=0.3", "min", "recall", Bar(">=", 0.3)),
        ("max ( cost ) <= 3", "max", "cost", Bar("<=", 3)),
        ("coverage(recall)>=95%", "coverage", "recall", Bar(">=", 0.95)),
        ('"a(b)>=[c]">=1', "value", "a(b)>=[c]", Bar(">=", 1)),
        ("minimal>=1", "value", "minimal", Bar(">=", 1)),
    ],
)
def test_a_requirement_is_read(text, quantity, metric, bar):
    found = parse(text)
    assert (found.quantity, found.metrics, found.bar) == (Quantity(quantity), (metric,), bar)
    assert found.part is None


def test_the_bar_of_items_stands_beside_that_of_their_share():
    found = parse("items(faithfulness[language=de] >= 0.5) >= 0.95")
    assert (found.item_bar, found.bar) == (Bar(">=", 0.5), Bar(">=", 0.95))
    assert found.part == Part(entry=("language", "de"))


@pytest.mark.parametrize(
    ("part", "read"),
    [
        ("[language=de]", Part(entry=("language", "de"))),
        ("[by language]", Part(by="language")),
        ("[by=3]", Part(entry=("by", "3"))),
        ("[ topic = a=b ]", Part(entry=("topic", "a=b"))),
        ('[topic="a]"]', Part(entry=("topic", "a]"))),
        ('["by x"=1]', Part(entry=("by x", "1"))),
        ("[bytes=1]", Part(entry=("bytes", "1"))),
        ('[language == "d]e"]', Part(condition='language == "d]e"')),
        ("[rating >= 4 and not hard]", Part(condition="rating >= 4 and not hard")),
        ("[language in ['de', 'fr']]", Part(condition="language in ['de', 'fr']")),
    ],
)
def test_parts_of_the_data(part, read):
    assert parse(f"recall{part}>=0.5").part == read


@pytest.mark.parametrize(
    ("text", "metrics", "bar", "part"),
    [
        ("no-regression", (), None, None),
        ("no-regression within 0.02", (), Bar(">=", -0.02, baseline=True), None),
        ("no-regression(recall, f1) within 2%", ("recall", "f1"), Bar(">=", -0.02, baseline=True), None),
        ("no-regression (recall) [by language]", ("recall",), None, Part(by="language")),
    ],
)
def test_no_regression(text, metrics, bar, part):
    found = parse(text)
    assert (found.quantity, found.needs_baseline) == (Quantity.NO_REGRESSION, True)
    assert (found.metrics, found.bar, found.part) == (metrics, bar, part)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "the name of a metric was expected at the end"),
        ("recall", ">=, >, <= or < was expected at the end"),
        ("recall=0.8", "expected where '=0.8' stands"),
        ("recall>=", "a number or baseline was expected at the end"),
        ("recall>=high", "a number or baseline was expected where 'high' stands"),
        ("recall>=nan", "a number or baseline"),
        ("recall>=0.8 or so", "nothing was expected where 'or so' stands"),
        ("recall>=baseline*2", "+ or - and a number was expected where '*2' stands"),
        ("recall>=baseline-", "a number was expected at the end"),
        ("recall[language]>=1", "[language=ENTRY] or [by language] was expected where"),
        ("recall[]>=1", "[language=ENTRY] or [by language] was expected where"),
        ("recall[language=de>=1", "a column and its entry within [ ] was expected"),
        ("items(recall)>=0.5", ">=, >, <= or < was expected where ')>=0.5' stands"),
        ("min(recall>=0.5", ") was expected"),
        ("no-regression within -0.1", "the margin is negative"),
        ("no-regression(recall", ") was expected at the end"),
        ("no-regression>=1", "nothing was expected"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(text, expected):
    with pytest.raises(InputError) as error:
        parse(text)
    assert expected in str(error.value)
    assert repr(text) in str(error.value)
    assert "write e.g. faithfulness>=0.8" in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        parse(text)
    except InputError as error:
        assert "requirement" in str(error)  # noqa: PT017  # most texts are refused, some are not


@given(
    st.from_regex(r"[a-z_@0-9]+", fullmatch=True),
    st.sampled_from([">=", ">", "<=", "<"]),
    st.integers(-(10**6), 10**6).map(lambda number: number / 1000),
    st.booleans(),
)
def test_what_is_printed_is_read_back(name, operator, number, baseline):
    bar = Bar(operator, number, baseline)
    read = parse(f"{name}{bar}").bar
    assert (read.operator, read.baseline) == (operator, baseline)
    assert read.number == pytest.approx(number, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gate.yaml", "require:\n  - recall>=0.8\n  - no-regression\n"),
        ("list.yml", "- recall>=0.8\n- no-regression\n"),
        ("gate.toml", 'require = ["recall>=0.8", "no-regression"]\n'),
    ],
)
def test_requirements_come_from_files(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_gate_file(tmp_path / name).requirements == ["recall>=0.8", "no-regression"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("none.yaml", None, "cannot be read: No such file"),
        ("empty.yaml", "", "no requirements found"),
        ("odd.yaml", "require: [1]", "requirement 1 is 1, no text"),
        ("key.yaml", "requires: [recall>=1]", "'requires' is unknown"),
        ("broken.yaml", "require: [", "cannot be read"),
        ("broken.toml", "require = [", "cannot be read"),
        ("latin.yaml", "require: [caf\xe9>=1]", "is no UTF-8 text"),
    ],
)
def test_files_that_cannot_be_used_are_named(tmp_path, name, text, told):
    if text is not None:
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as error:
        read_gate_file(tmp_path / name)
    assert told in str(error.value)
    assert name in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ('m[tag=""]>=1', ("tag", "")),
        ('m[tag="a"]>=1', ("tag", "a")),
        ('m["by x" = "a]"]>=1', ("by x", "a]")),
        ("m[tag=]>=1", ("tag", "")),
    ],
)
def test_quotes_around_entries_are_taken_away(text, entry):
    assert parse(text).part.entry == entry
