"""Peak memory and CPU time of reading COCO files by image, at ten times the size.

    python benchmarks/coco_source.py [--images 10000] [--geometries masks]

Files with 7 true and 50 predicted boxes per image are written in random order, for N and 10 N images. A fresh
process opens them with `open_coco`, which makes the index, and then reads the last 1,000 images. `peak` is
its largest resident memory in MB, less that of a process that only imports. Exit code: 1 if it grows by more
than 20 % and 500 bytes for each further image.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

_READ = """
import resource, sys, time
from pathlib import Path
from thresher.datasets.sources import coco_source
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, coco_source._COLUMNS = peak(), 0
source = coco_source.open_coco(Path(sys.argv[1]), Path(sys.argv[2]), geometries=sys.argv[3])
indexed = peak(), time.process_time()
assert type(source) is coco_source.CocoSource
assert len(source.slice(len(source) - 1000, len(source))) == 1000
print(before, *indexed, peak())
"""
_GROWTH, _PER_IMAGE = 1.2, 500


def objects(rng: Random, images: int, each: int, further: Callable[[int], str]) -> Iterator[str]:
    """Yield objects with boxes and squares, and a further field by their number."""
    for number in range(images * each):
        x, y, side = rng.randrange(500), rng.randrange(400), rng.randrange(1, 80)
        box = f'"bbox": [{x}.5, {y}.25, {side}, {side}]'
        ring = [x, y, x + side, y, x + side, y + side, x, y + side]
        where = f'"image_id": {rng.randrange(images)}, "category_id": {rng.randrange(80)}'
        yield f'{{{where}, {box}, "segmentation": {[ring]}, {further(number)}}}'


def write(folder: Path, images: int) -> list[Path]:
    """Write ground truth and results."""
    rng = Random(images)
    truths, found = folder / "truth.json", folder / "found.json"
    listed = ", ".join(f'{{"id": {at}, "height": 480, "width": 640}}' for at in range(images))
    categories = json.dumps([{"id": at, "name": f"class {at}"} for at in range(80)])
    with truths.open("w") as file:
        file.write(f'{{"images": [{listed}], "categories": {categories}, "annotations": [')
        join(file.write, objects(rng, images, 7, lambda number: f'"id": {number}'))
        file.write("]}")
    with found.open("w") as file:
        file.write("[")
        join(file.write, objects(rng, images, 50, lambda _: f'"score": {rng.random():.4f}'))
        file.write("]")
    return [truths, found]


def join(write_text: Callable[[str], object], texts: Iterator[str]) -> None:
    """Write texts with commas between them."""
    for number, text in enumerate(texts):
        write_text(f", {text}" if number else text)


def main() -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--geometries", default="boxes")
    options = parser.parse_args()
    peaks = []
    print("    images      objects  files (MB)  index: peak  CPU (s)  chunk: peak")
    for images in (options.images, 10 * options.images):
        with tempfile.TemporaryDirectory() as folder:
            paths = write(Path(folder), images)
            size = sum(path.stat().st_size for path in paths) / 1e6
            words = [sys.executable, "-c", _READ, *map(str, paths), options.geometries]
            printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout  # noqa: S603
        before, indexed, seconds, peak = map(float, printed.split())
        peaks.append(peak - before)
        row = f"{images:>10,} {57 * images:>12,} {size:>11,.0f} {indexed - before:>12.0f} {seconds:>8.1f}"
        print(f"{row} {peak - before:>12.0f}")
    most = _GROWTH * peaks[0] + 9 * options.images * _PER_IMAGE / 1e6
    return int(peaks[1] > most)


if __name__ == "__main__":
    sys.exit(main())
