// Images with the objects of two runs side by side, those first on which the runs differ most.
class PairForm extends ObjectForm {
  constructor(data) {
    super(data);
    this.drawings = data.sides.map(({ labels }) => new DrawnObjects({ labels, outcomes: data.outcomes }));
    this.state = { size: "any", thresholds: data.sides.map(({ threshold }) => threshold) };
    const found = data.aligned ? [["only 0", "objects found only by A"], ["only 1", "objects found only by B"]] : [];
    this.kinds = [["difference", "any difference"], ...found, ...this.kinds];
    this.orders = [
      ["difference", "most differences"],
      ["worse", "more errors in B"],
      ["better", "more errors in A"],
      ["name", "name"],
    ];
  }

  contents(image, state) {
    const whole = image.sides.map((side, run) => this.drawings[run].of(side, state.thresholds[run]));
    const sides = whole.map((objects) => objects.filter((object) => this.chosen(object, state)));
    const errors = sides.map(errorsOf),
      only = this.data.aligned ? this.only(image, whole, state) : null;
    return { sides, chosen: sides.flat(), errors, only, difference: differenceOf(sides, errors, only) };
  }

  // How many true objects only one of the runs found.
  only(image, whole, state) {
    const pairs = image.sides[0].truths.map((_, place) => whole.map((objects) => objects[place]));
    const chosen = pairs.filter(([object]) => this.chosen(object, state));
    return [0, 1].map((run) => chosen.filter((pair) => !pair[run].lost && pair[1 - run].lost).length);
  }

  shows(row, state) {
    if (state.kind === "difference") return row.difference > 0;
    if (state.kind.startsWith("only")) return row.only[Number(state.kind.at(-1))] > 0;
    return super.shows(row, state);
  }

  badness({ errors, difference }, order) {
    const [first, second] = errors.map(({ wrong, lost }) => wrong + lost);
    return { difference, worse: second - first, better: first - second }[order];
  }

  words({ image, errors, only }) {
    const found = (only || []).map((count, run) => count && `${counted(count, "object")} found only by ${letter(run)}`);
    const said = [...errors.map((counts, run) => `${letter(run)}: ${errorWords(counts)}`), ...found.filter(Boolean)];
    return [!image.pictures.picture && "no picture", ...said].filter(Boolean).join("; ");
  }

  seen(objects) {
    return objects.filter(({ kind }) => !this.hidden.has(kind));
  }

  card({ image, sides }) {
    const side = (objects, run) => make("span", { class: "side" }, badge(run), pictureDrawn(image, this.seen(objects), { "aria-hidden": "true" }));
    return make("span", { class: "sides-of-card" }, sides.map(side));
  }

  // Both drawings first, so that they are next to each other on a phone too.
  parts({ image, sides, errors }) {
    const seen = sides.map((objects) => this.seen(objects));
    const drawings = seen.map((objects, run) => labelledDrawing(image, objects, `${image.name}, ${letter(run)}: ${errorWords(errors[run])}`));
    const figures = drawings.map((drawing, run) => make("figure", {}, drawing, make("figcaption", {}, badge(run), ` ${errorWords(errors[run])}`)));
    const tables = drawings.map((drawing, run) => make("div", {}, badge(run), objectTable(seen[run], [...drawing.querySelectorAll("g.object")], letter(run))));
    return make("div", { class: "sides" }, figures, tables);
  }

  slider(view) {
    const change = (run) => (threshold) => view.set({ thresholds: view.state.thresholds.with(run, threshold) });
    return view.state.thresholds.map((threshold, run) => scoreSlider(letter(run), threshold, this.data.sides[run].scores, change(run)));
  }

  tally(rows, kind) {
    return [0, 1].map((run) => `${letter(run)} ${tallied(rows, ({ sides }) => sides[run], kind)}`).join(", ");
  }
}

// True objects that only one run found, and what one run has more of each kind of false positive.
function differenceOf(sides, errors, only) {
  const lost = only ? only[0] + only[1] : Math.abs(errors[0].lost - errors[1].lost);
  const number = (objects, kind) => objects.filter((object) => object.predicted && object.kind === kind).length;
  return [...FALSE_POSITIVES].reduce((sum, kind) => sum + Math.abs(number(sides[0], kind) - number(sides[1], kind)), lost);
}
