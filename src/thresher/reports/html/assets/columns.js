// The columns of the grid: content of a cell, and sort key.
function columnsOf(items, state) {
  const metric = items.metric(state.metric);
  const columns = [idColumn(items)];
  const text = items.byPart.get("question") || firstText(items);
  if (items.runs.length > 1 && metric) columns.push(mainGain(items, state, metric)); // in sight on any screen
  if (text) columns.push(textColumn(items, text, 0));
  if (items.runs.length === 1) {
    const answer = items.byPart.get("answer");
    if (answer) columns.push(textColumn(items, answer, 0));
    columns.push(...items.metrics.map((column) => scoreColumn(items, column, 0, [])));
  } else {
    columns.push(...answerColumns(items, state));
    if (metric) columns.push(...pairScores(items, state, metric));
    const others = items.metrics.filter((other) => other !== metric && !state.every);
    columns.push(...others.map((other) => gainColumn(items, state, other, `gain ${other.name}`)));
  }
  if (columns.length === 1) columns[0].width = "minmax(var(--id-width), 1fr)";
  return columns;
}

const mainGain = (items, state, metric) => ({
  ...gainColumn(items, state, metric, "gain"),
  width: gainWidth(items, state, metric, 2),
  kind: "number main",
});

// Scores of a metric, of the two chosen runs or of every run.
function pairScores(items, state, metric) {
  const runs = state.every ? items.runs.map((_, run) => run) : [state.base, state.run];
  return runs.map((run) => scoreColumn(items, metric, run, [badge(run), " "]));
}

// Answers side by side, the baseline's first; none if all runs have the same.
function answerColumns(items, state) {
  const answer = items.byPart.get("answer");
  if (!answer) return [];
  if (answer.cells.length === 1) return [textColumn(items, answer, 0)];
  const others = items.runs.map((_, run) => run).filter((run) => run !== state.base);
  const runs = [state.base, ...(state.every ? others : [state.run])];
  return runs.map((run) => answerColumn(items, answer, run, state));
}

// On a narrow screen an item is a card: id, what changed, question, and the answer with its differing words.
function cardColumns(items, state) {
  const metric = items.metric(state.metric);
  const columns = [idColumn(items)];
  if (metric) columns.push(changeColumn(items, state, metric));
  const text = items.byPart.get("question") || firstText(items);
  const answer = items.byPart.get("answer");
  if (text) columns.push(textColumn(items, text, 0));
  if (answer)
    columns.push(
      answer.cells.length > 1 ? answerColumn(items, answer, state.run, state, ["gone", "new"]) : textColumn(items, answer, 0),
    );
  return columns;
}

function idColumn(items) {
  const value = (row) => items.ids[row];
  return { key: "id", label: "item", width: idWidth(items), value, cell: value, kind: "id" };
}

// As wide as the longest id, within limits; rows are laid out one by one, so CSS cannot derive it.
function idWidth(items) {
  const longest = items.ids.reduce((most, id) => Math.max(most, id.length), "item ↑".length);
  return `min(${longest * 0.5 + 1.6}rem, var(--id-width))`;
}

// As wide as the longest word of the heading with an arrow, and at least as wide as the numbers.
function numberWidth(name, digits = 0, further = 0) {
  const longest = Math.max(...name.split(/[ -]|(?<=_)/).map((word) => word.length));
  return `max(var(--number-width) + ${further}rem, ${longest * 0.46 + 1.9}rem, ${digits * 0.6 + 1.5 + further}rem)`;
}

// Characters of the longest number of a column: the largest, or the smallest, which keeps its first digit.
function digitsOf(items, value, decimals, signed) {
  let [least, most] = [Infinity, 0];
  for (let row = 0; row < items.size; row++) {
    const size = Math.abs(value(row));
    if (size > most) most = size;
    if (size > NOISE && size < least) least = size;
  }
  return Math.max(...[least, most].map((size) => (size < Infinity ? numberText(size, signed, decimals).length : 0)));
}

function firstText(items) {
  return (
    items.inputs.find((input) => input.kind === "text") ||
    items.inputs.find((input) => input.kind === "texts")
  );
}

function textColumn(items, input, run) {
  const text = (row) => entryText(items, input, run, row);
  return {
    key: `text ${input.name}`,
    label: input.name.replaceAll("_", " "),
    width: "minmax(var(--text-width), 1fr)",
    value: text,
    cell: text,
    kind: "text",
  };
}

function entryText(items, input, run, row) {
  const entry = items.entry(input, run, row);
  return entry === null || entry === undefined ? "" : asText(entry);
}

// The answer of one run from where it begins to differ from the baseline's, with the words that only this run has.
function answerColumn(items, answer, run, state, kinds = ["new"]) {
  const text = (of) => (row) => entryText(items, answer, of, row);
  const other = run !== state.base ? state.base : state.every ? run : state.run;
  const [before, after] = [text(other), text(run)];
  const cell = (row) => {
    if (!after(row)) return make("span", { class: "zero" }, items.absent[run].has(row) ? "absent" : DASH);
    if (before(row) === after(row))
      return run === state.base ? excerpt(after(row), 0) : make("span", { class: "zero" }, `same as ${letter(other)}`);
    const [first, second] = excerpts(before(row), after(row));
    if (run !== state.base) return differenceShown(first, second, kinds);
    return differenceShown(second, first, ["gone"]);
  };
  const title = `answer of ${items.runs[run]}; marked: words that are not in ${letter(other)}`;
  return {
    key: `answer ${run}`,
    label: [badge(run), " answer"],
    title,
    width: "minmax(var(--answer-width), 1.6fr)",
    value: after,
    cell,
    kind: "text",
  };
}

function scoreColumn(items, metric, run, before) {
  const key = items.runs.length === 1 ? `score ${metric.name}` : `score ${metric.name} ${run}`;
  const value = (row) => items.score(metric, run, row);
  const cell = (row) => (Number.isNaN(value(row)) ? unscored(items, metric, run, row) : numberText(value(row), false, metric.decimals));
  const label = [before, breakable(metric.name)].flat();
  const width = numberWidth(metric.name, digitsOf(items, value, metric.decimals, false));
  return { key, label, width, value, cell, kind: "number", down: metric.sign < 0 };
}

// The change (run minus baseline), coloured by whether it is better. Losses sort first.
function gainColumn(items, state, metric, key) {
  const { base, run } = state;
  const value = (row) => items.gain(metric, run, row, base);
  const cell = (row) => {
    const gain = value(row);
    if (Number.isNaN(gain)) return DASH;
    return make("span", { class: gainTone(gain, "zero") }, numberText(metric.sign * gain, true, metric.decimals));
  };
  const title = `change of ${metric.name} from ${letter(base)} to ${letter(run)}; the items that lost most come first`;
  const label = ["Δ\u00a0", breakable(metric.name)].flat();
  return { key, label, title, width: gainWidth(items, state, metric), value, cell, kind: "number" };
}

function gainWidth(items, { base, run }, metric, further = 0) {
  const gain = (row) => items.gain(metric, run, row, base);
  return numberWidth(`Δ ${metric.name}`, digitsOf(items, gain, metric.decimals, true), further);
}

// What changed, in words and numbers, for a card.
function changeColumn(items, state, metric) {
  if (items.runs.length === 1) return { ...scoreColumn(items, metric, 0, []), cell: (row) => scoreText(items, metric, 0, row) };
  const { base, run } = state;
  const cell = (row) => {
    const gain = items.gain(metric, run, row, base);
    const scores = [base, run].map((of) => numberText(items.score(metric, of, row), false, metric.decimals));
    const status = [run, base].map((of) => items.state(metric, of, row)).find((name) => name !== "scored");
    const word = Number.isNaN(gain) ? status : gainWord(gain);
    return make("span", { class: gainTone(gain, "zero") }, word, " ", make("small", {}, scores.join(" → ")));
  };
  return { ...gainColumn(items, state, metric, "gain"), cell };
}

const gainWord = (gain) => (gain > NOISE ? "better" : gain < -NOISE ? "worse" : "same score");

function scoreText(items, metric, run, row) {
  const score = items.score(metric, run, row);
  if (Number.isNaN(score)) return unscored(items, metric, run, row);
  return make("span", {}, make("small", {}, `${metric.name} `), numberText(score, false, metric.decimals));
}

// The status in place of a score, with its reason as title.
function unscored(items, metric, run, row) {
  return make(
    "span",
    { class: "none", title: items.reason(metric, run, row) },
    items.state(metric, run, row),
  );
}
