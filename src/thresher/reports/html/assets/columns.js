// The columns of the grid: content of a cell, and sort key.
function columnsOf(items, state) {
  const columns = [
    {
      key: "id",
      label: "item",
      width: idWidth(items),
      value: (row) => items.ids[row],
      cell: (row) => items.ids[row],
      kind: "id",
    },
  ];
  const shown = [
    items.byPart.get("question") || firstText(items),
    items.runs.length === 1 && items.byPart.get("answer"),
  ];
  for (const input of shown.filter(Boolean)) columns.push(textColumn(items, input));
  if (columns.length === 1) columns[0].width = "minmax(var(--id-width), 1fr)";
  const metric = items.metric(state.metric);
  if (items.runs.length === 1) {
    for (const column of items.metrics) columns.push(scoreColumn(items, column, 0, column.label));
    return columns;
  }
  if (metric) {
    columns.push(scoreColumn(items, metric, 0, `${letter(0)}\u00a0${metric.label}`));
    columns.push(scoreColumn(items, metric, state.run, `${letter(state.run)}\u00a0${metric.label}`));
    columns.push(gainColumn(items, metric, state.run, "gain"));
  }
  for (const other of items.metrics)
    if (other !== metric) columns.push(gainColumn(items, other, state.run, `gain ${other.name}`));
  return columns;
}

// As wide as the longest id, within limits; rows are laid out one by one, so CSS cannot derive it.
function idWidth(items) {
  const longest = items.ids.reduce((most, id) => Math.max(most, id.length), "item ↑".length);
  return `min(${longest * 0.5 + 1.6}rem, var(--id-width))`;
}

// As wide as the longest word of the heading with an arrow, and at least as wide as a number.
function numberWidth(label) {
  const longest = Math.max(...label.split(/[ -]/).map((word) => word.length));
  return `max(var(--number-width), ${longest * 0.46 + 1.9}rem)`;
}

function firstText(items) {
  return (
    items.inputs.find((input) => input.kind === "text") ||
    items.inputs.find((input) => input.kind === "texts")
  );
}

function textColumn(items, input) {
  const text = (row) => {
    const entry = items.entry(input, 0, row);
    if (entry === null || entry === undefined) return "";
    return typeof entry === "string" ? entry : JSON.stringify(entry);
  };
  return {
    key: `text ${input.name}`,
    label: input.name.replaceAll("_", " "),
    width: "minmax(var(--text-width), 1fr)",
    value: text,
    cell: text,
    kind: "text",
  };
}

function scoreColumn(items, metric, run, label) {
  const key = items.runs.length === 1 ? `score ${metric.name}` : `score ${metric.name} ${run}`;
  const value = (row) => items.score(metric, run, row);
  const cell = (row) => (Number.isNaN(value(row)) ? unscored(items, metric, run, row) : numberText(value(row), false, metric.decimals));
  return { key, label, width: numberWidth(label), value, cell, kind: "number", down: metric.sign < 0 };
}

// The change (run minus first), coloured by whether it is better. Losses sort first.
function gainColumn(items, metric, run, key) {
  const value = (row) => items.gain(metric, run, row);
  const cell = (row) => {
    const gain = value(row);
    if (Number.isNaN(gain)) return DASH;
    return make("span", { class: gainTone(gain, "zero") }, numberText(metric.sign * gain, true, metric.decimals));
  };
  const title = `change of ${metric.label} from ${letter(0)} to ${letter(run)}; the items that lost most come first`;
  const label = `Δ\u00a0${metric.label}`;
  return { key, label, title, width: numberWidth(label), value, cell, kind: "number" };
}

// The status in place of a score, with its reason as title.
function unscored(items, metric, run, row) {
  return make(
    "span",
    { class: "none", title: items.reason(metric, run, row) },
    items.state(metric, run, row),
  );
}
