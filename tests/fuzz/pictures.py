"""Pictures of reports, in formats with metadata, palettes and several images."""

import io
from warnings import catch_warnings, simplefilter

import numpy as np
from PIL import Image

from fuzz.inputs import changed
from fuzz.registry import fuzzer
from thresher.reports.html.pictures.thumbnails import read_thumbnail


def photographs():
    """Files in the formats that are read."""
    exif = Image.Exif()
    exif[0x0112] = 6
    pixels = np.random.default_rng(0).integers(0, 256, (12, 16, 4), np.uint8)
    for form, mode, options in (
        ("JPEG", "RGB", {"exif": exif}),
        ("JPEG", "CMYK", {}),
        ("PNG", "RGBA", {"exif": exif}),
        ("GIF", "P", {"save_all": True, "append_images": [Image.new("P", (9, 9))]}),
        ("TIFF", "RGB", {"compression": "tiff_lzw"}),
        ("WEBP", "RGB", {"exif": exif}),
        ("BMP", "RGB", {}),
    ):
        sink = io.BytesIO()
        Image.fromarray(pixels).convert(mode).save(sink, form, **options)
        yield sink.getvalue()


@fuzzer("reports/html/pictures/thumbnails.py")
def thumbnails(folder):
    contents, path = list(photographs()), folder / "picture"

    def read():
        with catch_warnings():
            simplefilter("ignore")  # of Pillow, about damaged metadata
            thumbnail = read_thumbnail(path)
            thumbnail.encoded(96, 60)
            return thumbnail

    def action(rng):
        path.write_bytes(changed(rng, rng.choice(contents) if rng else contents[0]))
        return read

    return action
