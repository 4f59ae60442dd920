// Two texts from shortly before the first character in which they differ, for cells of a few lines.
const EXCERPT = 400,
  CONTEXT = 40;

function excerpts(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  const equal = start === before.length && start === after.length;
  const from = equal || start <= 2 * CONTEXT ? 0 : wordStart(before, start - CONTEXT);
  return [before, after].map((text) => excerpt(text, from));
}

// The start of the word at a place, unless the word is long; never the second half of a character.
function wordStart(text, place) {
  const start = Math.max(text.lastIndexOf(" ", place) + 1, place - CONTEXT);
  return /[\udc00-\udfff]/.test(text[start]) ? start - 1 : start;
}

function excerpt(text, from, length = EXCERPT) {
  const end = from + length;
  return (from ? "… " : "") + text.slice(from, end).replace(/[\ud800-\udbff]$/, "") + (text.length > end ? " …" : "");
}
