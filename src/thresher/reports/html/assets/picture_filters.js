// Which images are shown, and in what order. What is drawn of them is up to the form of the data.
class PictureView {
  constructor(data) {
    this.data = data;
    this.form = new { objects: ObjectForm, pair: PairForm, cards: CardForm }[data.form](data);
    this.listeners = [];
    this.state = { kind: "all", label: "any", order: this.form.orders[0][0], ...this.form.state };
    data.facets.forEach((_, place) => (this.state[`facet ${place}`] = "any"));
  }

  set(change) {
    Object.assign(this.state, change);
    this.changed();
  }

  changed() {
    const { state, form } = this;
    const rows = this.data.images.map((image, place) => ({ image, place, ...form.contents(image, state) }));
    this.rows = rows.filter((row) => this.within(row) && form.shows(row, state)).sort(this.comparison());
    for (const listener of this.listeners) listener();
  }

  within({ image }) {
    return this.data.facets.every((_, place) => ["any", String(image.facets[place])].includes(this.state[`facet ${place}`]));
  }

  comparison() {
    const collator = new Intl.Collator("en", { numeric: true });
    if (this.state.order === "name") return (a, b) => collator.compare(a.image.name, b.image.name);
    const keys = new Map();
    const key = (row) => keys.get(row) ?? keys.set(row, this.form.badness(row, this.state.order)).get(row);
    return (a, b) => key(b) - key(a) || a.place - b.place;
  }
}

// The filters by kind, label and columns, and those of the form.
function pictureControls(host, view) {
  const { data, state, form } = view;
  const set = (name) => (value) => view.set({ [name]: value });
  const values = (place) => [...new Set(data.images.map(({ facets }) => String(facets[place])))].sort(new Intl.Collator("en", { numeric: true }).compare);
  host.append(
    make(
      "div",
      { class: "controls" },
      choice("Images with", [["all", "all"], ...form.kinds], state.kind, set("kind")),
      choice("Label", words(["any", ...[...data.labels].sort()]), state.label, set("label")),
      form.filters(view),
      data.facets.map((name, place) => choice(name.replaceAll("_", " "), words(["any", ...values(place)]), "any", set(`facet ${place}`))),
      choice("First", form.orders, state.order, set("order")),
      form.slider(view),
    ),
  );
  const legend = form.legend(view);
  if (legend) host.append(legend);
  host.hidden = false;
}
