// The shown items in their order as CSV (RFC 4180): columns, scores and statuses of every run.
function csvOf(items, rows) {
  const many = items.runs.length > 1;
  const columns = [["id", (row) => items.ids[row]]];
  for (const input of items.inputs) {
    for (const run of items.runsOf(input)) {
      columns.push([
        input.cells.length > 1 ? `${input.name}_${items.runs[run]}` : input.name,
        (row) => items.entry(input, run, row),
      ]);
    }
  }
  for (const metric of items.metrics) {
    items.runs.forEach((name, run) => {
      const head = many ? `${metric.name}_${name}` : metric.name;
      columns.push(
        [head, (row) => items.score(metric, run, row)],
        [`${head}_status`, (row) => items.state(metric, run, row)],
      );
    });
  }
  const lines = [
    columns.map(([head]) => csvCell(head)),
    ...rows.map((row) => columns.map(([, value]) => csvCell(value(row)))),
  ];
  return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
}

// Texts that a spreadsheet would execute begin with a mark, by the rule of spreadsheet_cells.py.
const RISKY = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^(?:(?:(?:^| to )[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?){1,2}|[+-]inf)$/;

function guarded(value) {
  return typeof value === "string" && RISKY.test(value) && !NUMBER.test(value) ? `'${value}` : value;
}

function csvCell(cell) {
  const value = guarded(cell);
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // a busy browser may begin late
}
