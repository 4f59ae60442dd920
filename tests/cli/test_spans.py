"""`--spans`: claims located in the answer, from the command line to the stored run."""

import json

import pytest

import thresher
from cli.test_judging import ITEMS, cli, judged, server, values, workplace  # noqa: F401  # fixtures
from thresher.components import RagasFactualCorrectnessEvaluator, ValorFaithfulnessEvaluator
from thresher.errors import InputError
from thresher.pipelines.judged import locate_claims


def test_a_run_with_spans_scores_and_calls_as_one_without(server, workplace, capsys):  # noqa: F811
    cli(capsys, *judged(server, "--out", "runs/a"))
    calls = server.calls
    cli(capsys, *judged(server, "--out", "runs/b", "--spans", "--no-cache"))
    assert server.calls == 2 * calls
    assert values("runs/b") == pytest.approx(values("runs/a"))
    run = thresher.open_run("runs/b")
    metric = run.metric("valor_faithfulness")
    claims = [claim for item in metric.result.evidence for claim in item["claims"]]
    assert claims
    assert all(claim["span"]["how"] == "exact" for claim in claims)
    assert all(claim["passages"][0]["context"] == 1 for claim in claims)
    assert "|spans:yes|" in str(metric.measure.signature)
    assert "spans" not in str(run.metric("valor_context_recall").measure.signature)
    json.dumps(claims)


def test_estimates_of_spans_have_as_many_calls_and_more_tokens(workplace, capsys):  # noqa: F811
    plain, located = (
        json.loads(
            cli(capsys, "estimate", "judged.yaml", "--data", "rag.jsonl", "--format", "json", *options)
        )
        for options in ([], ["--spans"])
    )
    assert located["calls"] == plain["calls"]
    assert located["prompts"]["valor/faithfulness.spans"] == len(ITEMS)
    assert located["completion_tokens"] > plain["completion_tokens"]


def test_a_pipeline_without_claims_is_refused(workplace, capsys):  # noqa: F811
    shown = cli(capsys, "run", "--metrics", "token_f1", "--data", "rag.jsonl", "--spans", code=2)
    assert "--spans: no metric of this pipeline locates claims" in shown


def test_own_words_for_the_prompt_without_spans_are_refused():
    own = {"valor/faithfulness": "Which hold? {{ contexts }} {{ claims }}"}
    with pytest.raises(InputError, match=r"valor/faithfulness\.spans"):
        locate_claims(thresher.build([ValorFaithfulnessEvaluator(templates=own)]))
    own = {"valor/faithfulness.spans": "Which hold? {{ contexts }} {{ claims }} {{ answer }}"}
    metric = ValorFaithfulnessEvaluator(templates=own, spans=True)
    locate_claims(thresher.build([metric]))
    assert metric.templates == own


def test_a_chosen_value_stays_and_options_that_exclude_spans_are_refused():
    pipeline = thresher.build([ValorFaithfulnessEvaluator(spans="characters")])
    locate_claims(pipeline)
    assert pipeline.get_component("valor_faithfulness").spans == "characters"
    with pytest.raises(InputError, match="mode='recall' does not judge"):
        locate_claims(thresher.build([RagasFactualCorrectnessEvaluator(mode="recall")]))
