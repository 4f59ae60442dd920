"""What judges reply, and the cache of their replies."""

import json
from contextlib import closing

from fuzz.mutations import mutate_bytes, mutate_data, mutate_text
from fuzz.registry import fuzzer


@fuzzer("judges/reply.py")
def reply(folder):
    from thresher.judges.rating import Rating
    from thresher.judges.reply import read_reply
    from thresher.judges.schema import Texts, Verdicts

    cases = [
        (Rating(1, 5), '{"reason": "x", "rating": 4}'),
        (Texts("statements"), '```json\n{"statements": ["a", "b"]}\n```'),
        (
            Verdicts(("1", "2")),
            '<think>hm</think>{"1": {"reason": "a", "verdict": "yes"}, "2": {"verdict": "no"}}',
        ),
    ]

    def action(rng):
        schema, text = rng.choice(cases) if rng else cases[0]
        text = mutate_text(rng, text) if rng else text
        if rng and rng.random() < 0.1:
            text = rng.choice(("{", "[", "\\", '"', "1", "<think>", "```", '{"a":')) * 20_000 + text

        def read():
            reading = read_reply(text, schema, rng.choice(("stop", "length")) if rng else "stop", "a context")
            assert (reading.value is None) == bool(reading.problem or reading.doubts)
            return reading

        return read

    return action


@fuzzer("judges/engine/batches/journal.py")
def batch_journal(folder):
    """A damaged entry is refused or skipped; a whole one is read as it was written."""
    from thresher.files.texts import whole_text
    from thresher.judges.engine.batches.journal import Journal, read_entry

    journal = Journal(folder / "journal")
    entry = journal.submitted(journal.begin(1, 2, {"key": "valor/coherence", "other": "geval/x"}), "batch_1")
    (path,) = journal.folder.iterdir()
    written = path.read_bytes()

    def action(rng):
        content = written
        if rng is not None:
            data = json.dumps(mutate_data(rng, json.loads(written))).encode()
            content = data if rng.random() < 0.5 else mutate_bytes(rng, written)
        path.write_bytes(content)

        def read():
            (known,) = list(journal.entries()) or (None,)
            again = read_entry(whole_text(path), path)
            assert again == known or again.created != again.created
            assert content != written or again == entry
            return again

        return read

    return action


@fuzzer("judges/engine/file_answers.py")
def answer_cache(folder):
    """A damaged stored answer is requested again; it never changes a score."""
    import sqlite3

    from haystack.components.generators.chat import MockChatGenerator

    from thresher.components import ValorContextRelevanceEvaluator
    from thresher.judges import asking

    path = folder / "answers.sqlite"
    metric = ValorContextRelevanceEvaluator(
        MockChatGenerator('{"1": {"reason": "a", "verdict": "no"}}', model="m")
    )

    def ask():
        with asking(cache=path):
            result = metric.run(questions=["q"], contexts=[["c"]])
        assert result["individual_scores"] == [0.0]
        return result

    ask()
    with closing(sqlite3.connect(path)) as connection:
        ((stored,),) = connection.execute("SELECT answer FROM answers").fetchall()

    def action(rng):
        answer = stored.encode() if rng is None else damaged_answer(rng, json.loads(stored))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE answers SET answer = ?", (answer.decode("utf-8", "replace"),))
            connection.commit()
        return ask

    return action


@fuzzer("judges/engine/answer_log_files.py")
def answer_log(folder):
    """An answer in a damaged log is requested again or equal; one that is not an answer is none."""
    import asyncio

    from thresher.files.stores import FolderStore
    from thresher.judges import Answer
    from thresher.judges.engine.answer_log_files import encoded
    from thresher.judges.engine.answer_logs import LoggedAnswers
    from thresher.judges.engine.packed_answers import packed

    store = FolderStore(folder / "answers")
    log = LoggedAnswers(store)
    asyncio.run(log.put("key", "prompt", Answer("verdict", model="m")))
    log.close()
    (file,) = (folder / "answers").iterdir()
    content, answer = file.read_bytes(), json.loads(packed(Answer("verdict", model="m")))

    def action(rng):
        if rng is not None:
            entry = damaged_answer(rng, answer).decode("utf-8", "replace")
            file.write_bytes(rng.choice((mutate_bytes(rng, content), encoded([("key", "prompt", entry)]))))

        def read():
            found = LoggedAnswers(store).get("key")
            assert found is None or found.text == "verdict", "a damaged answer is used"
            return "read" if found is None else found

        return read

    return action


def damaged_answer(rng, answer):
    """A stored answer with fields of other types; its text does not contain another verdict."""
    changed = mutate_data(rng, answer)
    if isinstance(changed, dict) and isinstance(changed.get("text"), str):
        changed["text"] = answer["text"]
    return rng.choice(
        (json.dumps(changed).encode(), json.dumps(answer).encode()[: rng.randrange(60)], b"[" * 100_000)
    )


@fuzzer("judges/template_packs.py")
def templates(folder):
    """A pack is read, or refused in one line; what is read can be filled in with the data of its step."""
    from thresher.components import ValorCoherenceEvaluator

    (folder / "valor").mkdir(exist_ok=True)
    file, labels = folder / "valor" / "coherence.jinja", folder / "labels.yaml"
    written, words = b"Rate the text. {{ text }} Give a {% if 1 %}rating{% endif %}.", b"yes: ja\nno: nein\n"

    def action(rng):
        file.write_bytes(mutate_bytes(rng, written) if rng else written)
        labels.write_bytes(mutate_bytes(rng, words) if rng else words)
        return lambda: ValorCoherenceEvaluator(templates=folder).templates["valor/coherence"]

    return action


@fuzzer("datasets/_image_entries.py")
def image_entries(folder):
    """Rows that refer to image files, which may be damaged."""
    from thresher.datasets import read_dataset

    header = b"\x89PNG\r\n\x1a\n"
    row = {
        "question": "q",
        "contexts": ["text", {"image": "plan.png", "detail": "low"}],
        "predicted_answer": [{"base64_image": "iVBORw0KGgo=", "mime_type": "image/png"}, "text"],
    }
    data, image = folder / "rows.jsonl", folder / "plan.png"

    def action(rng):
        image.write_bytes(header if rng is None else mutate_bytes(rng, header))
        data.write_text(json.dumps(row if rng is None else mutate_data(rng, row)) + "\n")
        return lambda: read_dataset(data)

    return action
