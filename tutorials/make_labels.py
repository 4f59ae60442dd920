"""Make the data of tutorial 6's second half: what an invented classifier says of 400 invented pictures.

    python tutorials/make_labels.py

Drawn at random with a fixed seed; no picture exists. Three fruits in ten are spoiled; the score for `spoiled`
is high for most of them, and for some that are sound. Small fruit is harder to tell.
"""

import csv
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "data" / "spoiled.csv"
ITEMS, SPOILED, SMALL = 400, 0.3, 0.35


def rows(draw: np.random.Generator) -> list[dict[str, object]]:
    """One row a fruit: its label, its size, and the classifier's score that it is spoiled."""
    made: list[dict[str, object]] = []
    for item in range(1, ITEMS + 1):
        spoiled, small = draw.random() < SPOILED, draw.random() < SMALL
        centre = (1.6 if spoiled else -1.6) * (0.5 if small else 1.0)
        score = round(float(1 / (1 + np.exp(-draw.normal(centre, 1.2)))), 3)
        made.append(
            {
                "id": f"fruit-{item}",
                "size": "small" if small else "large",
                "label": "spoiled" if spoiled else "sound",
                "score_sound": round(1 - score, 3),
                "score_spoiled": score,
            }
        )
    return made


def main() -> None:
    """Write the file."""
    made = rows(np.random.default_rng(16))
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, made[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


if __name__ == "__main__":
    main()
