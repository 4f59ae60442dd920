import pytest

from thresher import InputError, evaluate, read_dataset
from thresher.cli import main
from thresher.counted import counted
from thresher.surface import command_line, given, mapping, option, parameter, reading_with, written_in


def test_options_are_those_of_the_surface():
    renamed = ("answer text", "predicted_answers"), ("b", "contexts")
    assert mapping(*renamed) == "mapping={'answer text': 'predicted_answers', 'b': 'contexts'}"
    assert reading_with(*renamed).startswith("read_dataset(..., mapping=")
    with command_line():
        assert mapping(*renamed) == reading_with(*renamed)
        assert mapping(*renamed) == "--map answer text=predicted_answers --map b=contexts"
        assert option("--split", "split=") == "--split"
    assert option("--split", "split=") == "split="


def test_python_and_the_command_line_name_their_own_option(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = {"said": ["a"], "ground_truth_answers": ["b"]}
    with pytest.raises(
        InputError, match=r"read_dataset\(\.\.\., mapping={'COLUMN': 'predicted_answers'}\)"
    ) as raised:
        evaluate("token_f1", read_dataset(rows))
    assert "--" not in str(raised.value)
    (tmp_path / "rows.jsonl").write_text('{"said": "a", "ground_truth_answers": "b"}\n')
    assert main(["run", "token_f1", "--data", "rows.jsonl"]) == 2
    line = capsys.readouterr().err
    assert (
        "with --map COLUMN=predicted_answers, or leave out metrics without data with --skip-missing" in line
    )
    assert "mapping=" not in line


def test_parameters_are_written_as_on_the_command_line_or_as_in_python():
    assert (parameter("choose_on"), given("choose_on", "a=b")) == ("choose_on", "choose_on='a=b'")
    with command_line():
        assert (parameter("choose_on"), given("choose_on", "a=b")) == ("--choose-on", "--choose-on a=b")
        with written_in({"choose_on": "g.yaml"}):
            assert given("choose_on", "a=b") == "choose_on: a=b (g.yaml)"
            assert (parameter("choose_on"), parameter("split")) == ("choose_on of g.yaml", "--split")


@pytest.mark.parametrize(("number", "text"), [(1, "1 entry"), (0, "0 entries"), (1200, "1,200 entries")])
def test_numbers_have_nouns_that_agree(number, text):
    assert counted(number, "entry", "entries", form=",") == text
