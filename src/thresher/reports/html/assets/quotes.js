// Evidence that judges quote, marked in the passages.
const QUOTE_KEYS = /^(quotes?|spans?|citations?|evidence_text)$/;
const REASON_KEYS = /^(reason|analysis|explanation|note)$/;
const QUOTED = /"([^"]{12,})"|“([^”]{12,})”|«([^»]{12,})»|‘([^’]{12,})’|(?<!\w)'([^']{12,})'(?!\w)/g;

// Quotations in evidence, and texts between quotation marks in reasons.
function quotesIn(evidence, key = "", quotes = new Set()) {
  if (typeof evidence === "string") {
    if (QUOTE_KEYS.test(key)) quotes.add(evidence);
    if (REASON_KEYS.test(key))
      for (const match of evidence.matchAll(QUOTED)) quotes.add(match.slice(1).find(Boolean));
  } else if (Array.isArray(evidence)) {
    for (const entry of evidence) quotesIn(entry, key, quotes);
  } else if (evidence && typeof evidence === "object" && !isPlaced(evidence)) {
    for (const [name, entry] of Object.entries(evidence)) quotesIn(entry, name, quotes);
  }
  return quotes;
}

// The text with quotations marked, ignoring case and the number of blanks.
function withMarks(text, quotes) {
  const { plain, places } = flattened(text);
  const covered = new Uint8Array(text.length);
  for (const quote of quotes) {
    const needle = flattened(quote.replace(/^[\s.…]+|[\s.…]+$/g, "")).plain.trim();
    for (
      let at = needle ? plain.indexOf(needle) : -1;
      at >= 0;
      at = plain.indexOf(needle, at + needle.length)
    ) {
      covered.fill(1, places[at], places[at + needle.length - 1] + 1);
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

// The text in lower case with single blanks, and the original place of each character.
function flattened(text) {
  let plain = "";
  const places = [];
  for (let at = 0; at < text.length; at++) {
    const character = /\s/.test(text[at]) ? " " : text[at].toLowerCase();
    if (character === " " && plain.endsWith(" ")) continue;
    for (const unit of character) {
      plain += unit;
      places.push(at);
    }
  }
  return { plain, places };
}
