// Full-text search. Each distinct text is searched once, however many items share it.
class Search {
  constructor(items) {
    this.items = items;
    this.lower = null;
    this.matches = new Map();
  }

  // One byte per row: whether the row contains every word; null without words.
  rows(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return null;
    this.prepare();
    const rows = new Uint8Array(this.items.size).fill(1);
    for (const word of words) {
      const hits = this.rowsWith(word);
      for (let row = 0; row < rows.length; row++) rows[row] &= hits[row];
    }
    return rows;
  }

  rowsWith(word) {
    if (this.matches.has(word)) return this.matches.get(word);
    const texts = this.lower.map((text) => text.includes(word));
    const rows = new Uint8Array(this.items.size);
    for (let row = 0; row < rows.length; row++) {
      let hit = this.ids[row].includes(word);
      for (let at = this.starts[row]; !hit && at < this.starts[row + 1]; at++) hit = texts[this.places[at]];
      rows[row] = hit ? 1 : 0;
    }
    if (this.matches.size > 20) this.matches.clear();
    this.matches.set(word, rows);
    return rows;
  }

  prepare() {
    if (this.lower) return;
    const { items } = this;
    this.lower = items.texts.map((text) => (isPicture(text) ? "" : text.toLowerCase()));
    this.ids = items.ids.map((id) => id.toLowerCase());
    const places = [];
    this.starts = new Int32Array(items.size + 1);
    for (let row = 0; row < items.size; row++) {
      for (const input of items.inputs)
        for (const cells of input.cells) gather(cells[row], places, input.kind);
      for (const source of Object.values(items.sources)) {
        for (const run of source) if (run) gather([run.reasons[row], run.evidence[row]], places);
      }
      this.starts[row + 1] = places.length;
    }
    this.places = Int32Array.from(places);
  }
}

// All places of texts in packed data; of objects only the labels are texts, the rest are coordinates.
function gather(value, places, kind) {
  if (kind === "objects") value = value && value.labels;
  if (typeof value === "number") places.push(value);
  else if (value && typeof value === "object")
    for (const entry of Object.values(value)) gather(entry, places);
}
