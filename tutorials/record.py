"""Record what a real model answers and judges in the tutorials; run it again against a better one.

    python tutorials/record.py answers rag judgements probe agent --judge-model gguf:FILE
    python tutorials/record.py answers rag judgements probe agent --judge-model MODEL [--judge-url URL]

`answers` are those of all eight configurations of tutorial 2, and `rag` what the recipe of that name asks
about a sample of them (`--questions`); `judgements` are what tutorials 3, 4 and 5 judge by prompts of
their own, `probe` the verdicts on plain claims in tutorial 4, and `agent` the replies and verdicts of the
agents in tutorial 8: files of `tutorials/data` that `RecordedChatGenerator` replays. Every reply is the
model's: none is made up, and a call that failed is not recorded. What a recording contains is not asked
again, so one that was stopped goes on where it was.
"""

import argparse
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import rag
import town
from haystack.dataclasses import ChatMessage

from thresher import evaluate, read_dataset
from thresher.components import CustomJudgeEvaluator, LlamaIndexPairwiseComparisonEvaluator
from thresher.judges import Limits, RecordedChatGenerator, Recording, asking, judge_named, probe
from thresher.judges.flow import Answer, Ask, digest

LONGEST_ANSWER, LONGEST_REPLY = 80, 256
"""Tokens that an answer and a judge's reply may have: small models may repeat themselves without end."""
SAVE_EVERY = 5


class Recorder:
    """A ChatGenerator that asks another one, and keeps what it replies.

    Args:
        chat_generator: who is asked.
        path: the recording; what it holds already is not asked again.
        name: what the recording calls the model.
        longest: tokens that a reply may have.
    """

    speaks_openai = True

    def __init__(self, chat_generator: Any, path: Path, name: str, longest: int = LONGEST_REPLY) -> None:
        self.chat_generator = chat_generator
        self.path = path
        self.model = name
        self.longest = longest
        self.recording = Recording.load(path) if path.exists() else Recording(name)
        self.asked = 0
        self._saving = threading.Lock()

    def to_dict(self) -> dict[str, Any]:
        """As Haystack stores components, which a pipeline must be able to do."""
        told = {"path": str(self.path), "name": self.model, "longest": self.longest}
        return {"type": f"{type(self).__module__}.{type(self).__qualname__}", "init_parameters": told}

    def run(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Reply to messages, from the recording if they are known."""
        key = digest((message.role.value, message.text) for message in messages)
        entry = self.recording.entries.get(key) or self._asked(messages, generation_kwargs or {})
        with self._saving:
            self.recording.entries[key] = entry
            if self.asked >= SAVE_EVERY:
                self.save()
        return {
            "replies": [ChatMessage.from_assistant(entry["reply"], meta={"finish_reason": entry["finish"]})]
        }

    def save(self) -> None:
        """Write the recording."""
        self.recording.save(self.path)
        self.asked = 0

    def _asked(self, messages: list[ChatMessage], options: dict[str, Any]) -> dict[str, Any]:
        asked = {"max_tokens": self.longest, **options}
        reply = self.chat_generator.run(messages, generation_kwargs=asked)["replies"][0]
        usage = reply.meta.get("usage") or {}
        self.asked += 1
        return {
            "prompt": (messages[-1].text or "").partition("\n\n")[0],
            "reply": reply.text,
            "finish": reply.meta.get("finish_reason"),
            "tokens": [usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)],
        }


def record_answers(judge: Any, name: str) -> None:
    """The answers of all configurations."""
    recorder = Recorder(judge, rag.ANSWERS, name, LONGEST_ANSWER)
    rows = rag.run_configurations(rag.CONFIGURATIONS, recorder)
    recorder.save()
    write_answers(rows)


def write_answers(rows: dict[str, list[dict[str, Any]]]) -> None:
    """The finalists' answers as data sets: the files that tutorial 1 and the README start from."""
    for path, finalist in zip((rag.FIRST_ANSWERS, rag.BM25_ANSWERS), rag.FINALISTS, strict=True):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[finalist.name])
        path.write_text(lines, encoding="utf-8")


def record_recipe(judge: Any, name: str, questions: int) -> None:
    """What the recipe `rag` asks about the sample: all configurations of a question, then the next one."""
    recorder = Recorder(judge, rag.RAG_JUDGEMENTS, name)
    answers = rag.run_configurations(rag.CONFIGURATIONS, RecordedChatGenerator(str(rag.ANSWERS)))
    for number, wanted in enumerate(rag.judged_questions(questions), start=1):
        start = time.perf_counter()
        rows = [
            {**row, "id": f"{run}-{wanted}"}
            for run, each in answers.items()
            for row in each
            if row["id"] == wanted
        ]
        evaluate(rag.judged_recipe(recorder), read_dataset(rows))
        recorder.save()
        seconds, replies = time.perf_counter() - start, len(recorder.recording.entries)
        sys.stdout.write(f"{number}: {wanted}, {replies} replies in all, {seconds:.0f} s\n")
        sys.stdout.flush()


def record_judgements(judge: Any, name: str) -> None:
    """Two configurations' answers against the references, and side by side."""
    recorder = Recorder(judge, rag.JUDGEMENTS, name)
    rows = rag.run_configurations(rag.FINALISTS, RecordedChatGenerator(str(rag.ANSWERS)))
    for each in rows.values():
        correct = CustomJudgeEvaluator.from_file(rag.DATA / "answer_correct.yaml", recorder)
        print(evaluate([correct], read_dataset(each)).individual_aggregate_score_report(), flush=True)
    pairwise = LlamaIndexPairwiseComparisonEvaluator(recorder)
    print(pairwise.run(**rag.differing(*rows.values()))["score"])
    recorder.save()


def record_probe(judge: Any, name: str) -> None:
    """Verdicts on plain claims; asked once, since a recording cannot tell whether a judge repeats itself."""
    recording = Recording(name)

    def keep(ask: Ask[Any], answer: Answer) -> None:
        recording.keep(ask, answer)
        recording.save(rag.PROBE)

    with asking(listener=keep):
        print(probe(judge, repeats=0))


def record_agent(judge: Any, name: str) -> None:
    """Record the replies of all versions of the agent, then the verdicts on those that are compared."""
    replies = Recorder(judge, town.AGENT_REPLIES, name)
    verdicts = Recorder(judge, town.AGENT_JUDGEMENTS, name)
    for version in town.VERSIONS:
        town.answered(version, replies)
        replies.save()
    replayed = RecordedChatGenerator(str(town.AGENT_REPLIES))
    for version in town.COMPARED:
        results = evaluate(town.judged_metrics(verdicts), read_dataset(town.answered(version, replayed)))
        verdicts.save()
        print(results.individual_aggregate_score_report(), flush=True)


def main() -> None:
    """Read the options and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="+", choices=["answers", "rag", "judgements", "probe", "agent"])
    parser.add_argument("--judge-model", required=True, help="a model's name, or gguf:FILE")
    parser.add_argument("--judge-url", help="a server with OpenAI's API")
    parser.add_argument("--name", help="what the recording calls the model")
    parser.add_argument("--questions", type=int, default=rag.JUDGED, help="how many the recipe judges")
    parser.add_argument("--max-concurrency", type=int, default=1, help="calls in flight at the same time")
    options = parser.parse_args()
    os.environ.setdefault("OPENAI_TIMEOUT", "600")  # a server without a graphics card takes its time
    if options.judge_url:
        os.environ.setdefault("OPENAI_API_KEY", "none")  # OpenAI's client wants one even where none is needed
    judge = judge_named(options.judge_model, options.judge_url)
    name = options.name or options.judge_model
    limits = Limits(max_concurrency=options.max_concurrency, timeout=600, max_tries=2)
    if "answers" in options.what:
        record_answers(judge, name)
    with asking(cache=False, limits=limits):
        if "rag" in options.what:
            record_recipe(judge, name, options.questions)
        if "judgements" in options.what:
            record_judgements(judge, name)
        if "probe" in options.what:
            record_probe(judge, name)
        if "agent" in options.what:
            record_agent(judge, name)


if __name__ == "__main__":
    main()
