// The shown rows, their order and the columns.
class View {
  constructor(items) {
    this.items = items;
    this.search = new Search(items);
    this.listeners = [];
    this.reset();
  }

  reset() {
    const metric = this.items.metric(this.items.opening);
    this.state = {
      query: "",
      metric: metric ? metric.name : "",
      base: 0,
      run: this.items.runs.length > 1 ? 1 : 0,
      every: false,
      test: "any",
      threshold: NaN,
      scope: "run",
      status: "any",
      change: "any",
      differing: false,
      flaky: false,
      why: "any",
      ...Object.fromEntries(this.items.facets.map(({ name }) => [`column ${name}`, "any"])),
    };
    this.sort = !metric
      ? { key: "id", down: false }
      : this.items.runs.length > 1
        ? { key: "gain", down: false }
        : { key: `score ${metric.name}`, down: metric.sign < 0 };
    this.changed();
  }

  // A run is never compared with itself: the other side of the pair takes the former run.
  set(change) {
    const before = { ...this.state };
    Object.assign(this.state, change);
    if (this.items.runs.length > 1 && this.state.base === this.state.run) {
      if ("base" in change) this.state.run = before.base;
      else this.state.base = before.run;
    }
    if (this.sort.key === `score ${before.metric}` && this.items.runs.length === 1 && "metric" in change) {
      this.sort = { key: `score ${this.state.metric}`, down: this.metric.sign < 0 };
    }
    this.changed();
  }

  // The first click on a column of scores sorts the worst first; a second click reverses the order.
  sortBy(column) {
    const down = this.sort.key === column.key ? !this.sort.down : column.down || false;
    this.sort = { key: column.key, down };
    this.changed();
  }

  onchange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    this.columns = columnsOf(this.items, this.state);
    this.cards = cardColumns(this.items, this.state);
    this.order = this.sorted(this.matching());
    for (const listener of this.listeners) listener();
  }

  get metric() {
    return this.items.metric(this.state.metric);
  }

  matching() {
    const matches = this.search.rows(this.state.query);
    const tests = filtersOf(this.items, this.state, this.metric);
    if (matches) tests.unshift((row) => matches[row]);
    const rows = [];
    for (let row = 0; row < this.items.size; row++) if (tests.every((test) => test(row))) rows.push(row);
    return rows;
  }

  // Rows without a value come last in either order.
  sorted(rows) {
    const column = this.columns.find(({ key }) => key === this.sort.key) || this.columns[0];
    const sign = this.sort.down ? -1 : 1;
    const keys = new Map(rows.map((row) => [row, column.value(row)]));
    const lacks = (key) => key === "" || Number.isNaN(key);
    const collator = new Intl.Collator("en", { numeric: true });
    const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a - b);
    return rows.sort((a, b) => {
      const [first, second] = [keys.get(a), keys.get(b)];
      return lacks(first) - lacks(second) || (lacks(first) ? 0 : sign * compare(first, second)) || a - b;
    });
  }
}
