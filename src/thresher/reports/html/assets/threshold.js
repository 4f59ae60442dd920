// A threshold on item scores: how many items pass and, with labels of zeros and ones, how well. Counts cover all items.
class Threshold {
  constructor(cut, sign, label) {
    this.cuts = cut.cuts;
    this.sign = sign;
    const [ones, zeros] = label ? cut.labels[label] : [null, null];
    this.passing = this.passed(cut.all);
    this.total = cut.all.reduce((sum, count) => sum + count, 0);
    if (!label) return;
    this.hits = this.passed(ones);
    this.alarms = this.passed(zeros);
    this.ones = ones.reduce((sum, count) => sum + count, 0);
    this.zeros = zeros.reduce((sum, count) => sum + count, 0);
  }

  // The number of items that pass at each cut: scores from it up, or down where lower is better.
  passed(counts) {
    let sum = 0;
    if (this.sign < 0) return counts.map((count) => (sum += count));
    return counts
      .slice()
      .reverse()
      .map((count) => (sum += count))
      .reverse();
  }

  // The least strict cut that is at least as strict as the value.
  at(value) {
    const last = this.cuts.length - 1;
    if (this.sign > 0) {
      const place = this.cuts.findIndex((cut) => cut >= value);
      return place < 0 ? last : place;
    }
    const place = this.cuts.findLastIndex((cut) => cut <= value);
    return Math.max(place, 0);
  }

  measures(place) {
    const tp = this.hits[place],
      fp = this.alarms[place];
    return shares(tp, fp, this.ones - tp, this.zeros - fp);
  }

  best() {
    return bestPlace(this);
  }
}

// Precision, recall and F1 with the four counts; NaN for 0 / 0.
function shares(tp, fp, fn, tn) {
  const share = (part, whole) => (whole ? part / whole : NaN);
  return {
    tp,
    fp,
    fn,
    tn,
    precision: share(tp, tp + fp),
    recall: share(tp, tp + fn),
    f1: share(2 * tp, 2 * tp + fp + fn),
  };
}

// The first place with the highest F1.
function bestPlace(threshold) {
  let best = 0;
  threshold.cuts.forEach((_, place) => {
    if (threshold.measures(place).f1 > (threshold.measures(best).f1 || 0)) best = place;
  });
  return best;
}
