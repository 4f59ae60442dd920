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
  grid.classList.toggle("several", view.data.form === "pair" || view.data.panels?.length > 1);
  let most = PICTURES_AT_ONCE;
  const draw = (from) => {
    const cards = view.rows.slice(from, most).map((row, place) => pictureCard(view.form, row, () => dialog.open(from + place)));
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

function pictureCard(form, row, open) {
  const { name } = row.image,
    text = form.words(row);
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", class: "card", "aria-label": `${name}: ${text}`, onclick: open },
      form.card(row),
      make("span", { class: "card-name" }, name),
      make("small", {}, text),
    ),
  );
}
