// Images with objects, whose outcomes can be hidden and whose scores have a threshold.
class ObjectForm {
  constructor(data) {
    this.data = data;
    this.drawn = new DrawnObjects(data);
    this.hidden = new Set();
    this.state = { size: "any", threshold: data.threshold };
    this.kinds = [["any", "any error"], ...Object.entries(OUTCOMES).filter(([kind]) => kind !== "truth")];
    this.orders = [
      ["errors", "most errors"],
      ["wrong", "most false positives"],
      ["lost", "most false negatives"],
      ["surest", "highest-scored error"],
      ["name", "name"],
    ];
  }

  contents(image, state) {
    const objects = this.drawn.of(image, state.threshold);
    return { objects, chosen: objects.filter((object) => this.chosen(object, state)), ...errorsOf(objects) };
  }

  // Whether an object has the chosen label and size.
  chosen({ label, size }, state) {
    return ["any", label].includes(state.label) && ["any", OBJECT_SIZES[size]].includes(state.size);
  }

  shows({ chosen }, state) {
    if (state.kind === "all") return (state.label === "any" && state.size === "any") || chosen.length > 0;
    return chosen.some((object) => (state.kind === "any" ? object.lost || isFalse(object) : object.kind === state.kind));
  }

  badness({ wrong, lost, objects }, order) {
    if (order === "surest") return objects.reduce((most, object) => (isFalse(object) ? Math.max(most, object.score) : most), -Number.MAX_VALUE);
    return { errors: wrong + lost, wrong, lost }[order];
  }

  visible({ chosen }) {
    return chosen.filter(({ kind }) => !this.hidden.has(kind));
  }

  words(row) {
    const errors = errorWords(row);
    return row.image.pictures.picture ? errors : `no picture, ${errors}`;
  }

  card(row) {
    return pictureDrawn(row.image, this.visible(row), { "aria-hidden": "true" });
  }

  parts(row) {
    const { image } = row,
      objects = this.visible(row);
    const drawing = labelledDrawing(image, objects, `${image.name}: ${this.words(row)}`);
    return [drawing, objectTable(objects, [...drawing.querySelectorAll("g.object")])];
  }

  filters(view) {
    return choice("Size", words(["any", ...OBJECT_SIZES]), view.state.size, (value) => view.set({ size: value }));
  }

  slider(view) {
    return scoreSlider("", view.state.threshold, this.data.scores, (threshold) => view.set({ threshold }));
  }

  tally(rows, kind) {
    return tallied(rows, ({ chosen }) => chosen, kind);
  }

  // Each outcome with its line and how often it occurs; a tick draws it.
  legend(view) {
    const toggle = (kind, on) => {
      if (on) this.hidden.delete(kind);
      else this.hidden.add(kind);
      view.changed();
    };
    const entries = Object.entries(OUTCOMES).map(([kind, text]) => {
      const count = make("small");
      view.listeners.push(() => {
        count.textContent = this.tally(view.rows, kind);
      });
      const box = make("input", { type: "checkbox", onchange: () => toggle(kind, box.checked) });
      box.checked = true;
      return make("label", { class: "check" }, box, outcomeKey(kind), text, count);
    });
    return make("div", { class: "outcomes", role: "group", "aria-label": "Objects drawn" }, entries);
  }
}

// How many objects of a kind some images have.
function tallied(rows, objects, kind) {
  return rows.reduce((sum, row) => sum + objects(row).filter((object) => object.kind === kind).length, 0).toLocaleString("en");
}

// The lowest score of predictions that are drawn, of one run if it is named.
function scoreSlider(name, value, [min, max], change) {
  const reading = make("output", {}, value.toFixed(2));
  const oninput = () => {
    reading.textContent = Number(slider.value).toFixed(2);
    later(() => change(Number(slider.value)));
  };
  const slider = make("input", { type: "range", min, max, step: (max - min) / 100, "aria-label": name ? `Lowest score in ${name}` : "Lowest score", oninput });
  slider.value = value;
  const words = name ? `Score in ${name} at least ` : "Score at least ";
  return make("label", { class: "field" }, make("span", { class: "label" }, words, reading), slider);
}
