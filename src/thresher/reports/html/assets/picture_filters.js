// Which images are shown, which of their objects are drawn, and in what order.
class PictureView {
  constructor(data) {
    this.data = data;
    this.drawn = new DrawnObjects(data);
    this.hidden = new Set();
    this.listeners = [];
    this.state = { kind: "all", label: "any", size: "any", order: "errors", threshold: data.threshold };
    data.facets.forEach((_, place) => (this.state[`facet ${place}`] = "any"));
  }

  set(change) {
    Object.assign(this.state, change);
    this.changed();
  }

  toggle(kind, on) {
    if (on) this.hidden.delete(kind);
    else this.hidden.add(kind);
    this.changed();
  }

  changed() {
    const { state, data } = this;
    this.counts = {};
    const rows = data.images.map((image, place) => {
      const objects = this.drawn.of(image, state.threshold);
      return { image, place, objects, ...errorsOf(objects) };
    });
    this.rows = rows.filter((row) => this.shows(row)).sort(this.comparison());
    for (const { objects } of this.rows)
      for (const object of objects) if (this.chosen(object)) this.counts[object.kind] = (this.counts[object.kind] || 0) + 1;
    for (const listener of this.listeners) listener();
  }

  // Whether an object has the chosen label and size.
  chosen({ label, size }) {
    const { state } = this;
    return (state.label === "any" || state.label === label) && (state.size === "any" || state.size === OBJECT_SIZES[size]);
  }

  // The objects that are drawn.
  visible(objects) {
    return objects.filter((object) => this.chosen(object) && !this.hidden.has(object.kind));
  }

  shows({ image, objects }) {
    const { state } = this;
    const within = this.data.facets.every((_, place) => ["any", String(image.facets[place])].includes(state[`facet ${place}`]));
    if (!within) return false;
    if (state.kind === "all") return (state.label === "any" && state.size === "any") || objects.some((object) => this.chosen(object));
    const asked = ({ kind, predicted, lost }) =>
      state.kind === "any" ? lost || (predicted && FALSE_POSITIVES.has(kind)) : kind === state.kind;
    return objects.some((object) => asked(object) && this.chosen(object));
  }

  comparison() {
    const surest = ({ objects }) =>
      objects.reduce((most, { kind, score, predicted }) => (predicted && FALSE_POSITIVES.has(kind) ? Math.max(most, score) : most), -1);
    const orders = {
      errors: (row) => row.wrong + row.lost,
      wrong: (row) => row.wrong,
      lost: (row) => row.lost,
      surest,
    };
    const key = orders[this.state.order];
    if (!key) return (a, b) => new Intl.Collator("en", { numeric: true }).compare(a.image.name, b.image.name);
    const keys = new Map();
    const of = (row) => keys.get(row) ?? keys.set(row, key(row)).get(row);
    return (a, b) => of(b) - of(a) || a.place - b.place;
  }
}

// The filters, the threshold and the legend, which hides and shows kinds of objects.
function pictureControls(host, view) {
  const { data, state } = view;
  const set = (name) => (value) => view.set({ [name]: value });
  const kinds = Object.keys(OUTCOMES).filter((kind) => kind !== "truth");
  const values = (place) => [...new Set(data.images.map(({ facets }) => String(facets[place])))].sort(new Intl.Collator("en", { numeric: true }).compare);
  const orders = [["errors", "most errors"], ["wrong", "most false positives"], ["lost", "most false negatives"], ["surest", "highest-scored error"], ["name", "name"]];
  host.append(
    make(
      "div",
      { class: "controls" },
      choice("Images with", [["all", "all"], ["any", "any error"], ...kinds.map((kind) => [kind, OUTCOMES[kind]])], state.kind, set("kind")),
      choice("Label", words(["any", ...[...data.labels].sort()]), state.label, set("label")),
      choice("Size", words(["any", ...OBJECT_SIZES]), state.size, set("size")),
      data.facets.map((name, place) => choice(name.replaceAll("_", " "), words(["any", ...values(place)]), "any", set(`facet ${place}`))),
      choice("First", orders, state.order, set("order")),
      scoreSlider(view),
    ),
    outcomeLegend(view),
  );
  host.hidden = false;
}

function scoreSlider(view) {
  const reading = make("output", {}, view.state.threshold.toFixed(2));
  const oninput = () => {
    reading.textContent = Number(slider.value).toFixed(2);
    later(() => view.set({ threshold: Number(slider.value) }));
  };
  const slider = make("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "Lowest score", oninput });
  slider.value = view.state.threshold;
  return make("label", { class: "field" }, make("span", { class: "label" }, "Score at least ", reading), slider);
}

function outcomeLegend(view) {
  const entries = Object.entries(OUTCOMES).map(([kind, words]) => {
    const count = make("small");
    view.listeners.push(() => (count.textContent = (view.counts[kind] || 0).toLocaleString("en")));
    const box = make("input", { type: "checkbox", onchange: () => view.toggle(kind, box.checked) });
    box.checked = true;
    return make("label", { class: "check" }, box, outcomeKey(kind), words, count);
  });
  return make("div", { class: "outcomes", role: "group", "aria-label": "Objects drawn" }, entries);
}
