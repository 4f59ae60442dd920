// The filters. Controls follow the view, except the one with the focus.
function toolbar(host, items, view, grid) {
  const bar = new Toolbar(items, view);
  host.append(make("div", { class: "controls" }, bar.controls(grid)));
  view.onchange(() => bar.update());
  bar.update();
  host.hidden = false;
}

class Toolbar {
  constructor(items, view) {
    Object.assign(this, { items, view, synced: [] });
  }

  update() {
    for (const sync of this.synced) sync();
  }

  controls(grid) {
    const { items, view } = this;
    const many = items.runs.length > 1,
      scored = items.metrics.length > 0;
    return [
      make("label", { class: "field wide" }, "Search", this.search()),
      scored && this.pick("Metric", items.metrics.map(({ name }) => [name, name]), "metric"),
      many && this.pick("Baseline", this.runs(), "base", Number),
      many && this.pick("Run", this.runs(), "run", Number),
      many && scored && this.pick("Change", changeKinds(items), "change"),
      this.unfolding(),
      make("div", { class: "further folded" }, this.further(grid, many, scored)),
      make("button", { type: "button", onclick: () => view.reset() }, "Reset"),
      make("button", { type: "button", onclick: () => save("items.csv", csvOf(items, view.order), "text/csv") }, "CSV"),
      this.exporting(),
    ];
  }

  // The filters that a narrow screen folds.
  further(grid, many, scored) {
    const { items } = this;
    return [
      scored && this.scoreTest(),
      scored && this.pick("Status", words(statuses(items)), "status"),
      items.facets.map((facet) => this.pick(facet.name.replaceAll("_", " "), facetChoices(items, facet), `column ${facet.name}`)),
      items.why && this.pick("In this file as", words(["any", ...items.reasons]), "why"),
      this.sorting(),
      many && answersStandApart(items) && this.tick("Answers differ", "differing"),
      scored && hasRepeats(items) && this.tick("Flaky", "flaky", "repeats disagree: on which side of the limit, or without a limit in their score"),
      items.runs.length > 2 && this.tick("All runs", "every", "show the answers and scores of every run"),
      check("Tall rows", grid.tallRows, (on) => grid.tall(on)),
    ];
  }

  unfolding() {
    const button = make("button", {
      type: "button",
      class: "cards-only",
      "aria-expanded": "false",
      onclick: () => {
        const folded = button.nextElementSibling.classList.toggle("folded");
        button.setAttribute("aria-expanded", String(!folded));
      },
    }, "Filters");
    return button;
  }

  // A data set of the items shown, with the inputs of the chosen run.
  exporting() {
    const { items, view } = this;
    const title = "save the items shown as a data set for thresher run, with the inputs of this run";
    const button = make("button", { type: "button", title, onclick: () => exportItems(items, view) });
    this.synced.push(() => {
      button.textContent = items.runs.length > 1 ? `JSONL of ${letter(view.state.run)}` : "JSONL";
    });
    return button;
  }

  runs() {
    return this.items.runs.map((_, run) => [String(run), runName(this.items, run)]);
  }

  bound(control, read) {
    this.synced.push(() => {
      if (document.activeElement !== control) read(control);
    });
    return control;
  }

  pick(label, options, name, read = String) {
    const { view } = this;
    const field = choice(label, options, String(view.state[name]), (value) => view.set({ [name]: read(value) }));
    this.bound(field.querySelector("select"), (select) => {
      select.value = String(view.state[name]);
    });
    return field;
  }

  tick(label, name, title) {
    const field = check(label, this.view.state[name], (on) => this.view.set({ [name]: on }));
    if (title) field.title = title;
    this.bound(field.querySelector("input"), (box) => {
      box.checked = this.view.state[name];
    });
    return field;
  }

  search() {
    const { view } = this;
    const oninput = () => later(() => view.set({ query: search.value }));
    const search = this.bound(make("input", { type: "search", placeholder: "words, or an id", oninput }), (control) => {
      control.value = view.state.query;
    });
    return search;
  }

  // Cards have no headings to click on.
  sorting() {
    const { view } = this;
    const select = make("select", { onchange: () => view.sortBy(view.columns[Number(select.value)]) });
    this.synced.push(() => {
      const options = view.columns.map(({ label }, place) => make("option", { value: place }, [label].flat().map(cloned)));
      select.replaceChildren(...options);
      select.value = view.columns.findIndex(({ key }) => key === view.sort.key);
    });
    return make("label", { class: "field cards-only" }, "Sort by", select);
  }

  // Below or above a score in the shown run, in any run or in every run.
  scoreTest() {
    const { items, view } = this;
    const select = (label, name, values) =>
      this.bound(
        make("select", { "aria-label": label, onchange: (event) => view.set({ [name]: event.target.value }) }, values.map(([value, text]) => make("option", { value }, text))),
        (control) => {
          control.value = view.state[name];
        },
      );
    const oninput = () =>
      later(() => {
        const usual = view.metric.sign > 0 ? "below" : "above";
        view.set({ threshold: parseFloat(limit.value), test: view.state.test === "any" ? usual : view.state.test });
      });
    const limit = this.bound(make("input", { type: "number", step: "any", "aria-label": "Limit of the score", oninput }), (control) => {
      control.value = Number.isNaN(view.state.threshold) ? "" : view.state.threshold;
    });
    const label = make("span", { class: "label" });
    this.synced.push(() => {
      label.textContent = items.runs.length > 1 ? `Score in ${letter(view.state.run)}` : "Score";
    });
    const scope = items.runs.length > 1 && select("Runs whose score is tested", "scope", [["run", "this run"], ["any", "any run"], ["every", "every run"]]);
    return make("div", { class: "field" }, label, make("span", { class: "pair" }, select("Score is", "test", words(["any", "below", "above"])), limit, scope));
  }
}

const words = (list) => list.map((word) => [word, word]);
const cloned = (part) => (typeof part === "string" ? part : part.textContent);
const hasRepeats = (items) => items.repeats.runs.length > 0 || items.repeats.rows !== null;

function changeKinds(items) {
  const kinds = ["regressed", "improved", "unchanged"];
  const anywhere = items.runs.length > 2 ? ["regressed in any run", "improved in any run"] : [];
  return words(["any", ...kinds, ...anywhere]);
}

let waiting = 0;
// Act when typing pauses.
function later(action) {
  clearTimeout(waiting);
  waiting = setTimeout(action, 120);
}

function statuses(items) {
  const states = new Set();
  for (const source of Object.values(items.sources)) {
    for (const run of source)
      for (const code of Object.values(run ? run.status : {})) states.add(items.states[code]);
  }
  if (items.absent.some((rows) => rows.size)) states.add("absent");
  return states.size ? ["any", "scored", "not scored", ...states] : ["any"];
}

function answersStandApart(items) {
  const answer = items.byPart.get("answer");
  return Boolean(answer) && answer.cells.length > 1;
}
