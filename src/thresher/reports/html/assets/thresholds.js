// A bar to move: what passes it and, where labels of zeros and ones exist, how right that is. Counts are of all items.
class Threshold {
  constructor(cut, sign, label) {
    this.cuts = cut.cuts;
    this.sign = sign;
    const [ones, zeros] = label ? cut.labels[label] : [null, null];
    this.passing = this.passed(cut.all);
    this.total = cut.all.reduce((sum, count) => sum + count, 0);
    if (!label) return;
    this.hits = this.passed(ones);
    this.alarms = this.passed(zeros);
    this.ones = ones.reduce((sum, count) => sum + count, 0);
    this.zeros = zeros.reduce((sum, count) => sum + count, 0);
  }

  // How many pass at each cut: from there up, or down where lower is better.
  passed(counts) {
    let sum = 0;
    if (this.sign < 0) return counts.map((count) => (sum += count));
    return counts.slice().reverse().map((count) => (sum += count)).reverse();
  }

  // The cut that asks no less than the value does.
  at(value) {
    const last = this.cuts.length - 1;
    if (this.sign > 0) { const place = this.cuts.findIndex((cut) => cut >= value); return place < 0 ? last : place; }
    const place = this.cuts.findLastIndex((cut) => cut <= value);
    return Math.max(place, 0);
  }

  measures(place) {
    const tp = this.hits[place], fp = this.alarms[place], fn = this.ones - tp, tn = this.zeros - fp;
    const share = (part, whole) => (whole ? part / whole : NaN);
    return { tp, fp, fn, tn, precision: share(tp, tp + fp), recall: share(tp, tp + fn), f1: share(2 * tp, 2 * tp + fp + fn) };
  }

  best() {
    let best = 0;
    this.cuts.forEach((_, place) => { if (this.measures(place).f1 > (this.measures(best).f1 || 0)) best = place; });
    return best;
  }
}

function thresholds(host, items, view) {
  const names = Object.keys(items.cuts).filter((name) => items.metric(name));
  if (!host) return;
  if (!names.length) { host.closest("section").hidden = true; return; }
  const state = { metric: names.includes(view.state.metric) ? view.state.metric : names[0], run: view.state.run, label: null };
  const build = (focused) => {
    const metric = items.metric(state.metric), runs = items.cuts[state.metric];
    if (!runs[state.run]) state.run = runs.findIndex((cut) => cut);
    const labels = Object.keys(runs[state.run].labels);
    if (!labels.includes(state.label)) state.label = state.label === "" ? "" : labels[0] || "";
    const set = (name, value) => { state[name] = value; build(name); };
    host.replaceChildren(
      make("div", { class: "controls" },
        choice("Metric", names.map((name) => [name, items.metric(name).label]), state.metric, (value) => set("metric", value)),
        choice("Run", items.runs.map((_, run) => [String(run), runName(items, run)]).filter((_, run) => runs[run]), String(state.run), (value) => set("run", Number(value))),
        choice("Truth", [["", "none"], ...labels.map((label) => [label, label.replaceAll("_", " ")])], state.label, (value) => set("label", value))),
      cutPanel(items, view, metric, state, new Threshold(runs[state.run], metric.sign, state.label)));
    const order = ["metric", "run", "label"].indexOf(focused);
    if (order >= 0) host.querySelectorAll(".controls select")[order].focus();
  };
  host.hidden = false;
  build();
}

function cutPanel(items, view, metric, state, threshold) {
  const { cuts } = threshold, least = cuts[0], most = cuts[cuts.length - 1];
  const reading = make("p", { class: "reading", "aria-live": "polite" }), outcome = make("div");
  const ends = least >= 0 && most <= 1 ? [0, 1] : least < most ? [least, most] : [least - 1, most + 1];
  const chart = cutChart(threshold, ends);
  const slider = make("input", { type: "range", min: ends[0], max: ends[1], step: (ends[1] - ends[0]) / 500, "aria-label": `Threshold of ${metric.label}`, oninput: () => move(Number(slider.value)) });
  const move = (value) => {
    const place = threshold.at(value), cut = cuts[place], sign = metric.sign > 0 ? "≥" : "≤";
    slider.setAttribute("aria-valuetext", told(cut));
    reading.textContent = `${metric.label} ${sign} ${told(cut)}: ${threshold.passing[place].toLocaleString("en")} of ${counted(threshold.total, "item")} pass, ${(threshold.total - threshold.passing[place]).toLocaleString("en")} do not.`;
    chart.cursor(cut);
    outcome.replaceChildren(...(state.label ? outcomeShown(threshold.measures(place), state.label) : []));
    show.onclick = () => {
      view.set({ metric: metric.name, run: state.run, test: metric.sign > 0 ? "below" : "above", threshold: cut });
      document.getElementById("items").scrollIntoView();
    };
  };
  const show = make("button", { type: "button" }, "Show what does not pass");
  const best = state.label ? make("button", { type: "button", onclick: () => jump(cuts[threshold.best()]) }, "Best F1") : null;
  const jump = (value) => { slider.value = value; move(value); };
  jump(state.label ? cuts[threshold.best()] : cuts[Math.floor(cuts.length / 2)]);
  return make("div", { class: "cut" },
    make("div", {}, reading, chart.drawing, slider, chart.legend),
    make("div", {}, outcome, make("div", { class: "controls" }, best, show),
      state.label ? make("p", { class: "aside" }, `A threshold that is best on these items tends to do worse on new ones. ${items.why ? "All items are counted, in this file or not." : ""}`) : null));
}

function outcomeShown({ tp, fp, fn, tn, precision, recall, f1 }, label) {
  const figure = (name, value) => make("div", {}, make("dt", {}, name), make("dd", {}, told(value)));
  const cell = (count, tone) => make("td", { class: `number ${tone}` }, count.toLocaleString("en"));
  const head = (text, scope) => make("th", { scope }, text);
  return [
    make("dl", { class: "measures" }, figure("precision", precision), figure("recall", recall), figure("F1", f1)),
    make("table", { class: "outcome" },
      make("thead", {}, make("tr", {}, make("td"), head("passes", "col"), head("does not", "col"))),
      make("tbody", {},
        make("tr", {}, head(`${label.replaceAll("_", " ")} is 1`, "row"), cell(tp, "better"), cell(fn, "worse")),
        make("tr", {}, head(`${label.replaceAll("_", " ")} is 0`, "row"), cell(fp, "worse"), cell(tn, "better")))),
  ];
}

// Lines over the threshold; the slider below has the same ends.
function cutChart(threshold, [low, high]) {
  const width = 640, height = 180, x = (value) => 8 + ((value - low) / (high - low)) * (width - 16), y = (value) => height - 18 - value * (height - 34);
  const share = (count) => (threshold.total ? count / threshold.total : NaN);
  const lines = threshold.hits
    ? ["precision", "recall", "f1"].map((name) => [name === "f1" ? "F1" : name, (place) => threshold.measures(place)[name]])
    : [["share that passes", (place) => share(threshold.passing[place])]];
  const drawing = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${lines.map(([name]) => name).join(", ")} at every threshold` });
  for (const value of [0, 0.5, 1]) {
    drawing.append(shape("line", { class: "gridline", x1: 8, x2: width - 8, y1: y(value), y2: y(value) }),
      shape("text", { x: width - 8, y: y(value) - 3, class: "end" }, String(value)));
  }
  for (const value of [low, high]) drawing.append(shape("text", { x: x(value), y: height - 4, class: value === low ? "" : "end" }, String(Number(value.toPrecision(4)))));
  lines.forEach(([, value], number) => {
    const points = threshold.cuts.map((cut, place) => [x(cut), value(place)]).filter(([, share]) => !Number.isNaN(share));
    drawing.append(shape("path", { class: `line line-${number}`, d: steps(points.map(([at, share]) => [at, y(share)]), threshold.sign) }));
  });
  const cursor = shape("line", { class: "cursor", y1: 6, y2: height - 16 });
  drawing.append(cursor);
  const legend = make("ul", { class: "legend inline" }, lines.map(([name], number) => make("li", {}, make("span", { class: `swatch line-${number}` }), name)));
  return { drawing, legend, cursor: (cut) => { cursor.setAttribute("x1", x(cut)); cursor.setAttribute("x2", x(cut)); } };
}

// Between two cuts a threshold does what the next stricter one does, so the line goes in steps.
function steps(points, sign) {
  return points.map(([x, y], place) => {
    if (!place) return `M${x} ${y}`;
    return sign > 0 ? `V${y}H${x}` : `H${x}V${y}`;
  }).join("");
}
