// The grid of pictures: the worst images first, of which a click opens one.
const PICTURES_AT_ONCE = 48;

async function pictures(items) {
  const packed = document.getElementById("picture-payload");
  if (!packed) return;
  const view = new PictureView(await unzipped(packed.textContent));
  const grid = document.getElementById("picture-grid"),
    more = document.getElementById("more-pictures"),
    shown = document.getElementById("pictures-shown");
  const dialog = new PictureDialog(view, items);
  pictureControls(document.getElementById("picture-controls"), view);
  let most = PICTURES_AT_ONCE;
  const draw = (from) => {
    const cards = view.rows.slice(from, most).map((row, place) => pictureCard(view, row, () => dialog.open(from + place)));
    if (from) grid.append(...cards);
    else grid.replaceChildren(...cards);
    more.hidden = view.rows.length <= most;
  };
  view.listeners.push(() => {
    shown.textContent = view.rows.length
      ? `${view.rows.length.toLocaleString("en")} of ${counted(view.data.images.length, "image")} match`
      : "No image matches.";
    draw(0);
  });
  more.addEventListener("click", () => {
    most += PICTURES_AT_ONCE;
    draw(most - PICTURES_AT_ONCE);
    grid.children[most - PICTURES_AT_ONCE].firstChild.focus();
  });
  view.changed();
  grid.hidden = false;
}

function pictureCard(view, row, open) {
  const { image, objects } = row,
    errors = errorWords(row);
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", class: "card", "aria-label": `${image.name}: ${errors}`, onclick: open },
      pictureDrawn(image, view.visible(objects), { "aria-hidden": "true" }),
      make("span", { class: "card-name" }, image.name),
      make("small", {}, image.picture ? errors : `no picture, ${errors}`),
    ),
  );
}

function errorWords({ wrong, lost }) {
  if (!wrong && !lost) return "no errors";
  return [wrong && counted(wrong, "false positive"), lost && counted(lost, "false negative")].filter(Boolean).join(", ");
}
