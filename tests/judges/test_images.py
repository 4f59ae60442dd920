"""Images in contexts and answers: what a judge gets, what is stored, and what is refused."""

import base64
import gzip
import hashlib
import json

import numpy as np
import pytest
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage, ImageContent

from thresher import EvaluationResults, read_dataset
from thresher.components.judged.valor.coherence import ValorCoherenceEvaluator
from thresher.components.judged.valor.context_relevance import ValorContextRelevanceEvaluator
from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
from thresher.errors import InputError
from thresher.files.image_texts import image_of
from thresher.judges import RecordedChatGenerator, Recording, Verdicts, asking, estimating, prompt, rehearse
from thresher.judges.blindness import BLIND, is_blind
from thresher.judges.engine.batches.anthropic_batches import AnthropicBatches
from thresher.judges.local import LocalChatGenerator
from thresher.judges.steps import judge_each
from thresher.reports.html.items.payload import payload
from thresher.reports.html.items.pictures import LEFT_OUT
from thresher.results import Measure, MetricResult, Signature, Statistics, Status

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
OTHER = PNG + b"\0"
SHA = hashlib.sha256(PNG).hexdigest()
YES = json.dumps({id_: {"reason": f"Context {id_} says so.", "verdict": "yes"} for id_ in "12"})


def content(data=PNG, **options):
    return ImageContent(base64.b64encode(data).decode(), "image/png", **options)


def relevance(judge, contexts, **settings):
    metric = ValorContextRelevanceEvaluator(judge)
    with asking(cache=False, **settings):
        return metric.run(questions=["How long is the lock?"], contexts=[contexts])["result"]


@pytest.fixture
def seeing(server):
    """A server whose judge answers yes to everything."""
    before = server.replies
    server.replies = [lambda _: YES]
    yield server
    server.replies = before


def test_an_image_is_a_named_part_of_the_message(seeing, judge):
    result = relevance(judge(), ["The lock is old.", content(detail="low")])
    (body,) = seeing.bodies
    text, name, image = body["messages"][1]["content"]
    slot = f"image 1, {SHA[:12]}"
    assert f'"2": "[{slot}]"' in text["text"]
    assert base64.b64encode(PNG).decode() not in text["text"]
    assert name == {"type": "text", "text": f"{slot}:"}
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert image == {"type": "image_url", "image_url": {"url": url, "detail": "low"}}
    assert result.item_scores().tolist() == [1.0]


def test_evidence_has_a_reference_instead_of_the_bytes(seeing, judge):
    result = relevance(judge(), ["The lock is old.", content()])
    (evidence,) = result.evidence
    reference = {"sha256": SHA, "mime_type": "image/png", "bytes": len(PNG)}
    assert evidence["replies"][0]["images"] == [reference]
    assert evidence["contexts"][1]["text"] == f"[image/png, {len(PNG)} bytes, sha256 {SHA}]"
    assert base64.b64encode(PNG).decode() not in json.dumps(evidence)


def test_answers_may_be_or_contain_images_and_equal_ones_are_sent_once(server, judge):
    server.replies.insert(0, lambda _: '{"reason": "It is clear.", "rating": 4}')
    metric = ValorCoherenceEvaluator(judge())
    parts = ["Here it is:", content(), "and again", content(), content(OTHER)]
    try:
        with asking(cache=False):
            scores = metric.run(predicted_answers=[content(), parts])["individual_scores"]
    finally:
        server.replies.pop(0)
    assert scores == [4.0, 4.0]
    images = [[part["type"] for part in body["messages"][1]["content"]] for body in server.bodies]
    assert sorted(kinds.count("image_url") for kinds in images) == [1, 2]


def test_the_cache_key_depends_on_the_bytes_and_the_detail(seeing, judge, tmp_path):
    calls = []
    for image in (content(), content(), content(OTHER), content(detail="high")):
        metric = ValorContextRelevanceEvaluator(judge())
        with asking(cache=tmp_path / "answers.sqlite") as account:
            metric.run(questions=["q"], contexts=[["The lock is old.", image]])
        calls.append(account.calls)
    assert calls == [1, 0, 1, 1]


def test_the_detail_of_the_session_is_signed_and_does_not_replace_an_image_s_own(seeing, judge):
    result = relevance(judge(), [content(), content(OTHER, detail="high")], image_detail="low")
    details = [
        part["image_url"].get("detail")
        for part in seeing.bodies[0]["messages"][1]["content"]
        if part["type"] == "image_url"
    ]
    assert details == ["low", "high"]
    assert "image_detail:low" in str(result.measures[0].signature)
    with pytest.raises(InputError, match="image_detail='best'"):
        asking(image_detail="best").__enter__()


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't see the image.",
        YES.replace("Context 1 says so.", "I am unable to view images, so I assume yes."),
        YES.replace("Context 2 says so.", "No image was provided."),
        "The picture is not visible to me.",
        "I don\u2019t have the ability to view attachments.",
    ],
)
def test_a_judge_that_cannot_see_the_image_is_unreadable(reply):
    texts = ["The lock is old.", image_of(PNG, "x").text]
    ask = prompt("valor/context_relevance").ask(Verdicts(("1", "2")), question="q", contexts=texts)
    outcome = rehearse(judge_each(ask), [reply])
    assert (outcome.status, outcome.value) == (Status.UNREADABLE, None)
    assert BLIND in outcome.reason
    plain = prompt("valor/context_relevance").ask(Verdicts(("1", "2")), question="q", contexts=["a", "b"])
    if reply.startswith("{"):
        assert rehearse(judge_each(plain), [reply]).value is not None


@pytest.mark.parametrize(
    "reason",
    [
        "The image shows a lock.",
        "Nothing in the picture tells how long the lock is.",
        "The image does not show the year.",
        "The claim cannot be derived from the image.",
    ],
)
def test_a_reason_about_an_image_is_not_blindness(reason):
    assert not is_blind(reason)


def test_another_generator_gets_haystack_s_image_content():
    asked = []

    class Seeing(MockChatGenerator):
        def run(self, messages):
            asked.append(messages[-1])
            return {"replies": [ChatMessage.from_assistant(YES)]}

        async def run_async(self, messages):
            return self.run(messages)

    assert relevance(Seeing(), ["The lock is old.", content(detail="low")]).score == 1.0
    (image,) = asked[0].images
    assert (image.base64_image, image.mime_type, image.detail) == (content().base64_image, "image/png", "low")


def test_a_local_model_refuses_images(tmp_path):
    with pytest.raises(InputError, match="cannot read images; choose one that can"):
        relevance(LocalChatGenerator(str(tmp_path / "judge.gguf")), [content()])


def test_a_recording_is_replayed_for_the_same_bytes_only(seeing, judge, tmp_path):
    recording = Recording("mock")
    relevance(judge(), ["The lock is old.", content()], listener=recording.keep)
    recording.save(tmp_path / "images.json.gz")
    replayed = RecordedChatGenerator(str(tmp_path / "images.json.gz"))
    assert relevance(replayed, ["The lock is old.", content()]).score == 1.0
    other = relevance(replayed, ["The lock is old.", content(OTHER)])
    assert other.status.tolist() == [Status.FAILED]


def test_an_estimate_counts_images_and_not_their_tokens(judge):
    metric = ValorFaithfulnessEvaluator(judge())
    counts = []
    for context in ("[image 1, 0123456789ab]", content()):
        with estimating() as estimate:
            metric.run(contexts=[[context]], predicted_answers=["The lock is old."])
        counts.append((estimate.images, estimate.prompt_tokens, estimate.to_dict().get("images")))
    assert [count[0] for count in counts] == [0, 1]
    assert counts[0][1] == counts[1][1]
    assert counts[1][2] == 1


def test_a_batch_of_anthropic_has_images_in_its_form():
    api = AnthropicBatches.__new__(AnthropicBatches)
    api._model, api._target = "m", type("Target", (), {"generation_kwargs": None})()
    url = {"url": "data:image/png;base64,AAAA", "detail": "low"}
    content = [{"type": "text", "text": "What?"}, {"type": "image_url", "image_url": url}]
    (message,) = api.body([{"role": "user", "content": content}], {})["messages"]
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert message["content"] == [content[0], {"type": "image", "source": source}]


def test_what_is_not_an_image_is_refused():
    with pytest.raises(InputError, match=r"contexts\[0\]\[0\] is not an image; give a PNG"):
        relevance(MockChatGenerator(YES), [content(b"plain text", validation=False)])
    with pytest.raises(InputError, match="not valid base64"):
        relevance(MockChatGenerator(YES), [ImageContent("%%", "image/png", validation=False)])


def write(folder, *rows):
    (folder / "lock.png").write_bytes(PNG)
    data = folder / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return data


def test_rows_refer_to_files_next_to_the_data(tmp_path):
    row = {
        "question": "How long?",
        "contexts": ["The lock is old.", {"image": "lock.png", "detail": "low"}],
        "predicted_answer": {"image": "lock.png"},
    }
    dataset = read_dataset(write(tmp_path, row))
    assert dataset.column("contexts")[0] == ["The lock is old.", image_of(PNG, "x", "low").text]
    assert dataset.column("predicted_answers")[0] == image_of(PNG, "x").text
    before = dataset.fingerprint()
    assert read_dataset(tmp_path / "data.jsonl").fingerprint() == before
    data = write(tmp_path, row)
    (tmp_path / "lock.png").write_bytes(OTHER)
    assert read_dataset(data).fingerprint() != before


def test_rows_may_contain_image_content_and_parts():
    rows = [{"question": "q", "predicted_answer": ["Look:", content()], "contexts": [content()]}]
    dataset = read_dataset(rows)
    text = image_of(PNG, "x").text
    assert dataset.column("predicted_answers")[0] == f"Look:\n{text}"
    assert dataset.column("contexts")[0] == [text]
    rows[0]["contexts"] = [content().to_dict()]
    assert read_dataset(rows).column("contexts")[0] == [text]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("../secret.png", r"data.jsonl:1: the image '../secret.png' is outside"),
        ("/etc/hostname", r"is outside"),
        ("https://example.com/lock.png", r"is not the path of a file"),
        ("absent.png", r"absent.png cannot be read"),
        ("data.jsonl", r"data.jsonl is not an image"),
        (5, r"the image 5 is not the path of a file"),
        ("link.png", r"is outside"),
    ],
)
def test_a_reference_to_anything_else_is_refused(tmp_path, reference, message):
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    data = write(folder, {"question": "q", "contexts": [{"image": reference}]})
    with pytest.raises(InputError, match=message):
        read_dataset(data)


def test_an_unknown_detail_of_a_row_is_refused(tmp_path):
    data = write(tmp_path, {"question": "q", "contexts": [{"image": "lock.png", "detail": "best"}]})
    with pytest.raises(InputError, match=r"data.jsonl:1: .*detail='best' must be one of auto, low, high"):
        read_dataset(data)


def run_with(answer, contexts):
    data = {"id": ["a"], "predicted_answers": [answer], "contexts": [contexts]}
    measure = Measure(Signature.of("share", {}))
    return EvaluationResults(data, [MetricResult([measure], Statistics({"score": np.ones(1)}))], name="run")


def test_an_item_s_page_has_pictures_within_its_budget():
    image = image_of(PNG, "x").text
    large = image_of(PNG + bytes(range(256)) * 200, "x").text
    packed = payload([run_with(image, ["The lock.", image, large])], ["run"], most=10, room=20_000, seed=0)
    assert (packed.pictures, packed.pictures_left_out) == (2, 1)
    texts = json.loads(gzip.decompress(base64.b64decode(packed.text)))["texts"]
    assert image in texts
    assert LEFT_OUT in texts


def test_an_image_within_a_text_is_a_reference_on_the_page():
    text = f"Look:\n{image_of(PNG, 'x').text}"
    packed = payload([run_with(text, ["The lock."])], ["run"], most=10, room=20_000, seed=0)
    texts = json.loads(gzip.decompress(base64.b64decode(packed.text)))["texts"]
    assert (packed.pictures, f"Look:\n[image/png, {len(PNG)} bytes]" in texts) == (0, True)
