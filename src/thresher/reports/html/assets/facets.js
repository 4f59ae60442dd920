// Columns with few distinct entries, by which items can be filtered: languages, topics, labels.
const FACETS = 4,
  FACET_VALUES = 12,
  SLICED_VALUES = 100;

// Columns that the report is sliced by, then the first others, with their packed entries: [{ input, name, values }].
function facetsOf(items) {
  const sliced = items.inputs.filter(({ name }) => items.sliced.includes(name));
  const others = items.inputs.filter((input) => !sliced.includes(input) && !input.part && ["text", "number"].includes(input.kind));
  const facets = (inputs, most) =>
    inputs
      .filter((input) => input.cells.length === 1)
      .map((input) => ({ input, name: input.name, values: distinct(input.cells[0], most) }))
      .filter(({ values }) => values);
  return [...facets(sliced, SLICED_VALUES), ...facets(others, FACET_VALUES).slice(0, FACETS)];
}

// The distinct entries of a column in order; null for a single one, too many, or lists.
function distinct(cells, most) {
  const values = new Set();
  for (const cell of cells) {
    if (cell !== null && typeof cell === "object") return null;
    if (cell !== null) values.add(cell);
    if (values.size > most) return null;
  }
  return values.size > 1 ? [...values] : null;
}

// The choices of one column: its sorted entries with their indices.
function facetChoices(items, facet) {
  const collator = new Intl.Collator("en", { numeric: true });
  const named = facet.values.map((value, place) => [String(place), String(items.plain(value))]);
  return [["any", "any"], ...named.sort(([, one], [, other]) => collator.compare(one, other))];
}
