// The filters. Controls follow the view, except the one with the focus.
function toolbar(host, items, view, grid) {
  const many = items.runs.length > 1,
    scored = items.metrics.length > 0;
  const synced = [];
  const bound = (control, read) => {
    synced.push(() => {
      if (document.activeElement !== control) read(control);
    });
    return control;
  };
  const pick = (label, options, name, read = String) => {
    const field = choice(label, options, String(view.state[name]), (value) =>
      view.set({ [name]: read(value) }),
    );
    bound(field.querySelector("select"), (select) => {
      select.value = String(view.state[name]);
    });
    return field;
  };
  const tick = (label, name) => {
    const field = check(label, view.state[name], (on) => view.set({ [name]: on }));
    bound(field.querySelector("input"), (box) => {
      box.checked = view.state[name];
    });
    return field;
  };
  const search = bound(
    make("input", {
      type: "search",
      placeholder: "words, or an id",
      oninput: () => later(() => view.set({ query: search.value })),
    }),
    (control) => {
      control.value = view.state.query;
    },
  );
  const words = (list) => list.map((word) => [word, word]);
  host.append(
    make(
      "div",
      { class: "controls" },
      make("label", { class: "field wide" }, "Search", search),
      scored &&
        pick(
          "Metric",
          items.metrics.map((metric) => [metric.name, metric.label]),
          "metric",
        ),
      many &&
        pick("Run", items.runs.map((_, run) => [String(run), runName(items, run)]).slice(1), "run", Number),
      scored && scoreTest(items, view, bound),
      scored && pick("Status", words(statuses(items)), "status"),
      items.facets.map((facet) =>
        pick(facet.name.replaceAll("_", " "), facetChoices(items, facet), `column ${facet.name}`),
      ),
      items.why && pick("In this file as", words(["any", ...items.reasons]), "why"),
      many && scored && tick("Regressions only", "regressions"),
      many && answersStandApart(items) && tick("Answers differ", "differing"),
      check("Tall rows", false, (on) => grid.tall(on)),
      make("button", { type: "button", onclick: () => view.reset() }, "Reset"),
      make("button", { type: "button", onclick: () => save("items.csv", csvOf(items, view.order)) }, "CSV"),
    ),
  );
  view.onchange(() => synced.forEach((sync) => sync()));
  host.hidden = false;
}

// Below or above a score in the shown run.
function scoreTest(items, view, bound) {
  const test = bound(
    make(
      "select",
      { "aria-label": "Score is", onchange: () => view.set({ test: test.value }) },
      ["any", "below", "above"].map((value) => make("option", { value }, value)),
    ),
    (control) => {
      control.value = view.state.test;
    },
  );
  const limit = bound(
    make("input", {
      type: "number",
      step: "any",
      "aria-label": "Limit of the score",
      oninput: () =>
        later(() => {
          const threshold = parseFloat(limit.value),
            usual = view.metric.sign > 0 ? "below" : "above";
          view.set({ threshold, test: view.state.test === "any" ? usual : view.state.test });
        }),
    }),
    (control) => {
      control.value = Number.isNaN(view.state.threshold) ? "" : view.state.threshold;
    },
  );
  const label = make("span", { class: "label" });
  const update = () => {
    label.textContent = items.runs.length > 1 ? `Score in ${letter(view.state.run)}` : "Score";
  };
  update();
  view.onchange(update);
  return make("div", { class: "field" }, label, make("span", { class: "pair" }, test, limit));
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
