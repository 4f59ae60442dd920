"""Options of `thresher run` and `thresher estimate` that name pipelines, data and annotations."""

import argparse
from typing import cast

from thresher.cli.argument_parser import Parser, positive
from thresher.cli.open_images_options import add_open_images_options
from thresher.datasets.annotation_formats import ANNOTATION_FORMATS


def pipeline_and_data(command: argparse.ArgumentParser) -> None:
    """Add what is evaluated, and the groups of the data."""
    pipeline = command.add_argument(
        "pipeline",
        nargs="?",
        metavar="RECIPE|METRICS|FILE.yaml",
        help="a recipe, metric names separated by commas, or a pipeline file; `thresher list` lists recipes "
        "and metrics",
    )
    metrics = command.add_argument(
        "--metrics",
        metavar="NAMES",
        help="the metrics, instead of RECIPE|METRICS|FILE.yaml: names separated by commas",
    )
    cast("Parser", command).add_alternatives(pipeline, metrics)  # argparse types only its own class
    command.add_argument(
        "--trust",
        action="store_true",
        help="allow FILE.yaml to send any environment variable to any address that it names (default: only "
        "keys of known providers to their providers, and the key of --judge-key to --judge-url)",
    )
    group = command.add_argument_group("data")
    _sources(group)
    _columns(group)
    group = command.add_argument_group("ground truth of images")
    _annotations(group)
    add_open_images_options(group)
    _pixels_and_sizes(group)
    group = command.add_argument_group("class scores")
    group.add_argument(
        "--scores", metavar="PREFIX", help="read class scores from columns with PREFIX (default: score_)"
    )
    group.add_argument(
        "--positive",
        metavar="LABEL",
        help="with two classes and one score column: the class whose probability it holds (default: 1, true "
        "or yes)",
    )
    group.add_argument(
        "--separator",
        metavar="SIGN",
        help="with several labels an item: the sign between labels in a cell (default: the one of | ; , that "
        "occurs)",
    )


def _sources(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--data",
        metavar="FILE",
        help="read items from JSONL, JSON, CSV, TSV, Excel, Parquet, Arrow or NPZ, from several such files "
        "as a folder or a quoted pattern ('part-*.jsonl'), or from a BEIR folder; with --gt: read "
        "predictions",
    )
    group.add_argument(
        "--run",
        metavar="FILE",
        help="read rankings from a TREC run; needs --qrels, or a BEIR folder as --data",
    )
    group.add_argument(
        "--qrels", metavar="FILE", help="read the relevance judgements of --run, as TREC qrels"
    )
    group.add_argument(
        "--split",
        metavar="NAME",
        help="use split NAME of a JSON file with several splits, sheet NAME of a workbook, or split NAME of "
        "a BEIR folder (there, default: test)",
    )


def mapped_columns(group: argparse._ArgumentGroup) -> None:
    """Add --map."""
    group.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="COLUMN=SOCKET",
        help="use COLUMN as the input SOCKET, e.g. answer_text=predicted_answers; repeatable",
    )


def _columns(group: argparse._ArgumentGroup) -> None:
    mapped_columns(group)
    group.add_argument(
        "--empty-cells",
        choices=("missing", "text"),
        default="missing",
        help="read empty cells of CSV and TSV as missing values or as empty text (default: missing)",
    )
    group.add_argument(
        "--recorded",
        action="append",
        default=[],
        metavar="COLUMN[:lower][:LOW..HIGH]",
        help="import COLUMN as a metric that was computed elsewhere; add `:lower` if lower is better, and "
        "the range of possible scores, e.g. `:0..1`, for correct intervals near its ends; repeatable",
    )
    group.add_argument(
        "--limit", type=positive, metavar="N", help="evaluate only the first N items (default: all)"
    )
    group.add_argument(
        "--sample",
        type=positive,
        metavar="N",
        help="evaluate only N items, drawn by the digests of their ids, so that runs over the same ids "
        "evaluate the same items (default: all)",
    )
    group.add_argument(
        "--skip-missing",
        action="store_true",
        help="skip metrics whose columns the data lack (default: stop with an error)",
    )


def _annotations(group: argparse._ArgumentGroup) -> None:
    kinds = ", ".join(known.description for known in ANNOTATION_FORMATS.values())
    group.add_argument("--gt", metavar="PATH", help=f"read ground truth from one of: {kinds}")
    group.add_argument(
        "--gt-format",
        choices=tuple(ANNOTATION_FORMATS),
        help="format of --gt (default: inferred from its files)",
    )
    group.add_argument(
        "--gt-folder",
        metavar="DIR",
        help="folder of the PNG files of a COCO panoptic file (default: its path without .json, or else its "
        "own folder)",
    )
    group.add_argument("--pred-folder", metavar="DIR", help="the same for the PNG files of --data")
    group.add_argument(
        "--geometries",
        choices=("boxes", "masks", "polygons", "keypoints"),
        help="read these geometries of COCO files (default: those that the metrics compare)",
    )
    group.add_argument(
        "--protocol",
        choices=("auto", "coco", "lvis", "open-images"),
        help="whether to read the checked categories of LVIS files, and groups of Open Images in COCO files "
        "(default: lvis or open-images if a metric needs it, else auto, which reads the categories that are "
        "there)",
    )
    group.add_argument(
        "--difficult",
        choices=("ignore", "keep", "drop"),
        help="objects that Pascal VOC files mark as difficult: ignore them and their matches, as VOC's "
        "evaluation does; keep them as ordinary objects; or drop them, so that their matches are false "
        "positives (default: ignore)",
    )
    group.add_argument(
        "--image-set",
        metavar="FILE",
        help="file of the images of Pascal VOC that are evaluated, a name at the start of each line, such as "
        "ImageSets/Main/val.txt (default: all with an annotation)",
    )
    group.add_argument(
        "--difficulty",
        choices=("all", "easy", "moderate", "hard"),
        help="ignore objects of KITTI labels beyond this level of its benchmark, and their matches (default: "
        "all, ignore none)",
    )


def _pixels_and_sizes(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--labels",
        "--names",
        metavar="FILE",
        help="read label names of class numbers (YOLO, COCO results), PNG values or lists of scores, one "
        "per line from 0, as a JSON object number -> label, or from `names` of a YAML file (default: "
        "classes.txt in --gt)",
    )
    group.add_argument(
        "--class-offset",
        type=int,
        metavar="N",
        help="add N to category_id of COCO results, e.g. 1 if they count classes from 0 and --gt from 1",
    )
    group.add_argument(
        "--image-key",
        choices=("auto", "id", "file_name"),
        help="match COCO results with images by id or by file_name (default: auto, by file names if they "
        "contradict the ids, or if ids are unknown)",
    )
    group.add_argument(
        "--images",
        metavar="DIR",
        help="read image sizes from DIR, to convert the relative coordinates of YOLO files to pixels",
    )
    group.add_argument(
        "--sigmas",
        metavar="NUMBERS",
        help="standard deviation of each keypoint of the skeleton, separated by commas, or a JSON file "
        '{"label": [...]} if labels have different skeletons (default: COCO\'s, for the 17 of a person)',
    )
    group.add_argument(
        "--keypoints",
        type=int,
        metavar="N",
        help="read the lines of YOLO files as poses of N keypoints (needs --images)",
    )
    group.add_argument(
        "--ignore", type=int, metavar="VALUE", help="exclude pixels whose true value in PNG files is VALUE"
    )
    group.add_argument(
        "--background", type=int, metavar="VALUE", help="treat VALUE in PNG files as pixels without a label"
    )
    group.add_argument(
        "--about",
        metavar="FILE",
        help="add columns from a table with the `id` of each image, e.g. for `report --slice`",
    )
