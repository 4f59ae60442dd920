const HEADING = 300; // characters of a question; a longer one is cut in the heading and folded below it

// All data of one item, in a dialog with an address: #item=ID.
class Details {
  constructor(items, view) {
    Object.assign(this, { items, view, against: null });
    this.dialog = document.getElementById("details");
    this.dialog.addEventListener("close", () => {
      if (addressed() !== null) history.replaceState(null, "", " ");
    });
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.dialog.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  // Show the item of the address, if any.
  follow() {
    const id = addressed();
    if (id === null) {
      if (this.dialog.open) this.dialog.close();
      return;
    }
    const row = this.items.rows.get(id);
    if (row === undefined) document.getElementById("shown").textContent = `Item ${id} is not in this file.`;
    else this.show(row);
  }

  // Opening adds a step to the history, so that going back closes the dialog; moving to a neighbour does not.
  open(row) {
    const address = `#item=${encodeURIComponent(this.items.ids[row])}`;
    if (this.dialog.open) location.replace(address);
    else location.hash = address;
  }

  step(by) {
    const place = this.view.order.indexOf(this.row) + by;
    if (place >= 0 && place < this.view.order.length) this.open(this.view.order[place]);
  }

  key(event) {
    if (event.target.closest("input, select")) return;
    if (event.key === "ArrowRight") this.step(1);
    if (event.key === "ArrowLeft") this.step(-1);
  }

  show(row) {
    this.row = row;
    const { items, view } = this,
      place = view.order.indexOf(row);
    const where =
      place < 0
        ? "not among the items shown"
        : `${(place + 1).toLocaleString("en")} of ${view.order.length.toLocaleString("en")} shown`;
    const button = (text, label, action, disabled) =>
      make("button", { type: "button", "aria-label": label, disabled, onclick: action }, text);
    this.dialog.replaceChildren(
      make(
        "div",
        { class: "steps" },
        make(
          "span",
          { class: "where" },
          make("a", { class: "id", href: `#item=${encodeURIComponent(items.ids[row])}` }, items.ids[row]),
          " · ",
          where,
          this.tags(row),
        ),
        button("‹", "Previous item", () => this.step(-1), place <= 0),
        button("›", "Next item", () => this.step(1), place < 0 || place >= view.order.length - 1),
        button("Close", "Close", () => this.dialog.close()),
      ),
      make("div", { class: "item" }, this.parts(row)),
    );
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.focus();
    this.dialog.scrollTop = 0;
  }

  tags(row) {
    return this.items.whyOf(row).map((reason) => make("span", { class: "tag" }, reason));
  }

  parts(row) {
    const { items, view } = this,
      question = items.byPart.get("question");
    const asked = question ? items.plain(items.packedEntry(question, 0, row)) : null;
    const title =
      typeof asked === "string" ? asked : asked === null ? `Item ${items.ids[row]}` : JSON.stringify(asked);
    const long = title.length > HEADING;
    const evidence = items.runs.map((_, run) => this.evidenceOf(run, row));
    return [
      make("h2", { id: "details-title" }, long ? excerpt(title, 0, HEADING) : title),
      long ? make("details", {}, make("summary", {}, "The whole question"), make("p", { class: "said" }, title)) : null,
      answersPart(items, row, this),
      conversationsPart(items, row),
      scoresPart(items, row, view.state.base),
      passagesPart(items, row, evidence, [view.state.base, view.state.run]),
      judgesPart(items, row, evidence),
      objectsPart(items, row),
      picturesPart(items, row),
      othersPart(items, row),
    ];
  }

  // The evidence of one run, as [name of the result, evidence, run if there are several].
  evidenceOf(run, row) {
    const { items } = this,
      shownRun = items.runs.length > 1 ? run : null;
    return Object.keys(items.sources)
      .map((source) => [source, items.evidence(source, run, row), shownRun])
      .filter(([, evidence]) => evidence !== null);
  }
}

// The id in the address; null if it has none or cannot be decoded.
function addressed() {
  if (!location.hash.startsWith("#item=")) return null;
  return attempt(() => decodeURIComponent(location.hash.slice("#item=".length)));
}
