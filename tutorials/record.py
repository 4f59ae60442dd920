"""Record what a real model answers and judges in the tutorials; run it again against a better one.

    python tutorials/record.py answers judgements probe --judge-model gguf:FILE
    python tutorials/record.py answers judgements probe --judge-model MODEL [--judge-url URL]

`answers` are those of the configurations that go on in tutorial 2, `judgements` what is judged of them,
`probe` the verdicts on plain claims in tutorial 4: files of `tutorials/data` that `RecordedChatGenerator`
replays. Every reply is the model's: none is made up, and a call that failed is not recorded. Answers and
judgements that were stopped go on where they were; equal prompts are asked once.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import rag
from haystack.dataclasses import ChatMessage

from thresher import evaluate, read_dataset
from thresher.components import CustomJudgeEvaluator, LlamaIndexPairwiseComparisonEvaluator
from thresher.judges import Limits, RecordedChatGenerator, Recording, asking, judge_named, probe
from thresher.judges.flow import Answer, Ask, digest

LONGEST = 80
"""Tokens that an answer may have."""
SAVE_EVERY = 5


class Recorder:
    """A ChatGenerator that asks another one, and keeps what it replies.

    Args:
        chat_generator: who is asked.
        path: the recording; what it holds already is not asked again.
        name: what the recording calls the model.
    """

    def __init__(self, chat_generator: Any, path: Path, name: str) -> None:
        self.chat_generator = chat_generator
        self.path = path
        self.recording = Recording.load(path) if path.exists() else Recording(name)

    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Reply to messages, from the recording if they are known."""
        key = digest((message.role.value, message.text) for message in messages)
        if key not in self.recording.entries:
            self.recording.entries[key] = self._asked(messages)
            if len(self.recording.entries) % SAVE_EVERY == 0:
                self.recording.save(self.path)
        return {"replies": [ChatMessage.from_assistant(self.recording.entries[key]["reply"])]}

    def _asked(self, messages: list[ChatMessage]) -> dict[str, Any]:
        start = time.perf_counter()
        reply = self.chat_generator.run(messages, generation_kwargs={"max_tokens": LONGEST})["replies"][0]
        usage = reply.meta.get("usage") or {}
        return {
            "prompt": messages[-1].text,
            "reply": reply.text,
            "finish": reply.meta.get("finish_reason"),
            "tokens": [usage.get("prompt_tokens"), usage.get("completion_tokens")],
            "latency": round(time.perf_counter() - start, 4),
        }


def record_answers(judge: Any, name: str) -> None:
    """The answers of the finalists."""
    recorder = Recorder(judge, rag.ANSWERS, name)
    rows = rag.run_configurations(rag.FINALISTS, recorder)
    recorder.recording.save(rag.ANSWERS)
    first = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[rag.FINALISTS[0].name])
    rag.FIRST_ANSWERS.write_text(first, encoding="utf-8")


def record_judgements(judge: Any, name: str, cache: str) -> None:
    """Every finalist's answers against the references, and the answers of two of them side by side."""
    recording = Recording.load(rag.JUDGEMENTS) if rag.JUDGEMENTS.exists() else Recording(name)
    rows = rag.run_configurations(rag.FINALISTS, RecordedChatGenerator(str(rag.ANSWERS)))
    limits = Limits(max_concurrency=1, timeout=600, max_tries=2)
    with asking(cache=cache, listener=recording.keep, limits=limits) as account:
        for each in rows.values():
            correct = CustomJudgeEvaluator.from_file(rag.DATA / "answer_correct.yaml", judge)
            print(evaluate([correct], read_dataset(each)).individual_aggregate_score_report(), flush=True)
            recording.save(rag.JUDGEMENTS)
        pairwise = LlamaIndexPairwiseComparisonEvaluator(judge)
        print(pairwise.run(**rag.differing(*list(rows.values())[:2]))["score"], account.to_dict())
    recording.save(rag.JUDGEMENTS)


def record_probe(judge: Any, name: str) -> None:
    """Verdicts on plain claims; asked once, since a recording cannot tell whether a judge repeats itself."""
    recording = Recording(name)

    def keep(ask: Ask[Any], answer: Answer) -> None:
        recording.keep(ask, answer)
        recording.save(rag.PROBE)

    with asking(listener=keep, limits=Limits(max_concurrency=1, timeout=600, max_tries=2)):
        print(probe(judge, repeats=0))


def main() -> None:
    """Read the options and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="+", choices=["answers", "judgements", "probe"])
    parser.add_argument("--judge-model", required=True, help="a model's name, or gguf:FILE")
    parser.add_argument("--judge-url", help="a server with OpenAI's API")
    parser.add_argument("--name", help="what the recording calls the model")
    parser.add_argument("--cache", default="answers.sqlite", help="file of replies that judged metrics got")
    options = parser.parse_args()
    judge = judge_named(options.judge_model, options.judge_url)
    name = options.name or options.judge_model
    if "answers" in options.what:
        record_answers(judge, name)
    if "judgements" in options.what:
        record_judgements(judge, name, options.cache)
    if "probe" in options.what:
        record_probe(judge, name)


if __name__ == "__main__":
    main()
