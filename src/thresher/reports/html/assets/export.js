// The shown items as JSONL that `thresher run` reads, equal to the rows of exports/item_export.py.
function exportItems(items, view) {
  const rows = view.order.filter((row) => !items.absent[view.state.run].has(row));
  const partial = rows.filter((row) => isPartial(items, view.state.run, row)).length;
  if (!partial) save("items.jsonl", rows.map((row) => `${exportRow(items, view.state.run, row)}\n`).join(""), "application/jsonl");
  else
    document.getElementById("shown").textContent =
      `This file holds ${counted(partial, "item")} of ${rows.length.toLocaleString("en")} in part only, to stay small: thresher export writes them in full.`;
}

// One item as JSON: its columns under the run's own names, and under _thresher its scores.
function exportRow(items, run, row) {
  const scores = items.metrics.filter((metric) => metric.runs[run]);
  const unscored = scores.filter((metric) => Number.isNaN(items.score(metric, run, row)));
  const origin = {
    run: jsonText(items.runNames[run]),
    scores: jsonObject(scores.map((metric) => [metric.name, JSON.stringify(items.score(metric, run, row))])),
    ...(unscored.length && { unscored: jsonObject(unscored.map((metric) => [metric.name, statusJson(items, metric, run, row)])) }),
  };
  const columns = items.inputs.filter((input) => ![null, "_thresher"].includes(input.originals[run]));
  return jsonObject([
    ...items.idColumns[run].map((name) => [name, jsonText(items.ids[row])]),
    ...columns.map((input) => [input.originals[run], packedJson(items, items.packedEntry(input, run, row))]),
    ["_thresher", jsonObject(Object.entries(origin))],
  ]);
}

function statusJson(items, metric, run, row) {
  const facts = { status: items.state(metric, run, row), reason: items.reason(metric, run, row) };
  return jsonObject(Object.entries(facts).map(([key, text]) => [key, jsonText(text)]));
}

// Packed data as JSON; digits are copied, so that no number is rounded.
function packedJson(items, packed) {
  if (typeof packed === "number") return jsonText(items.texts[packed]);
  if (Array.isArray(packed)) return `[${packed.map((entry) => packedJson(items, entry)).join(", ")}]`;
  if (!isObject(packed)) return String(packed);
  return jsonObject(Object.entries(packed).map(([key, entry]) => [key, packedJson(items, entry)]));
}

const jsonObject = (entries) => `{${entries.map(([key, json]) => `${jsonText(key)}: ${json}`).join(", ")}}`;

// Characters that a reader would not see are escaped, as in visible_text.py.
const HIDDEN = /[\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const unitEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const jsonText = (text) => JSON.stringify(text).replace(HIDDEN, (character) => character.split("").map(unitEscape).join(""));

// Whether the file holds less of an item's inputs than the run: shortened texts, omitted pictures, rounded outlines.
function isPartial(items, run, row) {
  const places = [];
  for (const input of items.inputs) {
    const packed = items.packedEntry(input, run, row);
    if (input.kind === "objects" && packed !== null) return true;
    gather(packed, places, input.kind);
  }
  return places.some((place) => isCut(items.texts[place], items.limits));
}

const CUT = " […]",
  LEFT_OUT = "(picture left out to keep this file small)";

function isCut(text, limits) {
  return text === LEFT_OUT || (text.endsWith(CUT) && limits.includes([...text].length - CUT.length));
}
