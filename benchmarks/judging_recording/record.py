"""Record the replies of a real judge for `RecordedChatGenerator`.

    python benchmarks/judging_recording/record.py RECIPE DATA... OUT.json.gz --judge gguf:FILE --name MODEL

Every reply is the model's: nothing is made up, and a call that failed is not recorded. With `--cache` a
recording that was interrupted goes on where it was.
"""

import argparse
import time

from haystack import Pipeline

from thresher.datasets import read_dataset
from thresher.judges import Limits, Recording, asking, judge_named
from thresher.judges.local import LocalChatGenerator
from thresher.pipelines import evaluate, load_pipeline, load_recipe, recipe_names
from thresher.pipelines.judged import judged_components, use_judge
from thresher.pipelines.unfed import without_unfed


def main() -> None:
    """Read the options, judge, and save after every data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", help="a shipped recipe, or a pipeline file")
    parser.add_argument("data", nargs="+", help="data files")
    parser.add_argument("out")
    parser.add_argument("--judge", required=True, help="model name, or gguf:FILE")
    parser.add_argument("--url", help="server with OpenAI's API")
    parser.add_argument("--name", required=True, help="what the recording calls the model")
    parser.add_argument("--about", default="")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--max-tokens", type=int, default=1024, help="of one reply")
    parser.add_argument("--max-concurrency", type=int, default=1, help="calls in flight")
    parser.add_argument("--cache", default=None)
    options = parser.parse_args()
    judge = judge_named(options.judge, options.url, generation_kwargs={"max_tokens": options.max_tokens})
    if isinstance(judge, LocalChatGenerator):
        judge.threads, judge.timeout = options.threads, 3600.0
    recording = Recording(options.name, about=options.about)
    for path in options.data:
        dataset = read_dataset(path, limit=options.limit)
        pipeline, _ = without_unfed(_pipeline(options.recipe), dataset)
        use_judge(pipeline, judge)
        start = time.perf_counter()
        with asking(
            cache=options.cache or False,
            listener=recording.keep,
            limits=Limits(options.max_concurrency, max_tries=2, timeout=3600),
        ) as account:
            results = evaluate(pipeline, dataset)
        recording.save(options.out)
        print(f"{path}: {time.perf_counter() - start:.0f} s, {account.to_dict()}")
        for result in results.results:
            print(f"  {result!r}")


def _pipeline(recipe: str) -> Pipeline:
    """Return the judged part of a recipe; the other metrics need no recording."""
    whole = load_recipe(recipe) if recipe in recipe_names() else load_pipeline(recipe)
    judged = {*judged_components(whole), *(name for name in whole.graph.nodes if "collector" in name)}
    kept = whole.to_dict()
    kept["components"] = {name: part for name, part in kept["components"].items() if name in judged}
    kept["connections"] = [
        wire for wire in kept["connections"] if wire["sender"].partition(".")[0] in kept["components"]
    ]
    return Pipeline.from_dict(kept, allowed_modules=["thresher"])


if __name__ == "__main__":
    main()
