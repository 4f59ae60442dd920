// Evidence that judges quote, marked where it stands in a passage.
const QUOTE_KEYS = /^(quotes?|spans?|citations?|evidence_text)$/;
const REASON_KEYS = /^(reason|analysis|explanation|note)$/;
const QUOTED = /"([^"]{12,})"|“([^”]{12,})”|«([^»]{12,})»|‘([^’]{12,})’|(?<!\w)'([^']{12,})'(?!\w)/g;

// Texts that evidence gives as quotations, and those that reasons hold between quotation marks.
function quotesIn(evidence, key = "", found = new Set()) {
  if (typeof evidence === "string") {
    if (QUOTE_KEYS.test(key)) found.add(evidence);
    if (REASON_KEYS.test(key))
      for (const match of evidence.matchAll(QUOTED)) found.add(match.slice(1).find(Boolean));
  } else if (Array.isArray(evidence)) {
    for (const entry of evidence) quotesIn(entry, key, found);
  } else if (evidence && typeof evidence === "object") {
    for (const [name, entry] of Object.entries(evidence)) quotesIn(entry, name, found);
  }
  return found;
}

// The text with quotations marked; case and runs of blanks do not matter.
function withMarks(text, quotes) {
  const { plain, places } = flattened(text);
  const covered = new Uint8Array(text.length);
  for (const quote of quotes) {
    const wanted = flattened(quote.replace(/^[\s.…]+|[\s.…]+$/g, "")).plain.trim();
    for (
      let at = wanted ? plain.indexOf(wanted) : -1;
      at >= 0;
      at = plain.indexOf(wanted, at + wanted.length)
    ) {
      covered.fill(1, places[at], places[at + wanted.length - 1] + 1);
    }
  }
  const parts = [];
  for (let start = 0, at = 1; at <= text.length; at++) {
    if (at < text.length && covered[at] === covered[start]) continue;
    const part = text.slice(start, at);
    parts.push(covered[start] ? make("mark", {}, part) : part);
    start = at;
  }
  return parts;
}

// The text in lower case with single blanks, and where each of its characters stood.
function flattened(text) {
  let plain = "";
  const places = [];
  for (let at = 0; at < text.length; at++) {
    const character = /\s/.test(text[at]) ? " " : text[at].toLowerCase();
    if (character === " " && plain.endsWith(" ")) continue;
    for (const each of character) {
      plain += each;
      places.push(at);
    }
  }
  return { plain, places };
}
