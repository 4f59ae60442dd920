"""Pictures are found by path, name and stem, and only within their folder."""

import os

import pytest

from thresher.errors import InputError
from thresher.reports.html.pictures.folder import PictureFolder


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "photos"
    (place / "val").mkdir(parents=True)
    for name in ("a.jpg", "val/b.jpg", "c.PNG", "d e%20'\"<b>é.jpg", "notes.txt", "bare"):
        (place / name).touch()
    (tmp_path / "outside.jpg").touch()
    (place / "folder.jpg").mkdir()
    return place


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.jpg"], "a.jpg"),
        (["val/b.jpg"], "val/b.jpg"),
        (["train/a.jpg"], "a.jpg"),
        (["/data/a.jpg"], "a.jpg"),
        (["../photos/a.jpg"], "a.jpg"),
        (["a"], "a.jpg"),
        (["c"], "c.PNG"),
        (["c.jpg"], "c.PNG"),
        (["none.jpg", "a"], "a.jpg"),
        (["bare"], "bare"),
        (["d e%20'\"<b>é.jpg"], "d e%20'\"<b>é.jpg"),
    ],
)
def test_pictures_are_found_by_their_names(folder, names, expected):
    assert PictureFolder(folder).find(names) == (folder / expected).resolve()


@pytest.mark.parametrize(
    "name", ["none.jpg", "notes", "folder.jpg", "folder", "b.jpg", "x" * 5000, "a\x00.jpg", "..", ".", "/"]
)
def test_a_name_without_a_picture_is_reported(folder, name):
    with pytest.raises(InputError, match="no picture"):
        PictureFolder(folder).find([name])
    with pytest.raises(InputError, match="name no picture"):
        PictureFolder(folder).find([])


def test_files_outside_the_folder_are_not_read(folder):
    (folder / "linked.jpg").symlink_to(folder.parent / "outside.jpg")
    (folder / "within.jpg").symlink_to(folder / "a.jpg")
    (folder / "dangling.jpg").symlink_to(folder / "nowhere.jpg")
    pictures = PictureFolder(folder)
    for name in ("../outside.jpg", "linked.jpg", "linked", str(folder.parent / "outside.jpg")):
        with pytest.raises(InputError, match="is outside the folder; copy it there"):
            pictures.find([name])
    with pytest.raises(InputError, match="no picture"):
        pictures.find(["dangling.jpg"])
    assert pictures.find(["within.jpg"]) == (folder / "a.jpg").resolve()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipes_are_not_opened(folder):
    os.mkfifo(folder / "pipe.jpg")
    with pytest.raises(InputError, match="no picture"):
        PictureFolder(folder).find(["pipe.jpg"])


def test_the_folder_must_be_one(folder):
    with pytest.raises(InputError, match="'nowhere' does not exist"):
        PictureFolder("nowhere")
    with pytest.raises(InputError, match="folder of images is empty"):
        PictureFolder("")
    with pytest.raises(InputError, match="is a file"):
        PictureFolder(folder / "a.jpg")
