"""Rounds against the mock server: what is sent in a batch, what live, and what comes back."""

import pytest

from judges.asked import EXPECTED, flow, flows, values
from judges.mock_batches import BatchFaults
from judges.rag_items import columns, rag_items
from thresher.errors import InputError
from thresher.files.image_texts import image_of
from thresher.judges import (
    BatchSettings,
    Limits,
    Prices,
    Texts,
    answered,
    asking,
    drive,
    prompt,
    together,
)
from thresher.judges.engine.batches.rounds import Rounds
from thresher.pipelines.judged import use_judge
from thresher.pipelines.runner import evaluate, evaluation_pipeline

FIVE = ("faithfulness", "answer_relevance", "context_precision", "context_recall", "answer_correctness")


def sizes(server):
    return [len(batch["lines"]) for batch in server.batches.values()]


def statuses(outcomes):
    return [outcome.reason for outcome in outcomes]


@pytest.mark.slow
def test_five_metrics_of_100_items_are_two_batches(server, judge, tmp_path):
    pipeline, items = evaluation_pipeline([f"valor_{name}" for name in FIVE]), rag_items(100)
    use_judge(pipeline, judge())
    server.settings.faults = {"malformed": 0.03}
    server.behave = BatchFaults(fates={"500": 0.02, "unanswered": 0.01, "expired": 0.01})
    batch = BatchSettings(first_poll=0.02, last_poll=0.1, quiet=0.3)
    with asking(cache=tmp_path / "answers", batch=batch) as account:
        results = evaluate(pipeline, columns(items))
    for name in FIVE[:4]:
        assert list(results.metric(f"valor_{name}").result.item_scores()) == pytest.approx(
            [item[name] for item in items]
        )
    assert sizes(server)[:2] == [399, pytest.approx(400, abs=30)]
    assert len(sizes(server)) <= 4
    assert max(server.paid.values()) == 1
    assert account.answers == account.batched + server.calls


def test_a_round_is_one_batch_whatever_the_live_limits(server, batched):
    server.behave = BatchFaults(seconds=0.2)
    outcomes, account = batched(limits=Limits(max_concurrency=1, timeout=0.1))
    assert values(outcomes) == EXPECTED[:30]
    assert sizes(server) == [29]
    assert (account.calls, account.answers, account.batched, server.calls) == (30, 30, 29, 1)


def test_images_are_sent_in_batches(server, batched):
    images = [image_of(b"GIF89a" + bytes([number]), "x") for number in range(30)]
    batched([answered(prompt("valor/claims").ask(Texts("claims"), text=image.text)) for image in images])
    (batch,) = server.batches.values()
    contents = [body["messages"][-1]["content"] for _, body in batch["lines"]]
    urls = {part["image_url"]["url"] for parts in contents for part in parts if part["type"] == "image_url"}
    assert len(urls) == len(contents) == 29
    assert urls <= {image.text for image in images}


def test_two_steps_are_two_rounds_and_equal_asks_one_line(server, batched):
    texts = [f"First thing {place}. Second thing {place}." for place in range(25)]

    def two_steps(text):
        things = yield from flow(text)
        return (yield from flow(f"{things[1]} It is so."))

    outcomes, _ = batched([together(two_steps(text), two_steps(text)) for text in texts])
    expected = [(f"Second thing {place}.", "It is so.") for place in range(25)]
    assert values(outcomes) == [[pair, pair] for pair in expected]
    assert sizes(server) == [24, 25]


def test_a_round_is_divided_by_lines_and_by_model(server, batched, judge):
    batched(flows(25), max_lines=10)
    assert sizes(server) == [10, 10, 4]
    texts = [
        [body["messages"][-1]["content"] for _, body in batch["lines"]] for batch in server.batches.values()
    ]
    expected = [f"This is text {place}." for place in range(1, 25)]  # the first one was sent live
    assert [text.splitlines()[1] for part in texts for text in part] == expected
    labels = [(batch["metadata"]["round"], batch["metadata"]["part"]) for batch in server.batches.values()]
    assert labels == [("1", "1"), ("1", "2"), ("1", "3")]
    assert len({json_model(server, name) for name in server.batches}) == 1
    other = judge(model="other")
    outcomes, _ = batched(flows(25), other, max_lines=100)
    assert values(outcomes) == EXPECTED[:25]
    assert sizes(server)[3:] == [24]
    assert json_model(server, "batch_3") == "other"


def json_model(server, name):
    (model,) = {body["model"] for _, body in server.batches[name]["lines"]}
    return model


MIXED = {"429": 0.1, "500": 0.1, "timeout": 0.1, "unanswered": 0.1, "twice": 0.1}


@pytest.mark.parametrize(
    ("fates", "status"),
    [
        (MIXED, "completed"),
        ({"expired": 0.3}, "expired"),
        ({"cancelled": 0.3}, "cancelled"),
        ({"twice": 1}, "completed"),
    ],
)
def test_a_line_without_an_answer_is_sent_in_the_next_round(server, batched, fates, status):
    server.behave = BatchFaults(fates=fates, status=status)
    outcomes, account = batched(flows(40), live_below=0)
    assert values(outcomes) == EXPECTED
    assert max(server.paid.values()) == 1
    assert account.answers == 40
    assert sum(sizes(server)[1:]) == account.failures.total()
    assert (len(sizes(server)) == 1) == (fates == {"twice": 1})
    assert fates is not MIXED or len(account.failures) == 4


def test_a_small_later_round_is_sent_live(server, batched):
    server.behave = BatchFaults(fates={"500": 0.2})
    outcomes, account = batched(flows(40))
    assert values(outcomes) == EXPECTED
    assert sizes(server) == [39]
    assert server.calls == 1 + account.failures["HTTP 500"]


def test_a_bad_request_fails_at_once(server, batched):
    server.behave = BatchFaults(fates={"400": 0.2})
    outcomes, account = batched(flows(40))
    failed = [reason for reason in statuses(outcomes) if reason]
    assert failed == ["own/claims: HTTP 400: LineError: mock fault"] * account.failures["HTTP 400"]
    assert 0 < len(failed) < 20
    assert sizes(server) == [39]
    assert server.calls == 1


def test_a_line_is_given_up_after_all_tries(server, batched):
    server.behave = BatchFaults(fates={"unanswered": 1.0})
    outcomes, account = batched(flows(3), limits=Limits(max_tries=2), live_below=0)
    assert (
        statuses(outcomes)[1:]
        == ["own/claims: the batch returned no result for the request, after 2 tries"] * 2
    )
    assert sizes(server) == [2, 2]
    assert account.calls == 1 + 4


def test_a_setting_that_the_model_refuses_costs_one_live_request(server, batched):
    server.settings.refuses = ("temperature",)
    outcomes, account = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert sizes(server) == [29]
    assert account.notes == ["mock: asked without temperature, which the provider refused"]


def test_a_rejected_key_uploads_nothing(server, batched):
    server.settings.rejects_after, server.settings.rejects_with = 0, 401
    outcomes, account = batched(flows(4))
    assert all("HTTP 401" in reason for reason in statuses(outcomes))
    assert (server.calls, dict(server.happened)) == (1, {})
    assert account.lost.total() == 4


def test_a_judge_that_cannot_be_reached_gets_no_batch(server, batched, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    server.settings.rejects_after, server.settings.rejects_with = 0, 503
    outcomes, account = batched(limits=Limits(max_tries=2))
    assert (server.calls, dict(server.happened)) == (6, {})
    assert "HTTP 503" in outcomes[0].reason
    assert "not asked, as the judge stopped answering: HTTP 503" in outcomes[29].reason
    assert account.lost.total() == 30


def test_a_prompt_that_fails_alone_does_not_stop_the_round(server, batched, monkeypatch):
    monkeypatch.setattr("thresher.judges.engine.live_requests.backoff", lambda *_: 0.0)
    server.settings.faults, server.settings.sticky, server.settings.seed = {"http500": 0.5}, True, 2
    outcomes, _ = batched(flows(12), limits=Limits(max_tries=2))
    assert server.happened["batches"] == 1
    assert values(outcomes)[11] == EXPECTED[11]


def test_a_bad_line_fails_and_the_others_are_sent_again(server, batched):
    server.behave = BatchFaults(bad_line="text 7.")
    outcomes, _ = batched(live_below=0)
    assert statuses(outcomes)[7] == "own/claims: HTTP 400: bad line"
    assert [outcome.value for outcome in outcomes if outcome.value] == [*EXPECTED[:7], *EXPECTED[8:30]]
    assert sizes(server) == [29, 28]


def test_a_refused_batch_is_sent_again(server, batched):
    server.behave = BatchFaults(rejected=[{"code": "internal", "line": None, "message": "try later"}])
    outcomes, account = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert account.failures["HTTP 500"] == 29
    assert sizes(server) == [29, 29]


def test_a_used_up_quota_ends_the_round(server, batched):
    server.behave = BatchFaults(
        rejected=[{"code": "insufficient_quota", "line": None, "message": "pay first"}]
    )
    outcomes, account = batched(flows(3))
    assert all("quota used up" in reason for reason in statuses(outcomes)[1:])
    assert account.lost.total() == 2


@pytest.mark.parametrize("known", [None, 300])
def test_the_limit_of_enqueued_tokens_is_kept_without_failures(server, batched, known):
    server.behave = BatchFaults(enqueued_limit=400)
    outcomes, account = batched(flows(40), max_tokens=known, live_below=0)
    assert values(outcomes) == EXPECTED
    assert not account.failures
    assert server.happened["refused"] == (0 if known else 1)
    assert account.calls == 40  # what the provider refused was not run
    assert len(sizes(server)) > 2


def test_polls_that_fail_are_repeated(server, batched):
    server.behave = BatchFaults(failing_polls=3)
    outcomes, account = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert account.failures == {"HTTP 503": 3}
    assert sizes(server) == [29]


def test_a_download_that_breaks_off_is_repeated(server, batched):
    server.behave = BatchFaults(broken_downloads=2)
    outcomes, _ = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert sizes(server) == [29]
    assert server.downloads["output-batch_0"] == 3


def test_a_batch_without_files_is_sent_again(server, batched):
    server.behave = BatchFaults(no_files=True)
    outcomes, account = batched(limits=Limits(max_tries=2))
    assert all("no result" in reason for reason in statuses(outcomes)[1:])
    assert sizes(server) == [29, 29]
    assert not account.pending


def test_a_batch_whose_response_is_lost_is_found_again(server, batched):
    server.behave = BatchFaults(lost_responses=1)
    outcomes, _ = batched()
    assert values(outcomes) == EXPECTED[:30]
    assert sizes(server) == [29]


def test_live_and_batched_runs_share_the_cache(server, batched, judge, tmp_path):
    batched()
    with asking(cache=tmp_path / "answers") as account:
        assert values(drive(flows(35), judge())) == EXPECTED[:35]
    assert (account.calls, account.known) == (5, 30)
    outcomes, account = batched(flows(40))
    assert (values(outcomes), account.calls, account.known) == (EXPECTED, 5, 35)
    assert sizes(server) == [29, 4]


def test_batched_answers_cost_the_batch_price(server, batched):
    prices = Prices.parse("in=10,out=20,batch=0.25")
    _, account = batched(prices=prices)
    whole = prices.of("mock").cost(account.prompt_tokens, account.completion_tokens)
    assert whole / 4 < account.cost < whole / 3.5


def test_the_budget_is_reserved_before_a_batch_is_submitted(server, batched):
    outcomes, account = batched(flows(40), max_calls=30, live_below=0)
    assert account.calls <= 30
    assert account.spent
    scored = [outcome.value is not None for outcome in outcomes]
    assert scored == sorted(scored, reverse=True)  # the first items are whole
    assert 0 < sum(scored) == account.answers


def test_money_is_reserved_at_the_batch_price(server, batched):
    prices = Prices.parse("in=1,out=2")
    _, whole = batched(prices=prices)
    outcomes, account = batched(flows(40), prices=prices, max_cost=whole.cost, live_below=0)
    assert account.cost <= whole.cost
    assert sum(outcome.value is not None for outcome in outcomes) > 30


def test_progress_names_the_round_and_its_lines(server, batched, monkeypatch):
    server.behave = BatchFaults(seconds=0.3)
    seen, original = set(), Rounds._progress

    def recorded(rounds, name, done):
        original(rounds, name, done)
        seen.add(rounds.account.in_short().rpartition(", ")[2])

    monkeypatch.setattr(Rounds, "_progress", recorded)
    _, account = batched()
    assert seen == {"round 1: 0 of 29 lines", "round 1: 29 of 29 lines"}
    assert account.round == ""


def test_batches_need_a_cache_in_a_file():
    with (
        pytest.raises(InputError, match="batches need an answer cache in a file"),
        asking(cache=True, batch=True),
    ):
        pass


def test_only_known_generators_are_asked_in_batches(batched):
    from haystack.components.generators.chat import MockChatGenerator

    with pytest.raises(InputError, match="can only be asked live"):
        batched([flow()], MockChatGenerator("{}"))


def test_workers_and_shards_are_refused(tmp_path):
    data = {"predicted_answers": ["a"]}
    with asking(cache=tmp_path / "answers", batch=True):
        for options in ({"workers": 2}, {"shard": (1, 2)}):
            with pytest.raises(InputError, match="one process submits the batches"):
                evaluate("valor_coherence", data, out=tmp_path / "run", **options)
