"""`thresher probe`: the card of a judge, as a gate, and in the runs that name it."""

import json
from pathlib import Path

import pytest

import thresher
from judges.mock_server import MockServer, running
from judges.probed import Scripted, first_two, obeying
from thresher.cli import main
from thresher.judges import Recording, asking
from thresher.judges.probe import probe

BARS = ["--min", "agreement=0.8", "--max", "injection=0.2", "--max", "order_bias=20%"]
JUDGES = {
    "good": Scripted(),
    "yes": Scripted(lambda *_: "yes", confidence=lambda *_: 100, grade=lambda _: 4),
    "order": Scripted(first_two),
    "obeying": Scripted(obeying),
}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Name of a judge -> file of its recorded replies."""
    folder = tmp_path_factory.mktemp("recordings")
    for name, judge in JUDGES.items():
        recording = Recording(name)
        with asking(listener=recording.keep, cache=False):
            probe(judge, repeats=0)
        recording.save(folder / f"{name}.json.gz")
    return {name: folder / f"{name}.json.gz" for name in JUDGES}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out + err


def probed(recordings, name, *words):
    return ["probe", "--judge-model", f"recorded:{recordings[name]}", *words]


def test_the_card_of_a_good_judge_passes(recordings, capsys):
    shown = cli(capsys, *probed(recordings, "good", *BARS))
    assert "judge recorded:good: 96 verdicts" in shown
    assert "Gate passed for recorded:good: 3 passed." in shown
    (row,) = [line for line in shown.splitlines() if line.startswith("agreement ↑")]
    assert "96/120" in row
    assert "one-more" in row


@pytest.mark.parametrize(
    ("name", "failed", "words"),
    [
        ("yes", "agreement", ["--min", "agreement=0.8"]),
        ("yes", "yes_bias", ["--max", "yes_bias=0.1"]),
        ("yes", "empty_answers", ["--max", "empty_answers=0.2"]),
        ("yes", "overconfidence", ["--require", "overconfidence < 0.3"]),
        ("order", "order_bias", ["--max", "order_bias=0.2"]),
        ("obeying", "injection", ["--max", "injection=0.2"]),
    ],
)
def test_a_known_bias_fails_the_gate(recordings, capsys, name, failed, words):
    shown = cli(capsys, *probed(recordings, name, *words), code=1)
    assert f"Gate failed for recorded:{name}: 1 failed." in shown
    assert f"{failed} is " in shown


def test_an_interval_that_contains_the_bar_is_inconclusive(recordings, capsys):
    shown = cli(capsys, *probed(recordings, "good", "--min", "agreement=0.95"), code=4)
    assert "Gate inconclusive for recorded:good: 1 inconclusive." in shown
    cli(capsys, *probed(recordings, "good", "--min", "agreement=0.95", "--decide", "value"))


def test_scores_that_a_judge_does_not_have_decide_nothing(recordings, capsys):
    shown = cli(capsys, *probed(recordings, "yes", "--max", "injection=0.2"), code=3)
    assert "injection: no item is scored by injection." in shown


def test_without_a_requirement_every_card_is_fine(recordings, capsys):
    assert "Gate" not in cli(capsys, *probed(recordings, "yes"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--min", "agreement"], "--min agreement: write MEASURE=BAR, e.g. agreement=0.8"),
        (
            ["--max", "injektion=0.2"],
            "a probe has no measure 'injektion' (did you mean 'injection'?); there are agreement, ",
        ),
        (["--min", "agreement=high"], "requirement 'agreement >= high': expected a number"),
        (["--require", "no-regression"], "a probe has no baseline"),
        (["--out", "cards"], "--out cards: a card is a file"),
        (["--judge-option", "temperature=1"], "takes no generation settings"),
    ],
)
def test_wrong_usage_is_refused_before_the_judge_is_called(recordings, capsys, monkeypatch, words, message):
    monkeypatch.delattr("thresher.cli.probe.probe")
    assert message in cli(capsys, *probed(recordings, "good", *words), code=2)


def test_items_to_choose_thresholds_on_are_refused_before_the_judge_is_called(
    recordings, capsys, monkeypatch, tmp_path
):
    monkeypatch.delattr("thresher.cli.probe.probe")
    (tmp_path / "gate.yaml").write_text("require: [agreement>=0.5]\nchoose_on: split=val")
    monkeypatch.chdir(tmp_path)
    words = probed(recordings, "good", "--requirements", "gate.yaml")
    message = "choose_on: split=val (gate.yaml): no requirement is `held_out(METRIC)`"
    assert message in cli(capsys, *words, code=2)


def test_a_judge_behind_a_server_and_what_its_card_cost(capsys):
    mock = MockServer(replies=[lambda prompt: Scripted().reply(prompt)])
    with running(mock) as url:
        words = ["--judge-model", "mock", "--judge-url", url, "--price", "in=1,out=2", "--ask-again", "1"]
        shown = cli(capsys, "probe", *words, *BARS)
    assert mock.calls == 6 * 24
    assert f"{mock.calls} calls to the judge" in shown
    assert "cost " in shown
    assert "repeatability" in shown


def test_a_judge_that_does_not_answer_could_not_be_probed(capsys, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    words = ["--judge-model", "mine", "--judge-url", "http://127.0.0.1:1/v1", "--max-calls", "20"]
    shown = cli(capsys, "probe", *words, code=3)
    assert "thresher: no item has a score for agreement, " in shown
    assert "empty_answers: " in shown


def test_a_measure_without_any_reply_makes_a_card_incomplete(recordings, capsys, tmp_path):
    whole = Recording.load(recordings["good"])
    verdicts = {key: entry for key, entry in whole.entries.items() if "faithfulness" in entry["prompt"]}
    Recording("part", verdicts).save(tmp_path / "part.json.gz")
    words = ["probe", "--judge-model", f"recorded:{tmp_path / 'part.json.gz'}"]
    shown = cli(capsys, *words, code=3)
    assert "no item has a score for brier, overconfidence, empty_answers: " in shown
    assert "has no answer to the prompt 'Estimate for each claim" in shown
    cli(capsys, *words, "--min", "agreement=0.8")


def test_a_card_is_a_file_that_commands_read(recordings, capsys):
    cli(capsys, *probed(recordings, "good", "--out", "card.json"))
    assert json.loads(Path("card.json").read_text())["provenance"]["judge"]["model"] == "recorded:good"
    assert "agreement" in cli(capsys, "report", "card.json")
    cli(capsys, "gate", "card.json", "--require", "agreement >= 0.8")
    cli(capsys, *probed(recordings, "order", "--out", "other.json"))
    assert "order_bias" in cli(capsys, "compare", "card.json", "other.json")


def test_a_run_keeps_and_shows_the_card_of_its_judge(recordings, capsys):
    cli(capsys, *probed(recordings, "good", "--out", "card.json"))
    Path("rag.jsonl").write_text(
        json.dumps({"id": "a", "questions": "Q?", "contexts": ["C."], "predicted_answers": "A."}) + "\n"
    )
    judged = ["--data", "rag.jsonl", "--judge-card", "card.json", "--judge-model"]
    run = ["run", "--metrics", "valor_faithfulness", "--out", "runs/a", *judged]
    cli(capsys, *run, f"recorded:{recordings['good']}", code=3)  # the recording has no such prompts
    (card,) = thresher.open_run("runs/a").provenance["judge_cards"]
    assert card["judge"] == {"model": "recorded:good", "settings": {}}
    assert card["measures"]["agreement"]["items"] == 96
    assert card["measures"]["agreement"]["value"] == 1.0
    assert 0.8 < card["measures"]["agreement"]["low"] < 0.9
    assert card["measures"]["repeatability"] == {"value": None, "low": None, "high": None, "items": 0}
    shown = cli(capsys, "report", "runs/a")
    assert "Card of the judge recorded:good: agreement 1.000 [0.8" in " ".join(shown.split())
    cli(capsys, "report", "runs/a", "-o", "page.html")
    page = Path("page.html").read_text()
    assert "Card of the judge recorded:good" in page
    assert "judge cards recorded:good order bias" in page
    other = cli(capsys, *run, f"recorded:{recordings['yes']}", "--overwrite", code=2)
    assert "the card is of the judge recorded:good, and the judges of this run are: recorded:yes" in other


def test_a_file_that_is_no_card_is_refused(recordings, capsys):
    Path("run.json").write_text(
        json.dumps({"inputs": {"id": ["a"]}, "metrics": [{"name": "m", "scores": [1.0]}]})
    )
    Path("rag.jsonl").write_text(
        json.dumps({"id": "a", "contexts": ["C."], "predicted_answers": "A."}) + "\n"
    )
    words = ["run", "--metrics", "valor_faithfulness", "--data", "rag.jsonl", "--judge-card", "run.json"]
    shown = cli(capsys, *words, "--judge-model", f"recorded:{recordings['good']}", code=2)
    assert "run.json is not a judge's card; write one with thresher probe --out FILE.json" in shown
