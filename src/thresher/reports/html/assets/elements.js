// Making elements and numbers. Text is set as text and never parsed, so no cell can become markup.
const DASH = "–",
  MINUS = "−";
const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const make = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
const shape = (tag, properties = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), properties, children);

// Smaller values are rounding errors of sums, as in numbers.py.
const NOISE = 1e-9;

const decimalsOf = (size) => (size < 10 ? 3 : size < 1000 ? 1 : 0);

// Three decimals for small numbers, one for large ones, as in the tables above. A number that would be rounded
// to zero keeps its first digit, so that a coloured change is never "0.000".
function numberText(value, signed = false, decimals = decimalsOf(Math.abs(value))) {
  if (value === null || value === undefined || Number.isNaN(value)) return DASH;
  const size = Math.abs(value);
  if (size < NOISE) return (0).toFixed(decimals);
  const rounded = size.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const text = Number(rounded.replaceAll(",", "")) === 0 ? size.toPrecision(1) : rounded;
  return value < 0 ? MINUS + text : signed ? "+" + text : text;
}

// A name whose lines may break after each underscore.
const breakable = (name) => name.split(/(?<=_)/).flatMap((part, place) => (place ? [make("wbr"), part] : [part]));

// The class of a gain, positive where a run is better than the first.
const gainTone = (gain, same) => (gain > NOISE ? "better" : gain < -NOISE ? "worse" : same);

const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// A choice among [value, text] pairs; hidden if there is only one.
function choice(label, options, value, change) {
  const select = make("select", { onchange: () => change(select.value) });
  for (const [key, text] of options) select.append(make("option", { value: key }, text));
  select.value = value;
  return make("label", { class: "field", hidden: options.length < 2 }, label, select);
}

function check(label, value, change) {
  const box = make("input", { type: "checkbox", onchange: () => change(box.checked) });
  box.checked = value;
  return make("label", { class: "check" }, box, label);
}

// Runs have letters, whose legend is the title of the page.
const letter = (run) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[run] || String(run + 1);
const badge = (run) => make("span", { class: `badge run-${run % 8}` }, letter(run));
const lineKey = (line) =>
  shape(
    "svg",
    { class: "key", viewBox: "0 0 28 8", "aria-hidden": "true" },
    shape("path", { class: `line line-${line}`, d: "M1 4H27" }),
  );
const runName = (items, run) =>
  items.runs.length > 1 ? `${letter(run)} ${items.runs[run]}` : items.runs[run];
