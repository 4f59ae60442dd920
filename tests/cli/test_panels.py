"""Panels of judges from the command line, against mock servers on loopback."""

import json
from functools import partial
from pathlib import Path

import pytest
import yaml

import thresher
from cli.test_judging import ITEMS, cli, server, values, workplace  # noqa: F401  # fixtures
from judges import oracle
from judges.mock_batches import BatchServer
from judges.mock_server import MockServer, running
from thresher.cli.model_options import RULES
from thresher.judges import BatchSettings
from thresher.judges.panels import pooling
from thresher.pipelines.experiments.experiment_file import read_experiment_file

FLIPPED = {"yes": "no", "no": "yes"}


def contrary(text):
    """The opposite of every right verdict."""
    reply = json.loads(oracle.reply(text))
    if any(not isinstance(entry, dict) for entry in reply.values()):
        return json.dumps(reply)
    flipped = {id_: {**entry, "verdict": FLIPPED[entry["verdict"]]} for id_, entry in reply.items()}
    return json.dumps(flipped)


@pytest.fixture
def wrong():
    mock = MockServer(replies=(contrary,))
    with running(mock) as url:
        mock.url = url
        yield mock


def run(*words):
    return ["run", "judged.yaml", "--data", "rag.jsonl", "--out", "runs/a", *words]


def on(*servers):
    """Options that name judges `a`, `b` and so on, at these servers."""
    return [
        word
        for name, mock in zip("abc", servers, strict=False)
        for word in ("--judge-model", name, "--judge-url", mock.url)
    ]


def test_a_panel_recovers_the_true_scores_although_one_judge_is_wrong(server, wrong, workplace, capsys):  # noqa: F811
    cli(capsys, *run(*on(server, server, wrong)))
    truth = {
        name: sum(item[name.removeprefix("valor_")] for item in ITEMS) / len(ITEMS)
        for name in values("runs/a")
    }
    assert values("runs/a") == pytest.approx(truth)
    result = thresher.open_run("runs/a").metrics["valor_faithfulness"].result
    table = result.detail("judges").columns
    assert table["judge"] == ["a", "b", "c"]
    assert table["mean"][0] == table["mean"][1] != table["mean"][2]
    assert table["coverage"] == [1.0, 1.0, 1.0]
    assert "judge:a,b,c|pool:majority" in str(result.measures[0].signature)
    shown = cli(capsys, "report", "runs/a")
    assert "one-more" in shown
    assert "valor_faithfulness: 3 judges, share of unanimous votes 0.00, Fleiss' kappa -0." in shown
    assert " a +0." in shown
    assert "; c -0." in shown
    cli(capsys, "report", "runs/a", "--out", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "agreement of judges" in page.casefold()
    assert "fleiss" in page.casefold()


def test_settings_of_the_panel_reach_the_metrics(server, wrong, workplace, capsys):  # noqa: F811
    weighted = ("--judge-pool", "weighted", "--judge-weights", "1,1,3", "--judge-extractor", "b")
    cli(capsys, *run(*on(server, server, wrong), *weighted, "--judge-ties", "no", "--judge-votes", "1"))
    result = thresher.open_run("runs/a").metrics["valor_faithfulness"].result
    signature = str(result.measures[0].signature)
    assert "judge:a*1,b*1,c*3|pool:weighted|ties:no|min_votes:1|extractor:b" in signature
    assert result.item_scores().tolist() == result.statistics["by_judge"][:, 2].tolist()


@pytest.mark.slow
def test_an_estimate_counts_the_calls_of_all_judges(server, workplace, capsys):  # noqa: F811
    estimate = ["estimate", "judged.yaml", "--data", "rag.jsonl", "--format", "json"]
    one = json.loads(cli(capsys, *estimate, *on(server)))
    three = json.loads(cli(capsys, *estimate, *on(server, server, server)))
    assert one["models"]["a"] == three["models"]["a"] > three["models"]["b"] == three["models"]["c"]
    assert three["calls"] == sum(three["models"].values())
    assert server.calls == 0


def test_a_judge_option_is_sent_to_every_judge(server, wrong, workplace, capsys):  # noqa: F811
    cli(capsys, *run(*on(server, server, wrong), "--judge-option", "reasoning_effort=low"))
    for mock in (server, wrong):
        assert {body["reasoning_effort"] for body in mock.bodies} == {"low"}


def test_batches_hold_the_asks_of_one_judge_each(workplace, capsys, monkeypatch):  # noqa: F811
    small = partial(BatchSettings, quiet=0.05, live_below=1)
    monkeypatch.setattr("thresher.cli.asking.BatchSettings", small)
    mock = BatchServer()
    with running(mock) as mock.url:
        cli(capsys, *run(*on(mock, mock, mock), "--batch", "--poll", "0.02"))
    models = [{body["model"] for _, body in batch["lines"]} for batch in mock.batches.values()]
    assert sorted(map(sorted, models)) == [["a"], ["a"], ["b"], ["b"], ["c"], ["c"]], "two rounds"
    truth = sum(item["faithfulness"] for item in ITEMS) / len(ITEMS)
    assert values("runs/a")["valor_faithfulness"] == pytest.approx(truth)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--judge-pool", "mean"], "--judge-pool is for a panel of judges: repeat --judge-model"),
        (["--judge-model", "a", "--judge-votes", "2"], "--judge-votes is for a panel"),
        (["--judge-model", "a", "--judge-model", "b", "--judge-weights", "1,x"], "give one number per judge"),
        (["--judge-model", "a", "--judge-model", "b", "--judge-votes", "3"], "whole number from 1 to 2"),
        (
            [*("--judge-model", "a") * 3, *("--judge-url", "http://127.0.0.1:9") * 2],
            "--judge-url is given 2 times for 3 judges",
        ),
    ],
)
def test_unusable_settings_get_one_line(workplace, capsys, words, message):  # noqa: F811
    assert message in cli(capsys, *run(*words), code=2)


def test_probe_takes_one_judge(workplace, capsys):  # noqa: F811
    words = ["probe", "--judge-model", "a", "--judge-model", "b"]
    assert "a probe tests one judge: give --judge-model once" in cli(capsys, *words, code=2)


def test_the_rules_of_the_command_line_are_those_of_the_package():
    assert RULES == pooling.RULES


def test_an_experiment_file_names_several_judges(workplace):  # noqa: F811
    panel = {"judge_model": ["a", "b"], "judge-pool": "weighted", "judge_weights": [2, 1], "judge_votes": 1}
    Path("x.yaml").write_text(yaml.safe_dump({"pipeline": "p.yaml", "judge_url": "http://x", **panel}))
    options = read_experiment_file("x.yaml")
    assert options["judge_model"] == ["a", "b"]
    assert options["judge_url"] == ["http://x"]
    assert options["judge_pool"] == "weighted"
