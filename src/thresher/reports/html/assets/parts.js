// The other parts of one item's page: scores, evidence of judges, objects, further columns.
function scoresPart(items, row, base) {
  if (!items.metrics.length) return null;
  const table = items.runs.length > 2 ? scoresByRun(items, row, base) : scoresByMetric(items, row, base);
  return [
    make("h3", {}, "Scores"),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores of this item" },
      make("table", { class: "pinned" }, make("caption", { class: "hidden" }, "Scores of this item"), table),
    ),
  ];
}

// Up to two runs: a row per metric, with the change.
function scoresByMetric(items, row, base) {
  const many = items.runs.length > 1;
  const heads = items.runs.map((name, run) => [
    make("th", { scope: "col", class: "number", title: name }, many ? badge(run) : "score"),
    run ? make("th", { scope: "col", class: "number" }, "change") : null,
  ]);
  const other = 1 - base;
  return [
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "metric"), heads)),
    make(
      "tbody",
      {},
      items.metrics.map((metric) =>
        make(
          "tr",
          {},
          make("th", { scope: "row", class: "metric" }, metricHead(metric)),
          items.runs.map((_, run) => [scoreCell(items, metric, run, row), run ? changeCell(items, metric, other, row, base) : null]),
        ),
      ),
    ),
  ];
}

// More runs: a row per run; scores are coloured by their change from the baseline.
function scoresByRun(items, row, base) {
  return [
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "run"), items.metrics.map((metric) => make("th", { scope: "col", class: "number" }, metricHead(metric))))),
    make(
      "tbody",
      {},
      items.runs.map((name, run) =>
        make(
          "tr",
          {},
          make("th", { scope: "row", title: name }, badge(run), run === base ? " baseline" : null),
          items.metrics.map((metric) => scoreCell(items, metric, run, row, gainTone(items.gain(metric, run, row, base), ""))),
        ),
      ),
    ),
  ];
}

const metricHead = (metric) => [breakable(metric.name), `\u00a0${metric.sign < 0 ? "↓" : "↑"}`];

function scoreCell(items, metric, run, row, tone = "") {
  const score = items.score(metric, run, row);
  const reason = reasonShown(items, metric, run, row);
  if (Number.isNaN(score)) return make("td", { class: "none number" }, items.state(metric, run, row), reason);
  return make("td", { class: `number ${tone}` }, numberText(score, false, metric.decimals), reason);
}

function changeCell(items, metric, run, row, base) {
  const gain = items.gain(metric, run, row, base);
  return make("td", { class: `number ${gainTone(gain, "muted")}` }, numberText(metric.sign * gain, true, metric.decimals));
}

function reasonShown(items, metric, run, row) {
  const reason = items.reason(metric, run, row);
  return reason ? make("span", { class: "why" }, reason) : null;
}

// Evidence of judges by metric, with the runs side by side.
function judgesPart(items, row, evidence) {
  const contexts = items.byPart.get("contexts");
  const answer = items.byPart.get("answer");
  const shownItem = (run) => ({
    passages: contexts ? [items.entry(contexts, run, row)].flat(1) : [],
    answer: answer && items.entry(answer, run, row),
  });
  const sources = new Set(evidence.flatMap((pairs) => pairs.map(([source]) => source)));
  return [...sources].map((source) => {
    const shown = evidence.flatMap((pairs, run) =>
      pairs.filter(([name]) => name === source).map(([, said]) => judgeShown(items, run, said, shownItem(run))),
    );
    return [
      make("h3", {}, source),
      shown.length > 1 ? make("div", { class: "answers" }, shown) : shown,
    ];
  });
}

function judgeShown(items, run, said, item) {
  const many = items.runs.length > 1;
  return make(
    "div",
    { class: many ? `run-${run % 8}` : null },
    many ? make("p", { class: "who" }, badge(run), items.runs[run]) : null,
    evidenceShown(said, item),
  );
}

function objectsPart(items, row) {
  const [truths, predictions] = ["truths", "predictions"].map((part) => items.byPart.get(part));
  const drawn = [truths, predictions].filter((input) => input && input.kind === "objects");
  if (!drawn.length) return null;
  const address = addressOf(items, row);
  const image = isPicture(address) ? address : null;
  const runs = predictions && drawn.includes(predictions) ? items.runsOf(predictions) : [0];
  const objects = (input, run) => (drawn.includes(input) ? items.entry(input, run, row) : null);
  const extent = extentOf(runs.flatMap((run) => [objects(truths, run), objects(predictions, run)]));
  const shown = (run) =>
    make(
      "div",
      { class: runs.length > 1 ? `run-${run % 8}` : null },
      runs.length > 1 ? make("p", { class: "who" }, badge(run), items.runs[run]) : null,
      objectsShown(objects(truths, run), objects(predictions, run), items.runs[run], image, extent),
      address && !image ? make("p", { class: "muted" }, address) : null,
    );
  return [
    make("h3", {}, "Objects: solid are true, dashed are predicted"),
    extent || address
      ? make("div", { class: "answers" }, runs.map(shown))
      : make("p", { class: "muted" }, "No true and no predicted objects."),
  ];
}

// Pictures without drawn objects, except answers, which are shown as such.
function picturesPart(items, row) {
  const drawn = items.inputs.some((input) => input.kind === "objects");
  const rest = items.inputs.filter((input) => input.kind === "picture" && !["answer", "reference"].includes(input.part)).slice(drawn ? 1 : 0);
  const shown = rest.flatMap((input) =>
    items.runsOf(input).map((run) => {
      const address = items.entry(input, run, row);
      if (!address) return null;
      const name = input.cells.length > 1 ? `${input.name}, ${letter(run)}` : input.name;
      const whole = isPicture(address);
      const picture = whole ? make("img", { src: address, alt: name, class: "picture" }) : null;
      return make("figure", {}, picture, make("figcaption", { class: "muted" }, whole ? name : `${name}: ${address}`));
    }),
  );
  return shown.some(Boolean) ? [make("h3", {}, "Pictures"), make("div", { class: "answers" }, shown)] : null;
}

// Columns that no other part shows.
function othersPart(items, row) {
  const shown = new Set([
    ...["question", "answer", "reference", "contexts", "retrieved"],
    ...["conversation", "reference conversation", "calls"],
  ]);
  const rest = items.inputs.filter(
    (input) => !shown.has(input.part) && !["objects", "picture"].includes(input.kind),
  );
  const entries = rest
    .flatMap((input) =>
      items.runsOf(input).map((run) => {
        const entry = items.entry(input, run, row);
        if (entry === null || entry === undefined) return null;
        const name = input.cells.length > 1 ? `${input.name}, ${letter(run)}` : input.name;
        return make(
          "div",
          {},
          make("dt", {}, name.replaceAll("_", " ")),
          make("dd", { class: "said" }, asText(entry)),
        );
      }),
    )
    .filter(Boolean);
  return entries.length ? [make("h3", {}, "Other columns"), make("dl", {}, entries)] : null;
}
