"""`thresher report --images`: pictures in an HTML file, a stated budget, and clear refusals."""

from pathlib import Path

import pytest

from reports.html.pictures.photographs import packed, photograph
from thresher.cli import main
from vision_files import FOUND, IMAGES, cli, coco_results, coco_truths


@pytest.fixture
def detector(tmp_path, monkeypatch, capsys):
    """A run of four images, of which three have a picture."""
    monkeypatch.chdir(tmp_path)
    coco_truths(images=[image | {"file_name": f"val/{image['id']}.png"} for image in IMAGES])
    coco_results("d.json", FOUND)
    cli(capsys, "run", "object_detection", "--gt", "instances.json", "--data", "d.json", "--quiet")
    Path("photos").mkdir()
    for image in IMAGES[:3]:
        photograph((100, 80)).save(f"photos/{image['id']}.jpg")
    return "runs/d"


def test_the_worst_images_are_in_the_file(detector, capsys):
    assert main(["report", detector, "--images", "photos", "-o", "r.html"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("thresher: warning: 1 of 4 images shown lack a picture: no picture 'val/9.png'")
    assert said[1:] == ["thresher: wrote r.html"]
    text = Path("r.html").read_text(encoding="utf-8")
    assert "4 of 4 images shown, 100 px." in text
    assert packed(text)["images"][0]["name"] == "val/3.png"


def test_a_small_budget_is_kept(detector, capsys):
    words = ["report", detector, "--images", "photos", "-o", "r.html", "--image-budget"]
    assert main([*words, "0.004MB", "--max-rows", "0"]) == 0
    assert (
        len(Path("r.html").read_text(encoding="utf-8").partition('picture-payload">')[2].partition("<")[0])
        <= 4000
    )
    assert main([*words, "0.0001"]) == 0
    none = "None of 4 images fits; raise their limit (--{}=)."
    assert none.format("image-budget, image_bytes") in Path("r.html").read_text(encoding="utf-8")
    assert main([*words, "2", "--max-mb", "0.01"]) == 0
    assert none.format("max-mb, max_bytes") in Path("r.html").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main([*words, "0"])
    assert "'0' leaves no room for a picture; leave out --images instead" in capsys.readouterr().err


def test_two_runs_are_compared_and_pages_of_labels_have_pictures_too(detector, capsys):
    coco_results("e.json", FOUND[:1])
    cli(capsys, "run", "object_detection", "--gt", "instances.json", "--data", "e.json", "--quiet")
    for further in ((), ("--by", "label"), ("--detailed",)):
        words = [detector, "runs/e", "--images", "photos", "-o", "c.html", *further]
        assert main(["compare", *words]) == 0
        text = Path("c.html").read_text(encoding="utf-8")
        assert 'id="pictures"' in text
        assert packed(text)["form"] == "pair"
    assert main(["report", detector, "--images", "photos", "-o", "r.html", "--by", "label"]) == 0
    assert 'id="pictures"' in Path("r.html").read_text(encoding="utf-8")
    capsys.readouterr()
    three = ("compare", detector, "runs/e", detector, "--images", "photos", "-o", "c.html")
    assert "or two that are compared, not 3; remove the others" in cli(capsys, *three, code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--images", "photos"), "--images is an option of HTML pages, not of table: add -o FILE.html"),
        (("--images", "none", "-o", "r.html"), "the folder of images 'none' does not exist"),
        (("--images", "d.json", "-o", "r.html"), "the folder of images 'd.json' is a file"),
        (("--image-budget", "2", "-o", "r.html"), "--image-budget needs --images DIR"),
        (("--image-pixels", "640", "-o", "r.html"), "--image-pixels needs --images DIR"),
        (
            ("--images", "photos", "--image-pixels", "9", "-o", "r.html"),
            "image_pixels=9 (--image-pixels) must be a whole",
        ),
        (
            ("--image-budget", "2", "--format", "json"),
            "--image-budget is an option of HTML pages, not of json",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(detector, capsys, words, message):
    assert message in cli(capsys, "report", detector, *words, code=2)
