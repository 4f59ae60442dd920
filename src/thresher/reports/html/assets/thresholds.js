// The panel of thresholds: choices, a chart with a slider, and the outcome.
function thresholds(host, items, view) {
  const sources = thresholdSources(items);
  if (!host) return;
  if (!sources.length) {
    host.closest("section").hidden = true;
    return;
  }
  const usual = openingSource(items, sources);
  const state = { source: usual.key, run: view.state.run, label: null };
  const build = (focused) => {
    const source = sources.find(({ key }) => key === state.source);
    if (!source.runs[state.run]) state.run = source.runs.findIndex(Boolean);
    const labels = source.choices(state.run);
    if (!labels.some(([label]) => label === state.label)) state.label = labels[0][0];
    const set = (name, value) => {
      state[name] = value;
      build(name);
    };
    host.replaceChildren(
      make(
        "div",
        { class: "controls" },
        choice(
          "Scores",
          sources.map(({ key, label }) => [key, label]),
          state.source,
          (value) => set("source", value),
        ),
        choice(
          "Run",
          items.runs
            .map((_, run) => [String(run), runName(items, run)])
            .filter((_, run) => source.runs[run]),
          String(state.run),
          (value) => set("run", Number(value)),
        ),
        choice(source.truth, labels, state.label, (value) => set("label", value)),
      ),
      cutPanel(items, view, source, state, source.threshold(state.run, state.label)),
    );
    const order = ["source", "run", "label"].indexOf(focused);
    if (order >= 0) host.querySelectorAll(".controls select")[order].focus();
  };
  host.hidden = false;
  build();
}

// The first primary measure; scores of predictions come before metrics of zeros and ones, which need no threshold.
function openingSource(items, sources) {
  const primary = items.primary
    .flatMap((name) => ["metric", "curve"].map((kind) => sources.find(({ key }) => key === `${kind} ${name}`)))
    .filter(Boolean);
  const graded = primary[0]?.graded ? primary[0] : primary.find(({ metric }) => !metric);
  return graded || primary[0] || sources[0];
}

function cutPanel(items, view, source, state, threshold) {
  const { cuts } = threshold,
    least = cuts[0],
    most = cuts[cuts.length - 1];
  const reading = make("p", { class: "reading", "aria-live": "polite" }),
    outcome = make("div");
  const ends = least >= 0 && most <= 1 ? [0, 1] : least < most ? [least, most] : [least - 1, most + 1];
  const many = items.runs.length > 1;
  const run = many && [badge(state.run), " ", items.runs[state.run]];
  const chart = cutChart(threshold, ends, source.label, run);
  const slider = make("input", {
    type: "range",
    min: ends[0],
    max: ends[1],
    step: (ends[1] - ends[0]) / 500,
    "aria-label": `Threshold of ${source.label}`,
    oninput: () => move(Number(slider.value)),
  });
  const move = (value) => {
    const place = threshold.at(value),
      cut = cuts[place];
    slider.setAttribute("aria-valuetext", numberText(cut));
    reading.textContent = whatPasses(source, threshold, place);
    chart.cursor(cut);
    outcome.replaceChildren(
      ...(threshold.hits ? outcomeShown(threshold.measures(place), source, state.label) : []),
    );
    show.onclick = () => {
      const test = source.sign > 0 ? "below" : "above";
      view.set({ metric: source.metric.name, run: state.run, test, threshold: cut });
      document.getElementById("items").scrollIntoView();
    };
  };
  const show = make("button", { type: "button", hidden: !source.metric }, "Show what does not pass");
  const best = threshold.hits
    ? make("button", { type: "button", onclick: () => jump(cuts[threshold.best()]) }, "Best F1")
    : null;
  const jump = (value) => {
    slider.value = value;
    move(value);
  };
  jump(threshold.hits ? cuts[threshold.best()] : cuts[Math.floor(cuts.length / 2)]);
  const warning = `A threshold that is best on these items tends to do worse on new ones. ${items.why ? "All items are counted, in this file or not." : ""}`;
  return make(
    "div",
    { class: many ? `cut of-run run-${state.run % 8}` : "cut" },
    make("div", {}, reading, chart.drawing, slider, chart.legend),
    make(
      "div",
      {},
      outcome,
      make("div", { class: "controls" }, best, show),
      threshold.hits ? make("p", { class: "aside" }, warning) : null,
    ),
  );
}

// The effect of the threshold in one sentence.
function whatPasses(source, threshold, place) {
  const bar = `${source.label} ${source.sign > 0 ? "≥" : "≤"} ${numberText(threshold.cuts[place])}`;
  const many = (number) => number.toLocaleString("en");
  if (!source.metric) {
    const { tp, fp, fn } = threshold.measures(place);
    return `${bar}: ${many(tp)} right, ${many(fp)} wrong, ${many(fn)} missed.`;
  }
  const [passing, total] = [threshold.passing[place], threshold.total];
  return `${bar}: ${many(passing)} of ${counted(total, "item")} pass, ${many(total - passing)} do not.`;
}

function outcomeShown({ tp, fp, fn, tn, precision, recall, f1 }, source, label) {
  const figure = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, numberText(value)));
  const cell = (count, tone) =>
    make("td", { class: `number ${tone}` }, count === null ? DASH : count.toLocaleString("en"));
  const head = (text, scope) => make("th", { scope }, text);
  const name = label.replaceAll("_", " ");
  const [yes, no] = source.metric ? [`${name} is 1`, `${name} is 0`] : ["true objects or labels", "others"];
  const heads = source.metric ? ["passes", "does not"] : ["predicted", "not predicted"];
  return [
    make(
      "dl",
      { class: "measures" },
      figure("precision", precision),
      figure("recall", recall),
      figure("F1", f1),
    ),
    make(
      "table",
      { class: "outcome" },
      make("caption", { class: "hidden" }, "Confusion at this threshold"),
      make("thead", {}, make("tr", {}, make("td"), head(heads[0], "col"), head(heads[1], "col"))),
      make(
        "tbody",
        {},
        make("tr", {}, head(yes, "row"), cell(tp, "better"), cell(fn, "worse")),
        make("tr", {}, head(no, "row"), cell(fp, "worse"), cell(tn, "better")),
      ),
    ),
  ];
}
