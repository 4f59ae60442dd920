"""Options of the files of Open Images."""

import argparse


def add_open_images_options(group: argparse._ArgumentGroup) -> None:
    """Add the options of the files of Open Images."""
    group.add_argument(
        "--image-labels",
        metavar="FILE",
        help="CSV file of Open Images' labels that people verified in images (default: predictions of all "
        "labels count)",
    )
    group.add_argument(
        "--hierarchy",
        metavar="FILE",
        help="JSON file of Open Images' hierarchy of labels, or of the broader label of each label: repeat "
        "true objects for broader labels (default: do not)",
    )
    group.add_argument(
        "--class-descriptions",
        metavar="FILE",
        help="CSV file of the names of Open Images' labels (default: labels as they are)",
    )
    group.add_argument(
        "--expand-predictions",
        action="store_true",
        default=None,
        help="repeat predictions for broader labels of --hierarchy, too",
    )
