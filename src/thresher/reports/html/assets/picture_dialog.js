// One image, large, with a table of its objects. Arrows go to its neighbours.
class PictureDialog {
  constructor(view, items) {
    Object.assign(this, { view, items, place: 0 });
    this.dialog = document.getElementById("picture");
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select")) return;
      if (event.key === "ArrowRight") this.open(this.place + 1);
      if (event.key === "ArrowLeft") this.open(this.place - 1);
    });
  }

  open(place) {
    const { rows } = this.view;
    if (place < 0 || place >= rows.length) return;
    this.place = place;
    const row = rows[place];
    const button = (text, label, action, disabled) =>
      make("button", { type: "button", "aria-label": label, disabled, onclick: action }, text);
    this.dialog.replaceChildren(
      make(
        "div",
        { class: "steps" },
        make("span", { class: "where" }, `${(place + 1).toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`),
        button("‹", "Previous image", () => this.open(place - 1), place === 0),
        button("›", "Next image", () => this.open(place + 1), place === rows.length - 1),
        button("Close", "Close", () => this.dialog.close()),
      ),
      make("div", { class: "item" }, this.parts(row)),
    );
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.focus();
    this.dialog.scrollTop = 0;
  }

  parts(row) {
    const { image } = row,
      known = this.items?.rows.has(image.id);
    return [
      make("h2", { id: "picture-title" }, image.name),
      make("p", { class: "aside" }, this.view.form.words(row), known && [" · ", this.link(image.id)]),
      image.problem ? make("p", { class: "aside warn" }, image.problem) : null,
      this.reduced(row),
      this.view.form.parts(row),
    ];
  }

  // Why a picture is blurred here.
  reduced({ image, place }) {
    const { enlarged, pixels } = this.view.data;
    if (place < enlarged || !Object.keys(image.pictures).length) return null;
    return make("p", { class: "aside" }, `Enlarged from ${pixels} px: only the first ${counted(enlarged, "image")} fit into the file with more pixels.`);
  }

  // To the page of the item, with its scores and columns.
  link(id) {
    return make("a", { href: `#item=${encodeURIComponent(id)}`, onclick: () => this.dialog.close() }, `item ${id}`);
  }
}

// The objects drawn; the one with the pointer or the focus is emphasised.
function objectTable(objects, shapes, run = "") {
  if (!objects.length) return make("p", { class: "muted" }, "No objects are drawn.");
  const row = (object, place) => {
    const lit = (on) => () => shapes[place].classList.toggle("lit", on);
    const number = (value) => make("td", { class: "number" }, value === null ? DASH : value.toFixed(2));
    return make(
      "tr",
      { tabindex: 0, onfocus: lit(true), onblur: lit(false), onpointerenter: lit(true), onpointerleave: lit(false) },
      make("th", { scope: "row" }, outcomeKey(object.kind), OUTCOMES[object.kind]),
      make("td", {}, object.label),
      number(object.score),
      number(object.iou),
    );
  };
  const head = (text, kind) => make("th", { scope: "col", class: kind }, text);
  const last = ({ kind }) => kind === "truth" || kind === "ignored"; // after the errors and the missed objects
  const rows = [false, true].flatMap((part) => objects.map((object, place) => (last(object) === part ? row(object, place) : null)));
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": run ? `Objects drawn of ${run}` : "Objects drawn" },
    make(
      "table",
      { class: "objects" },
      make("caption", { class: "hidden" }, "Objects drawn"),
      make("thead", {}, make("tr", {}, head("outcome"), head("label"), head("score", "number"), head("IoU", "number"))),
      make("tbody", {}, rows),
    ),
  );
}
