// A threshold on the scores of predictions: hits and errors of one label, or of all, from a curve.
class PredictionThreshold {
  constructor(counts) {
    Object.assign(this, counts, { sign: 1 });
    this.hits = counts.tp;
  }

  at(value) {
    const place = this.cuts.findIndex((cut) => cut >= value);
    return place < 0 ? this.cuts.length - 1 : place;
  }

  measures(place) {
    const [tp, fp, fn] = [this.tp[place], this.fp[place], this.fn[place]];
    return shares(tp, fp, fn, this.tn ? this.tn[place] : null);
  }

  best() {
    return bestPlace(this);
  }
}

// The scores that a threshold can apply to: item scores of metrics, and scores of predictions.
function thresholdSources(items) {
  const metrics = Object.keys(items.cuts).filter((name) => items.metric(name));
  return [
    ...metrics.map((name) => {
      const metric = items.metric(name),
        runs = items.cuts[name];
      return {
        key: `metric ${name}`,
        label: metric.name,
        metric,
        sign: metric.sign,
        runs,
        graded: runs.some((run) => run && run.cuts.length > 2),
        truth: "Truth",
        choices: (run) => {
          const columnNames = new Set(items.inputs.map((input) => input.name));
          const [columns, scores] = [true, false].map((column) =>
            Object.keys(runs[run].labels)
              .filter((label) => columnNames.has(label) === column)
              .map((label) => [label, label.replaceAll("_", " ")]),
          );
          return [...columns, ["", "none"], ...scores]; // another metric is the truth only if the reader chooses it
        },
        threshold: (run, label) => new Threshold(runs[run], metric.sign, label),
      };
    }),
    ...Object.entries(items.predictionCuts).map(([name, { label, runs }]) => ({
      key: `curve ${name}`,
      label,
      metric: null,
      sign: 1,
      runs,
      truth: "Label",
      choices: (run) => runs[run].map(({ name }) => [name, name || "the label"]),
      threshold: (run, chosen) => new PredictionThreshold(runs[run].find(({ name }) => name === chosen)),
    })),
  ];
}
