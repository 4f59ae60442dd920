import json

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher.components import CitationSupportEvaluator
from thresher.judges import asking
from thresher.results import Status

CONTEXTS = ["The mill was built in 1821.", "It burned down twice.", "The owner sold it in 1904."]
ANSWER = (
    "Here it is: Built in 1821 [1]. It burned twice [1, 2]!\nSold in 1910 [3][9]. It stood in Lunna. Bye!"
)
VERDICTS = {
    "s1": ("supported", ["built in 1821"]),
    "s1c1": ("supported", []),
    "s2": ("supported", ["burned down twice"]),
    "s2c1": ("unsupported", []),
    "s2c2": ("supported", []),
    "s3": ("contradicted", ["sold it in 1904"]),
    "s3c3": ("contradicted", []),
    "s4": ("supported", ["nowhere"]),
    "s5": ("nothing", []),
}


def run(verdicts=VERDICTS, answer=ANSWER, contexts=CONTEXTS, **options):
    prompts = []

    def judge(messages):
        prompts.append(messages[-1].text)
        fields = {
            id_: {"passages": row[1], "reason": "r", "verdict": row[0]} for id_, row in verdicts.items()
        }
        return json.dumps(fields)

    with asking(cache=False):
        metric = CitationSupportEvaluator(MockChatGenerator(response_fn=judge), **options)
        return metric.run(contexts=[contexts], predicted_answers=[answer])["result"], prompts


def test_sentences_and_citations_are_counted_in_one_call():
    result, prompts = run()
    assert (result.score, len(prompts)) == (2 / 4, 1)
    assert result.value("citation_support_precision") == 2 / 5
    counts = {name: int(column[0]) for name, column in result.statistics.items() if name != "score"}
    assert counts == {"supported": 2, "sentences": 4, "supporting": 2, "citations": 5}


def test_evidence_has_places_and_passages():
    evidence = run()[0].evidence[0]
    sentences = evidence["sentences"]
    assert [entry["verdict"] for entry in sentences] == [
        "supported",
        "supported",
        "contradicted",
        "uncited",
        "nothing",
    ]
    for entry in sentences:
        assert ANSWER[entry["span"]["start"] : entry["span"]["end"]] == entry["text"]
    assert [len(entry["passages"]) for entry in sentences] == [1, 1, 1, 0, 0]
    assert sentences[2]["passages"][0] | {"start": 0, "end": 0} == {
        "context": 3,
        "start": 0,
        "end": 0,
        "how": "exact",
        "quote": "sold it in 1904",
    }
    pointing = [(entry["sentence"], entry["cited"], entry["verdict"]) for entry in evidence["citations"]]
    assert pointing[-2:] == [("s3", 3, "contradicted"), ("s3", 9, "no such context")]


def test_the_judge_sees_sentences_contexts_and_citations_by_number():
    verdicts = {"s1": ("supported", []), "s1c0": ("supported", [])}
    result, prompts = run(verdicts, "Built in 1821 [0].", first_number=0)
    assert result.score == 1.0
    assert '"0": "The mill was built in 1821."' in prompts[0]
    assert '{"s1": "cites context 0", "s1c0": "the citation of context 0 in sentence s1"}' in prompts[0]


@pytest.mark.parametrize(
    ("options", "status", "score"),
    [({}, Status.UNDEFINED, None), ({"undefined": "one"}, Status.SCORED, 1.0)],
)
def test_answers_that_assert_nothing(options, status, score):
    for answer, calls in (("Hello!", 1), ("...", 0)):
        result, prompts = run({"s1": ("nothing", [])}, answer, **options)
        assert (result.status.tolist(), len(prompts)) == ([status], calls)
        assert score is None or result.score == score


def test_without_contexts_no_judge_is_asked():
    assert (run(contexts=[])[0].score, len(run(contexts=[])[1])) == (0.0, 0)
    assert run(contexts=[], no_contexts="skip")[0].status.tolist() == [Status.UNDEFINED]


def test_a_citation_without_a_verdict_is_asked_for_again():
    result, prompts = run({id_: row for id_, row in VERDICTS.items() if id_ != "s3c3"})
    assert result.status.tolist() == [Status.UNREADABLE]
    assert "Give verdicts for these ids only: s3c3." in prompts[1]
