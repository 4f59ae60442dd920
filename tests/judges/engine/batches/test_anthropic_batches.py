"""Anthropic's batches, through a stand-in for the generator with a client of the same kind."""

import json

import pytest
from openai import AsyncOpenAI

from judges.asked import EXPECTED, flows, values
from judges.mock_batches import BatchFaults
from thresher.errors import InputError
from thresher.judges import Limits
from thresher.judges.engine.batches.anthropic_batches import AnthropicBatches
from thresher.judges.engine.engine import engine


class AnthropicChatGenerator:
    """What Thresher uses of the generator; both clients are generated from one template."""

    def __init__(self, url="", model="claude", generation_kwargs=None):
        self.url, self.model, self.generation_kwargs = url, model, generation_kwargs or {}
        root = url.removesuffix("/v1")
        self.async_client = AsyncOpenAI(base_url=root, api_key="none", max_retries=0)

    def to_dict(self):
        settings = {"url": self.url, "model": self.model, "generation_kwargs": self.generation_kwargs}
        return {"type": "AnthropicChatGenerator", "init_parameters": settings}

    def run(self, messages):
        raise NotImplementedError

    async def run_async(self, messages):
        from haystack.dataclasses import ChatMessage

        system = " ".join(message.text for message in messages if message.is_from("system"))
        users = [{"role": "user", "content": message.text} for message in messages if message.is_from("user")]
        body = {"model": self.model, "max_tokens": 1024, "system": system, "messages": users}
        reply = await self.async_client.post("/v1/messages", cast_to=object, body=body)
        meta = {"model": reply["model"], "finish_reason": reply["stop_reason"], "usage": reply["usage"]}
        return {"replies": [ChatMessage.from_assistant(reply["content"][0]["text"], meta=meta)]}


@pytest.fixture
def claude(server):
    generator = AnthropicChatGenerator(server.url, generation_kwargs={"temperature": 0.5, "max_tokens": 300})
    yield generator
    engine()._loop.submit(generator.async_client.close()).result()  # the loop that has used it


def test_a_round_is_one_batch(server, batched, claude):
    outcomes, account = batched(flows(30), claude)
    assert values(outcomes) == EXPECTED[:30]
    assert [len(batch["lines"]) for batch in server.batches.values()] == [29]
    assert (account.batched, server.calls) == (29, 1)
    _, params = server.batches["msgbatch_0"]["lines"][0]
    assert {name: params[name] for name in ("model", "max_tokens", "temperature")} == {
        "model": "claude",
        "max_tokens": 300,
        "temperature": 0.5,
    }
    assert all(message["role"] == "user" for message in params["messages"])


def test_a_line_without_an_answer_is_sent_in_the_next_round(server, batched, claude):
    fates = dict.fromkeys(("429", "500", "expired", "cancelled", "unanswered"), 0.08)
    server.behave = BatchFaults(fates=fates)
    outcomes, account = batched(flows(40), claude, live_below=0)
    assert values(outcomes) == EXPECTED
    assert max(server.paid.values()) == 1
    assert len(account.failures) == 5
    assert account.failures.total() == sum(len(batch["lines"]) for batch in list(server.batches.values())[1:])


def test_a_bad_request_fails_at_once(server, batched, claude):
    server.behave = BatchFaults(fates={"400": 0.2})
    outcomes, account = batched(flows(40), claude)
    assert sum("HTTP 400" in outcome.reason for outcome in outcomes) == account.failures["HTTP 400"] > 0
    assert len(server.batches) == 1


def test_a_download_that_breaks_off_is_repeated(server, batched, claude):
    server.behave = BatchFaults(broken_downloads=1)
    outcomes, _ = batched(flows(30), claude)
    assert values(outcomes) == EXPECTED[:30]
    assert len(server.batches) == 1


def test_a_batch_is_found_by_time_and_size_if_its_id_was_not_recorded(server, batched, claude, tmp_path):
    server.behave = BatchFaults(seconds=60)
    batched(flows(30), claude, wait=False)
    (path,) = (tmp_path / "answers.batches").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"batch": None}))
    server.behave.seconds = 0
    outcomes, account = batched(flows(30), claude)
    assert (values(outcomes), account.batched, len(server.batches)) == (EXPECTED[:30], 29, 1)


def test_the_batch_of_another_program_is_not_mistaken(server, batched, claude, tmp_path):
    """It has the same size and time, but none of the keys."""
    server.behave = BatchFaults(seconds=60)
    batched(flows(30), claude, wait=False)
    batch = server.batches["msgbatch_0"]
    batch["lines"] = [(f"other-{place}", body) for place, (_, body) in enumerate(batch["lines"])]
    (path,) = (tmp_path / "answers.batches").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"batch": None}))
    server.behave.seconds = 0
    outcomes, account = batched(flows(30), claude, limits=Limits(max_tries=2))
    assert values(outcomes) == EXPECTED[:30]
    assert account.failures == {"the batch returned no result for the request": 29}


def test_a_generator_without_an_asynchronous_client_is_refused():
    with pytest.raises(InputError, match="no asynchronous client"):
        AnthropicBatches(object(), "claude")
