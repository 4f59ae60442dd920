import asyncio
import multiprocessing

import pytest
from haystack import Pipeline

from judges.rag_items import columns, rag_items
from thresher.components.judged.valor.context_recall import ValorContextRecallEvaluator
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.errors import InputError
from thresher.judges import Limits, asking, configure, drive, estimating, extract, prompt
from thresher.judges.session import current_session

SOCKETS = columns(rag_items(6))


def claims(text="It is."):
    return extract(prompt("valor/claims"), "claims", text)


def pipeline_of(judge):
    pipeline = Pipeline()
    pipeline.add_component("faithfulness", ValorFaithfulnessEvaluator(judge()))
    pipeline.add_component("recall", ValorContextRecallEvaluator(judge()))
    data = {
        name: {socket: SOCKETS[socket] for socket in inputs} for name, inputs in pipeline.inputs().items()
    }
    return pipeline, data


def test_settings_hold_inside_the_block_and_no_longer(tmp_path):
    outside = current_session()
    with asking(limits=Limits(max_concurrency=3)):
        assert current_session().limits.max_concurrency == 3
        with asking(max_calls=1):
            assert current_session().limits.max_concurrency == 3
            assert current_session().answers is outside.answers
    assert current_session() is outside


def test_a_pipeline_asks_within_the_session_blocking_and_asynchronously(server, judge):
    for run in (lambda p, d: p.run(d), lambda p, d: asyncio.run(p.run_async(d))):
        pipeline, data = pipeline_of(judge)
        with asking(cache=False, limits=Limits(max_concurrency=2)) as account:
            run(pipeline, data)
        assert account.calls == 6 * 4
    assert server.max_in_flight <= 2


def test_pipelines_tell_the_same_blocking_and_asynchronously(server, judge):
    pipeline, data = pipeline_of(judge)
    blocking = pipeline.run(data)
    other, data = pipeline_of(judge)
    asynchronous = asyncio.run(other.run_async(data))
    for name, told in blocking.items():
        assert told["individual_scores"] == asynchronous[name]["individual_scores"]


def test_the_process_s_own_session_may_be_set(server, judge, tmp_path):
    account = configure(cache=tmp_path / "answers.sqlite")
    drive([claims()], judge())
    configure(cache=tmp_path / "answers.sqlite")
    drive([claims()], judge())
    assert (server.calls, account.calls) == (1, 1)
    configure()


def test_estimates_of_a_pipeline_count_what_is_shared_once(server, judge):
    pipeline, data = pipeline_of(judge)
    with estimating() as estimate:
        pipeline.run(data)
    assert (estimate.calls, server.calls) == (6 * 4, 0)
    told = estimate.to_dict()
    assert told["prompts"]["valor/claims"] == 6
    assert told["models"] == {"mock": 24}


def test_yaml_keeps_the_judge(server, judge, monkeypatch):
    from haystack.components.generators.chat.openai import OpenAIChatGenerator

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pipeline = Pipeline()
    one = OpenAIChatGenerator(model="mock", api_base_url=server.url)
    pipeline.add_component("faithfulness", ValorFaithfulnessEvaluator(one, claims="statements"))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["thresher"])
    assert again.dumps() == pipeline.dumps()
    data = {"faithfulness": {name: SOCKETS[name] for name in ("contexts", "predicted_answers")}}
    assert again.run(data)["faithfulness"]["result"].n_scored == 6


def _in_child(url, queue):
    from haystack.components.generators.chat.openai import OpenAIChatGenerator
    from haystack.utils import Secret

    judge = OpenAIChatGenerator(Secret.from_token("none"), "mock", api_base_url=url)
    with asking(cache=False):
        queue.put(drive([claims()], judge)[0].value)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_asks_with_an_engine_of_its_own(server, judge):
    drive([claims()], judge())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(server.url, queue))
    child.start()
    assert queue.get(timeout=20) == ("It is.",)
    child.join()
    assert server.calls == 2


def _in_child_with_the_parent_s_session(url, queue):
    from haystack.components.generators.chat.openai import OpenAIChatGenerator
    from haystack.utils import Secret

    judge = OpenAIChatGenerator(Secret.from_token("none"), "mock", api_base_url=url)
    asked = [extract(prompt("valor/claims"), "claims", text) for text in ("It is.", "It was.")]
    queue.put([outcome.value for outcome in drive(asked, judge)])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_shares_the_cache_file_and_not_its_connection(server, judge, tmp_path):
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    bare = judge(generation_kwargs={})
    with asking(cache=tmp_path / "answers.sqlite"):
        drive([claims()], bare)
        child = context.Process(target=_in_child_with_the_parent_s_session, args=(server.url, queue))
        child.start()
        assert queue.get(timeout=20) == [("It is.",), ("It was.",)]
        child.join()
        drive([extract(prompt("valor/claims"), "claims", "It was.")], bare)
    assert child.exitcode == 0
    assert server.calls == 2, "each text is asked about once, whichever process asks"


@pytest.mark.parametrize("cache", [3.5, 1, "", " ", b"x"])
def test_a_cache_that_is_none_is_refused(cache):
    for use in (lambda: configure(cache=cache), lambda: asking(cache=cache).__enter__()):
        with pytest.raises(InputError, match=r"^cache=.* must be a file, a URL, True \(memory\) or False"):
            use()
