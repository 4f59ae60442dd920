// Claims located in an answer: marked words with the numbers of their claims, and the passages that decide them.
const TONES = ["yes", "open", "no"]; // where claims overlap, the later tone is shown
const TONE_OF = { supported: "yes", unsupported: "open", contradicted: "no", uncited: "open", "no such context": "no" };
const isPlaced = (entry) => isObject(entry) && "passages" in entry;
const toneOf = (verdict) => TONE_OF[String(verdict).toLowerCase()] ?? "";

// First and last character of copied words, which escapes of hidden characters may have moved; null if cut off.
function placeOf(span, characters) {
  const { start, end, quote } = span;
  if (characters.slice(start, end).join("") === quote) return [start, end];
  const text = characters.join(""),
    at = text.indexOf(quote);
  if (at < 0) return null;
  const before = [...text.slice(0, at)].length;
  return [before, before + [...quote].length];
}

// The text with marked spans, each { span, verdict, number }; the number follows the words.
function withSpans(text, entries) {
  const characters = [...text];
  const placed = entries
    .map((entry) => ({ ...entry, place: entry.span && placeOf(entry.span, characters) }))
    .filter(({ place }) => place);
  const cuts = new Set([0, characters.length, ...placed.flatMap(({ place }) => place)]);
  const edges = [...cuts].sort((one, other) => one - other);
  return edges.slice(0, -1).map((start, index) => {
    const end = edges[index + 1],
      part = characters.slice(start, end).join(""),
      covering = placed.filter(({ place }) => place[0] <= start && end <= place[1]);
    if (!covering.length) return part;
    const tone = TONES[Math.max(...covering.map(({ verdict }) => TONES.indexOf(toneOf(verdict))))];
    const title = covering.map(({ verdict, number }) => (number ? `${number}: ${verdict}` : verdict)).join(", ");
    const ended = covering.filter(({ place, number }) => number && place[1] === end).map(({ number }) => number);
    return [
      make("mark", { class: `claim ${tone ?? ""} ${covering.length > 1 ? "several" : ""}`, title }, part),
      ended.length ? make("sup", { class: `claim ${tone ?? ""}` }, ended.join(", ")) : null,
    ];
  });
}

// The answer with the claims of a list, which the list numbers; null if no claim has a place.
function claimsMarked(answer, entries) {
  const numbered = entries.map((entry, index) => ({ ...entry, number: index + 1 }));
  if (typeof answer !== "string" || !entries.some(({ span }) => span)) return null;
  return make("p", { class: "said marked" }, withSpans(answer, numbered));
}

// The passages of one claim, with the text that has each.
function passagesOf(entry) {
  return entry.passages.map(({ quote, start, end, how, ...source }) => {
    const named = Object.entries(source).map(([name, number]) => `${name === "context" ? "passage" : name} ${number}`);
    return make("span", { class: `why cited ${toneOf(entry.verdict)}` }, `${named.join(" ")}: “${quote}”`);
  });
}

// The claims that one context decides, with their places in it, as { span, verdict, text, metric, run }.
function claimsOn(number, evidence) {
  const claims = [];
  const walk = (value, metric, run) => {
    if (Array.isArray(value)) value.forEach((entry) => walk(entry, metric, run));
    else if (isPlaced(value)) {
      for (const span of value.passages)
        if (span.context === number) claims.push({ span, verdict: value.verdict, text: value.text, metric, run });
    } else if (isObject(value)) Object.values(value).forEach((entry) => walk(entry, metric, run));
  };
  for (const [metric, value, run] of evidence) walk(value, metric, run);
  return claims;
}
