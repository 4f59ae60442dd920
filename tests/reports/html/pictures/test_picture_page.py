"""Pictures in a real browser: what is drawn, filtered and opened."""

import pytest
from selenium.webdriver.support.ui import Select

from reports.html.browser import requested
from reports.html.page import find, keys, texts, until
from reports.html.pictures.photographs import run_of_images
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")

CARDS = "#picture-grid .card"


@pytest.fixture
def page(opened, tmp_path):
    run = run_of_images(tmp_path / "p", scene=["day", "night"] * 3)
    return opened(html_report([run], images=tmp_path / "p"))


def field(driver, label):
    script = """return [...document.querySelectorAll('#picture-controls label')]
        .find((each) => each.innerText.trim().startsWith(arguments[0]))"""
    return driver.execute_script(script, label)


def choose(driver, label, text):
    Select(find(field(driver, label), "select")).select_by_visible_text(text)


def names(driver):
    return texts(driver, f"{CARDS} .card-name")


def drawn(driver, selector=CARDS):
    """How often each outcome is drawn."""
    script = """const counts = {};
        for (const each of document.querySelectorAll(`${arguments[0]} g.object`)) {
          const kind = each.classList[1]; counts[kind] = (counts[kind] || 0) + 1; }
        return counts;"""
    return driver.execute_script(script, selector)


def test_images_are_drawn_with_the_outcomes_of_their_objects(page):
    assert names(page)[:2] == ["p0.jpg", "p1.jpg"]
    assert texts(page, f"{CARDS} small")[:3] == ["2 false positives", "1 false negative", "no errors"]
    assert drawn(page) == {"right": 11, "background": 2, "missed": 1, "truth": 11}
    looks = page.execute_script(
        """const look = (kind) => {
             const style = getComputedStyle(document.querySelector(`.object.${kind} .over`));
             return [style.stroke, style.strokeDasharray];
           };
           return ['right', 'background', 'missed', 'truth'].map(look);"""
    )
    assert len({colour for colour, _ in looks}) == 4
    assert looks[2][1] == "6px, 5px"
    assert looks[0][1] == "none"
    title = page.execute_script("return document.querySelector('.object.background title').textContent")
    assert title == "background: cat, score 0.85, IoU 0.00"
    images = page.execute_script(
        "return Promise.all([...document.querySelectorAll('.card image')].map(async (each) => {"
        "const image = new Image(); image.src = each.getAttribute('href'); await image.decode();"
        "return image.naturalWidth; }))"
    )
    assert images == [320] * 6
    assert not [address for address in requested(page) if address.startswith("http")]
    assert not [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]


def test_filters_choose_images_and_objects(page):
    choose(page, "Images with", "background")
    until(lambda: names(page) == ["p0.jpg"])
    choose(page, "Images with", "all")
    choose(page, "scene", "night")
    until(lambda: names(page) == ["p1.jpg", "p3.jpg", "p5.jpg"])
    assert find(page, "#pictures-shown").text == "3 of 6 images match"
    choose(page, "scene", "any")
    choose(page, "Label", "dog")
    until(lambda: drawn(page) == {"right": 5, "missed": 1, "truth": 5})
    choose(page, "Label", "any")
    choose(page, "Size", "large")
    until(lambda: drawn(page) == {"right": 6, "truth": 6})
    choose(page, "Images with", "missed")
    until(lambda: find(page, "#pictures-shown").text == "No image matches.")


def test_kinds_of_objects_can_be_hidden(page):
    field(page, "right").click()
    until(lambda: "right" not in drawn(page))
    field(page, "right").click()
    until(lambda: drawn(page)["right"] == 11)


def test_the_threshold_moves_predictions_and_missed_objects(page):
    slider = find(page, "[aria-label='Lowest score']")
    page.execute_script("arguments[0].value = 0.88; arguments[0].dispatchEvent(new Event('input'))", slider)
    until(lambda: "background" not in drawn(page))
    assert drawn(page) == {"right": 6, "missed": 6, "truth": 6}
    assert texts(page, f"{CARDS} small") == ["1 false negative"] * 6
    choose(page, "First", "name")
    until(lambda: names(page) == [f"p{image}.jpg" for image in range(6)])


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_the_threshold_covers_scores_outside_0_to_1(opened, tmp_path):
    run = run_of_images(tmp_path / "p", scores=(2.5, -1.5, 0.5, 0.5))
    driver = opened(html_report([run], images=tmp_path / "p"))
    slider = find(driver, "[aria-label='Lowest score']")
    assert [slider.get_attribute(name) for name in ("min", "max", "value")] == ["-1.5", "2.5", "-1.5"]
    counts = drawn(driver)
    assert (counts["right"], counts["background"]) == (11, 2)
    driver.execute_script("arguments[0].value = 1.5; arguments[0].dispatchEvent(new Event('input'))", slider)
    until(lambda: "background" not in drawn(driver))
    assert drawn(driver)["right"] == 6


def test_an_image_opens_large_with_a_table_of_its_objects(page):
    find(page, CARDS).send_keys("\n")
    dialog = find(page, "#picture")
    until(dialog.is_displayed)
    assert find(page, "#picture-title").text == "p0.jpg"
    assert texts(page, "#picture tbody tr")[1].split("\t") == ["background", "cat", "0.85", "0.00"]
    row = find(page, "#picture tbody tr:nth-child(2)")
    page.execute_script("arguments[0].focus()", row)
    assert drawn(page, "#picture .lit") == {}
    assert page.execute_script("return document.querySelectorAll('#picture g.lit.background').length") == 1
    page.execute_script("document.getElementById('picture').focus()")
    keys(page, "ARROW_RIGHT")
    until(lambda: find(page, "#picture-title").text == "p1.jpg")
    find(page, "#picture a").click()
    until(lambda: find(page, "#details").is_displayed())
    assert "i1" in find(page, "#details").text


def test_a_reduced_picture_says_so(opened, tmp_path):
    run = run_of_images(tmp_path / "p", images=8)
    driver = opened(html_report([run], images=tmp_path / "p", image_bytes=90_000))
    first = int(find(driver, "#pictures .aside").text.partition("the first ")[2].split()[0])
    driver.find_elements("css selector", CARDS)[first - 1].click()
    assert "Enlarged" not in find(driver, "#picture").text
    keys(driver, "ARROW_RIGHT")
    until(lambda: f"px: only the first {first} image" in find(driver, "#picture").text)


def test_a_page_without_the_table_of_items_has_none_of_them_and_works(opened, tmp_path):
    run = run_of_images(tmp_path / "p", images=2)
    text = html_report([run], images=tmp_path / "p", sections=["labels", "pictures"])
    assert 'id="payload"' not in text
    driver = opened(text)
    find(driver, CARDS).click()
    assert not driver.find_elements("css selector", "#picture a")
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_pictures_without_items_and_with_absent_files(opened, tmp_path):
    run = run_of_images(tmp_path / "p", images=3)
    (tmp_path / "p" / "p0.jpg").unlink()
    with pytest.warns(UserWarning, match="1 of 3 images shown lack a picture"):
        text = html_report([run], images=tmp_path / "p", max_rows=0, sections=["pictures"])
    driver = opened(text)
    assert texts(driver, f"{CARDS} small")[0] == "no picture, 2 false positives"
    assert drawn(driver)["background"] == 2
    find(driver, CARDS).click()
    assert "no picture 'p0.jpg' in the folder" in find(driver, "#picture").text
    assert not driver.find_elements("css selector", "#picture a")


def test_a_phone_has_two_pictures_side_by_side_and_no_sideways_scrolling(page):
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True},
    )
    try:
        tops = page.execute_script(
            """return [...document.querySelectorAll('.card')]
               .map((each) => Math.round(each.getBoundingClientRect().top))"""
        )
        assert tops[0] == tops[1] < tops[2]
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
