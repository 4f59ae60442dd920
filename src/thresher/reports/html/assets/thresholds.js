// The panel of the thresholds: choices, a slider under its chart, and what comes out.
function thresholds(host, items, view) {
  const names = Object.keys(items.cuts).filter((name) => items.metric(name));
  if (!host) return;
  if (!names.length) {
    host.closest("section").hidden = true;
    return;
  }
  const state = {
    metric: names.includes(view.state.metric) ? view.state.metric : names[0],
    run: view.state.run,
    label: null,
  };
  const build = (focused) => {
    const metric = items.metric(state.metric),
      runs = items.cuts[state.metric];
    if (!runs[state.run]) state.run = runs.findIndex((cut) => cut);
    const labels = Object.keys(runs[state.run].labels);
    if (!labels.includes(state.label)) state.label = state.label === "" ? "" : labels[0] || "";
    const set = (name, value) => {
      state[name] = value;
      build(name);
    };
    host.replaceChildren(
      make(
        "div",
        { class: "controls" },
        choice(
          "Metric",
          names.map((name) => [name, items.metric(name).label]),
          state.metric,
          (value) => set("metric", value),
        ),
        choice(
          "Run",
          items.runs.map((_, run) => [String(run), runName(items, run)]).filter((_, run) => runs[run]),
          String(state.run),
          (value) => set("run", Number(value)),
        ),
        choice(
          "Truth",
          [["", "none"], ...labels.map((label) => [label, label.replaceAll("_", " ")])],
          state.label,
          (value) => set("label", value),
        ),
      ),
      cutPanel(items, view, metric, state, new Threshold(runs[state.run], metric.sign, state.label)),
    );
    const order = ["metric", "run", "label"].indexOf(focused);
    if (order >= 0) host.querySelectorAll(".controls select")[order].focus();
  };
  host.hidden = false;
  build();
}

function cutPanel(items, view, metric, state, threshold) {
  const { cuts } = threshold,
    least = cuts[0],
    most = cuts[cuts.length - 1];
  const reading = make("p", { class: "reading", "aria-live": "polite" }),
    outcome = make("div");
  const ends = least >= 0 && most <= 1 ? [0, 1] : least < most ? [least, most] : [least - 1, most + 1];
  const chart = cutChart(threshold, ends);
  const slider = make("input", {
    type: "range",
    min: ends[0],
    max: ends[1],
    step: (ends[1] - ends[0]) / 500,
    "aria-label": `Threshold of ${metric.label}`,
    oninput: () => move(Number(slider.value)),
  });
  const move = (value) => {
    const place = threshold.at(value),
      cut = cuts[place],
      sign = metric.sign > 0 ? "≥" : "≤";
    slider.setAttribute("aria-valuetext", told(cut));
    reading.textContent = `${metric.label} ${sign} ${told(cut)}: ${threshold.passing[place].toLocaleString("en")} of ${counted(threshold.total, "item")} pass, ${(threshold.total - threshold.passing[place]).toLocaleString("en")} do not.`;
    chart.cursor(cut);
    outcome.replaceChildren(...(state.label ? outcomeShown(threshold.measures(place), state.label) : []));
    show.onclick = () => {
      view.set({
        metric: metric.name,
        run: state.run,
        test: metric.sign > 0 ? "below" : "above",
        threshold: cut,
      });
      document.getElementById("items").scrollIntoView();
    };
  };
  const show = make("button", { type: "button" }, "Show what does not pass");
  const best = state.label
    ? make("button", { type: "button", onclick: () => jump(cuts[threshold.best()]) }, "Best F1")
    : null;
  const jump = (value) => {
    slider.value = value;
    move(value);
  };
  jump(state.label ? cuts[threshold.best()] : cuts[Math.floor(cuts.length / 2)]);
  return make(
    "div",
    { class: "cut" },
    make("div", {}, reading, chart.drawing, slider, chart.legend),
    make(
      "div",
      {},
      outcome,
      make("div", { class: "controls" }, best, show),
      state.label
        ? make(
            "p",
            { class: "aside" },
            `A threshold that is best on these items tends to do worse on new ones. ${items.why ? "All items are counted, in this file or not." : ""}`,
          )
        : null,
    ),
  );
}

function outcomeShown({ tp, fp, fn, tn, precision, recall, f1 }, label) {
  const figure = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, told(value)));
  const cell = (count, tone) => make("td", { class: `number ${tone}` }, count.toLocaleString("en"));
  const head = (text, scope) => make("th", { scope }, text);
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
      make("thead", {}, make("tr", {}, make("td"), head("passes", "col"), head("does not", "col"))),
      make(
        "tbody",
        {},
        make(
          "tr",
          {},
          head(`${label.replaceAll("_", " ")} is 1`, "row"),
          cell(tp, "better"),
          cell(fn, "worse"),
        ),
        make(
          "tr",
          {},
          head(`${label.replaceAll("_", " ")} is 0`, "row"),
          cell(fp, "worse"),
          cell(tn, "better"),
        ),
      ),
    ),
  ];
}
