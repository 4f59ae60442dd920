// The unpacked items: columns by name, scores as typed arrays, everything else on demand.
async function unpacked() {
  return new Items(await unzipped(document.getElementById("payload").textContent));
}

// Data of gzip in base64.
async function unzipped(packed) {
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(packed)
    : Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

class Items {
  constructor(data) {
    Object.assign(this, { ids: data.ids, runs: data.runs, texts: data.texts, states: data.states });
    Object.assign(this, {
      inputs: data.inputs,
      sources: data.sources,
      cuts: data.cuts,
      predictionCuts: data.predictionCuts,
      primary: data.primary,
      opening: data.opening,
      why: data.why,
      reasons: data.reasons,
      repeats: data.repeats,
      sliced: data.sliced,
      idColumns: data.idColumns,
      runNames: data.runNames,
      limits: data.limits,
    });
    this.size = data.ids.length;
    this.absent = data.absent.map((rows) => new Set(rows));
    this.rows = new Map(data.ids.map((id, row) => [id, row]));
    this.metrics = data.metrics.map((metric) => ({
      ...metric,
      sign: metric.direction === "lower" ? -1 : 1,
      runs: metric.runs.map(
        (scores) => scores && Float64Array.from(scores, (score) => (score === null ? NaN : score)),
      ),
    }));
    for (const metric of this.metrics) metric.decimals = decimalsOf(largest(metric.runs));
    this.byName = new Map(this.metrics.map((metric) => [metric.name, metric]));
    this.facets = facetsOf(this);
    this.byPart = new Map(this.inputs.filter((input) => input.part).map((input) => [input.part, input]));
  }

  metric(name) {
    return this.byName.get(name);
  }

  // In packed data numbers are places in the list of texts, and numbers are written as strings.
  plain(value) {
    if (typeof value === "number") return this.texts[value];
    if (typeof value === "string") return Number(value);
    if (Array.isArray(value)) return value.map((entry) => this.plain(entry));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.plain(entry)]));
  }

  packedEntry(input, run, row) {
    return input.cells[input.cells.length === 1 ? 0 : run][row];
  }

  entry(input, run, row) {
    const packed = this.packedEntry(input, run, row);
    if (input.kind !== "objects" || packed === null) return this.plain(packed);
    return { ...packed, labels: packed.labels.map((place) => this.texts[place]) };
  }

  // Runs with entries of their own; only the first if all agree.
  runsOf(input) {
    return input.cells.length === 1 ? [0] : this.runs.map((_, run) => run);
  }

  score(metric, run, row) {
    return metric.runs[run] ? metric.runs[run][row] : NaN;
  }

  // The gain of the run over the baseline on this item; negative is a regression, whatever the direction.
  gain(metric, run, row, base = 0) {
    return metric.sign * (this.score(metric, run, row) - this.score(metric, base, row));
  }

  // The result of a measure of one run, with statuses, reasons and evidence; null if there is none.
  sourceOf(metric, run) {
    return metric.sources[run] === null ? null : this.sources[metric.sources[run]][run];
  }

  state(metric, run, row) {
    if (this.absent[run].has(row)) return "absent";
    const source = this.sourceOf(metric, run);
    return source ? this.states[source.status[row] || 0] : "absent";
  }

  reason(metric, run, row) {
    const source = this.sourceOf(metric, run);
    return source && row in source.reasons ? this.plain(source.reasons[row]) : "";
  }

  evidence(source, run, row) {
    const result = this.sources[source][run];
    return result && row in result.evidence ? this.plain(result.evidence[row]) : null;
  }

  whyOf(row) {
    return this.why ? this.reasons.filter((_, bit) => this.why[row] & (1 << bit)) : [];
  }
}

// The largest absolute score in any run, which decides the decimals of all scores of a metric.
function largest(runs) {
  const size = (most, score) => (Math.abs(score) > most ? Math.abs(score) : most);
  return runs.reduce((most, scores) => (scores ? scores.reduce(size, most) : most), 0);
}
