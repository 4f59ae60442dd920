"""Shared by the scripts of this folder: arguments, clocks, and the result as one line of JSON."""

import argparse
import asyncio
import contextlib
import json
import logging
import math
import resource
import sys
import time
from pathlib import Path
from typing import Any

import openai

_START = time.perf_counter()


class Peer:
    """One run of one library over the items, timed from the end of its imports."""

    def __init__(self) -> None:
        parser = argparse.ArgumentParser()
        parser.add_argument("items", help="JSON file of items")
        parser.add_argument("url", help="base url of a server with OpenAI's chat API")
        parser.add_argument("--concurrency", type=int, default=16)
        parser.add_argument("--option", default="")
        self.options = parser.parse_args()
        self.items = json.loads(Path(self.options.items).read_text(encoding="utf-8"))
        logging.disable(logging.CRITICAL)

    def ready(self, version: str) -> None:
        """Start the clocks after the library is imported.

        OpenAI's client, which all libraries use, imports much at its first call. Make that call here.
        """
        self.version = version
        asyncio.run(_import_client())
        self.imported = time.perf_counter() - _START
        self.cpu, self.start = time.process_time(), time.perf_counter()

    def column(self, name: str) -> list[Any]:
        """One field of all items."""
        return [item[name] for item in self.items]

    def done(self, scores: dict[str, Any], **more: Any) -> None:
        """Print the scores per metric, in the order of the items, with time and calls."""
        told = {
            "version": self.version,
            "wall": time.perf_counter() - self.start,
            "cpu": time.process_time() - self.cpu,
            "import": self.imported,
            "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "scores": {name: [_number(score) for score in column] for name, column in scores.items()},
            **more,
        }
        sys.__stdout__.write("\n" + json.dumps(told) + "\n")
        sys.__stdout__.flush()


async def _import_client() -> None:
    client = openai.AsyncOpenAI(base_url="http://127.0.0.1:9/v1", api_key="none", max_retries=0)
    with contextlib.suppress(openai.APIConnectionError):
        await client.chat.completions.create(model="none", messages=[])


def _number(score: Any) -> float | None:
    if score is None or isinstance(score, str) or math.isnan(score):
        return None
    return float(score)
