// Columns with few distinct entries, by which items can be filtered: languages, topics, labels.
const FACETS = 4,
  FACET_VALUES = 12;

// The first of these columns with their packed entries: [{ input, name, values }].
function facetsOf(items) {
  const facets = [];
  for (const input of items.inputs) {
    if (input.part || input.cells.length > 1 || !["text", "number"].includes(input.kind)) continue;
    const values = distinct(input.cells[0]);
    if (values) facets.push({ input, name: input.name, values });
    if (facets.length === FACETS) break;
  }
  return facets;
}

// The distinct entries of a column in order; null for a single one or too many.
function distinct(cells) {
  const values = new Set();
  for (const cell of cells) {
    if (cell !== null) values.add(cell);
    if (values.size > FACET_VALUES) return null;
  }
  return values.size > 1 ? [...values] : null;
}

// The choices of one column: its sorted entries with their indices.
function facetChoices(items, facet) {
  const collator = new Intl.Collator("en", { numeric: true });
  const named = facet.values.map((value, place) => [String(place), String(items.plain(value))]);
  return [["any", "any"], ...named.sort(([, one], [, other]) => collator.compare(one, other))];
}
