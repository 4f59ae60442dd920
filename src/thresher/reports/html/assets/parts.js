// The parts of one item's page.
const asText = (entry) => (typeof entry === "string" ? entry : Array.isArray(entry) && entry.every((each) => typeof each === "string") ? entry.join("\n") : JSON.stringify(entry));

// Reference and answers side by side; of one pair, the words that differ.
function answersPart(items, row, details) {
  const texts = answerTexts(items, row);
  if (!texts.length) return null;
  const pairs = pairsOf(texts);
  const chosen = pairs.find((pair) => pair.key === details.pair) || pairs.find((pair) => pair.usual);
  const select = make("select", { "aria-label": "Show differing words", onchange: () => { details.pair = select.value; details.show(row); } },
    make("option", { value: "none" }, "plain"), pairs.map((pair) => make("option", { value: pair.key }, pair.label)));
  const shown = details.pair === "none" ? null : chosen;
  select.value = shown ? shown.key : "none";
  return [
    make("h3", {}, "Answers", pairs.length ? select : null),
    make("div", { class: "answers" }, texts.map((each) => make("div", { class: each.run === null ? "reference" : `run-${each.run % 8}` },
      make("p", { class: "who" }, each.badge ? badge(each.run) : null, each.who),
      make("p", { class: "said" }, shown && shown.after === each ? differenceShown(shown.before.text, each.text) : each.text)))),
  ];
}

function answerTexts(items, row) {
  const texts = [];
  const reference = items.byPart.get("reference"), answer = items.byPart.get("answer");
  const add = (input, run) => {
    const entry = items.entry(input, run ?? 0, row);
    const apart = run !== null && input.cells.length > 1;
    if (entry !== null && entry !== undefined) texts.push({ who: apart ? items.runs[run] : input.name.replaceAll("_", " "), run, badge: apart, text: asText(entry) });
  };
  if (reference) add(reference, null);
  if (answer) for (const run of items.runsOf(answer)) add(answer, run);
  return texts;
}

// Texts that can be compared, each with every later one; two answers are compared unless told otherwise.
function pairsOf(texts) {
  const pairs = [];
  texts.forEach((before, first) => texts.slice(first + 1).forEach((after, second) => {
    pairs.push({ before, after, key: `${first} ${second}`, label: `${shortName(after)} against ${shortName(before)}`, usual: before.run !== null && before.text !== after.text });
  }));
  return pairs;
}

const shortName = (text) => (text.badge ? letter(text.run) : text.who);

function scoresPart(items, row) {
  const many = items.runs.length > 1;
  const cell = (metric, run) => {
    const score = items.score(metric, run, row);
    if (!Number.isNaN(score)) return make("td", { class: "number" }, told(score), reasonShown(items, metric, run, row));
    return make("td", { class: "none number" }, items.state(metric, run, row), reasonShown(items, metric, run, row));
  };
  const change = (metric, run) => {
    const gain = items.gain(metric, run, row);
    return make("td", { class: `number ${gain > 0 ? "better" : gain < 0 ? "worse" : "muted"}` }, told(metric.sign * gain, true));
  };
  const heads = items.runs.map((name, run) => [make("th", { scope: "col", class: "number", title: name }, many ? badge(run) : "score"), run ? make("th", { scope: "col", class: "number" }, "change") : null]);
  return [
    make("h3", {}, "Scores"),
    make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "metric"), heads)),
      make("tbody", {}, items.metrics.map((metric) => make("tr", {}, make("th", { scope: "row", class: "metric" }, `${metric.label} ${metric.sign < 0 ? "↓" : "↑"}`),
        items.runs.map((_, run) => [cell(metric, run), run ? change(metric, run) : null])))))),
  ];
}

function reasonShown(items, metric, run, row) {
  const reason = items.reason(metric, run, row);
  return reason ? make("span", { class: "why" }, reason) : null;
}

// Passages and retrieved documents, with quoted evidence marked and the judges' word on each.
function passagesPart(items, row, evidence) {
  const relevant = items.byPart.get("relevant");
  const wanted = relevant ? new Set([items.entry(relevant, 0, row)].flat(1).map(nameOf)) : new Set();
  const parts = [];
  for (const part of ["contexts", "retrieved"]) {
    const input = items.byPart.get(part);
    if (!input) continue;
    for (const run of items.runsOf(input)) {
      const entries = items.entry(input, run, row);
      if (entries === null || entries === undefined) continue;
      const alone = input.cells.length === 1;
      const heading = alone ? input.name.replaceAll("_", " ") : `${input.name.replaceAll("_", " ")} of ${runName(items, run)}`;
      const known = alone ? evidence.flat() : evidence[run];
      parts.push(make("h3", {}, heading), passageList([entries].flat(1), known, wanted));
    }
  }
  return parts;
}

function passageList(entries, evidence, wanted) {
  const quotes = new Set(evidence.flatMap(([, told]) => [...quotesIn(told)]));
  return make("ol", { class: "passages" }, entries.map((entry) => {
    const text = textOf(entry), name = nameOf(entry);
    const verdicts = verdictsOn(text, evidence).map(({ metric, run, verdict, reason }) => make("span", { class: "why" },
      run === null ? null : badge(run), `${metric.replaceAll("_", " ")}: `, verdictShown(verdict), reason || null));
    return make("li", {},
      make("p", { class: "said" }, withMarks(text, quotes), text !== name && name ? make("span", { class: "tag id" }, name) : null, wanted.has(name) ? make("span", { class: "tag relevant" }, "relevant") : null),
      verdicts);
  }));
}

// A document's text and its name, whether it is a text, an id with a score, or a document.
function textOf(entry) {
  if (typeof entry === "string") return entry;
  if (Array.isArray(entry)) return entry.map((each) => (typeof each === "number" ? told(each) : asText(each))).join("  ");
  return isObject(entry) ? String(entry.content ?? entry.text ?? JSON.stringify(entry)) : String(entry);
}

function nameOf(entry) {
  if (Array.isArray(entry)) return String(entry[0]);
  return isObject(entry) ? String(entry.id ?? "") : String(entry);
}

function judgesPart(items, row, evidence) {
  const parts = evidence.flatMap((pairs, run) => pairs.map(([source, told]) => {
    const metric = items.metric(source), label = metric ? metric.label : source;
    const contexts = items.byPart.get("contexts");
    const passages = contexts ? [items.entry(contexts, run, row)].flat(1) : [];
    return [make("h3", {}, items.runs.length > 1 ? `${label}, ${runName(items, run)}` : label), evidenceShown(told, passages)];
  }));
  return parts;
}

function objectsPart(items, row) {
  const [truths, predictions] = ["truths", "predictions"].map((part) => items.byPart.get(part));
  const drawn = [truths, predictions].filter((input) => input && input.kind === "objects");
  if (!drawn.length) return null;
  const picture = items.inputs.find((input) => input.kind === "text" && /^image/.test(input.name));
  const address = picture ? items.entry(picture, 0, row) : null;
  const image = typeof address === "string" && address.startsWith("data:image/") ? address : null;
  const runs = predictions && drawn.includes(predictions) ? items.runsOf(predictions) : [0];
  return [
    make("h3", {}, "Objects: solid are true, dashed were found"),
    make("div", { class: "answers" }, runs.map((run) => make("div", {}, runs.length > 1 ? make("p", { class: "who" }, badge(run), items.runs[run]) : null,
      objectsShown(drawn.includes(truths) ? items.entry(truths, run, row) : null, drawn.includes(predictions) ? items.entry(predictions, run, row) : null, items.runs[run], image)))),
  ];
}

// Columns that no other part shows.
function othersPart(items, row) {
  const shown = new Set(["question", "answer", "reference", "contexts", "retrieved"]);
  const rest = items.inputs.filter((input) => !shown.has(input.part) && input.kind !== "objects" && !/^data:/.test(input.name));
  const entries = rest.flatMap((input) => items.runsOf(input).map((run) => {
    const entry = items.entry(input, run, row);
    if (entry === null || entry === undefined) return null;
    const name = input.cells.length > 1 ? `${input.name}, ${letter(run)}` : input.name;
    return make("div", {}, make("dt", {}, name.replaceAll("_", " ")), make("dd", { class: "said" }, asText(entry)));
  })).filter(Boolean);
  return entries.length ? [make("h3", {}, "Other columns"), make("dl", {}, entries)] : null;
}
