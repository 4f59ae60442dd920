// Columns of few different entries, which items can be filtered by: languages, topics, labels.
const FACETS = 4,
  FACET_VALUES = 12;

// The first such columns with their entries, packed as they are in the items: [{ input, name, values }].
function facetsOf(items) {
  const found = [];
  for (const input of items.inputs) {
    if (input.part || input.cells.length > 1 || !["text", "number"].includes(input.kind)) continue;
    const values = distinct(input.cells[0]);
    if (values) found.push({ input, name: input.name, values });
    if (found.length === FACETS) break;
  }
  return found;
}

// What stands in a column, in order; null where that is one thing, or too many.
function distinct(cells) {
  const values = new Set();
  for (const cell of cells) {
    if (cell !== null) values.add(cell);
    if (values.size > FACET_VALUES) return null;
  }
  return values.size > 1 ? [...values] : null;
}

// The choices of one column: its entries in order, each with the number under which it is picked.
function facetChoices(items, facet) {
  const collator = new Intl.Collator("en", { numeric: true });
  const named = facet.values.map((value, place) => [String(place), String(items.plain(value))]);
  return [["any", "any"], ...named.sort(([, one], [, other]) => collator.compare(one, other))];
}
