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
      run: this.items.runs.length > 1 ? 1 : 0,
      test: "any",
      threshold: NaN,
      status: "any",
      regressions: false,
      differing: false,
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

  set(change) {
    const before = this.state.metric;
    Object.assign(this.state, change);
    if (this.sort.key === `score ${before}` && this.items.runs.length === 1 && "metric" in change) {
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
    this.order = this.sorted(this.matching());
    for (const listener of this.listeners) listener();
  }

  get metric() {
    return this.items.metric(this.state.metric);
  }

  matching() {
    const { items, state, metric } = this;
    const matches = this.search.rows(state.query);
    const tests = [
      matches && ((row) => matches[row]),
      metric && state.test !== "any" && !Number.isNaN(state.threshold) && ((row) => this.passes(row)),
      metric && state.status !== "any" && ((row) => this.hasStatus(row)),
      metric && state.regressions && ((row) => items.gain(metric, state.run, row) < 0),
      state.differing && ((row) => answersDiffer(items, state.run, row)),
      ...items.facets.map((facet) => this.inFacet(facet)),
      state.why !== "any" && ((row) => items.whyOf(row).includes(state.why)),
    ].filter(Boolean);
    const rows = [];
    for (let row = 0; row < items.size; row++) if (tests.every((test) => test(row))) rows.push(row);
    return rows;
  }

  inFacet({ input, name, values }) {
    const place = this.state[`column ${name}`];
    return place !== "any" && ((row) => input.cells[0][row] === values[place]);
  }

  passes(row) {
    const score = this.items.score(this.metric, this.state.run, row);
    return this.state.test === "below" ? score < this.state.threshold : score > this.state.threshold;
  }

  hasStatus(row) {
    const state = this.items.state(this.metric, this.state.run, row);
    return this.state.status === "not scored" ? state !== "scored" : state === this.state.status;
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

function answersDiffer(items, run, row) {
  const answer = items.byPart.get("answer");
  if (!answer || answer.cells.length === 1) return false;
  return items.packedEntry(answer, 0, row) !== items.packedEntry(answer, run, row);
}
