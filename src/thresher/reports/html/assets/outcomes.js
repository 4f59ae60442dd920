// What became of an object: its words, and how it differs in colour and line (pictures.css).
const OUTCOMES = {
  right: "right",
  classification: "wrong label",
  localization: "badly placed",
  both: "wrong label and place",
  duplicate: "duplicate",
  background: "background",
  missed: "missed",
  truth: "true object",
  ignored: "ignored",
};
const FALSE_POSITIVES = new Set(["classification", "localization", "both", "duplicate", "background"]);
const OBJECT_SIZES = ["small", "medium", "large"];

// The objects of images at a threshold on scores. Predictions below it are left out; the outcomes of the others
// stay as they are, since predictions are matched in order of falling score.
class DrawnObjects {
  constructor(data) {
    this.data = data;
    this.labels = data.labels;
  }

  of(image, threshold) {
    return [
      ...image.truths.map((row, place) => ({ ...this.truth(row, threshold), ...shapeOf(image, `t${place}`) })),
      ...image.predictions
        .map((row, place) => ({ ...this.prediction(row), ...shapeOf(image, `p${place}`) }))
        .filter(({ score }) => score >= threshold),
    ];
  }

  prediction([label, size, left, top, right, bottom, score, outcome, iou]) {
    const kind = this.data.outcomes[outcome];
    return { kind, label: this.labels[label], size, box: [left, top, right, bottom], score, iou, predicted: true };
  }

  truth([label, size, left, top, right, bottom, hit, covered, ignored], threshold) {
    const found = hit !== null && hit >= threshold,
      seen = covered !== null && covered >= threshold;
    const kind = ignored ? "ignored" : found || seen ? "truth" : "missed";
    const lost = !ignored && !found; // also if a prediction with a wrong label or place refers to it
    return { kind, label: this.labels[label], size, box: [left, top, right, bottom], score: null, iou: null, lost };
  }
}

// The outlines and keypoints of an object, if it has some.
const shapeOf = ({ outlines, points }, name) => ({ rings: outlines[name], points: points[name] || [] });

// An object in words, for tooltips and tables.
function objectWords({ kind, label, score, iou, predicted, lost }) {
  const what = kind === "truth" && lost ? "true object, found only with a wrong label or place" : OUTCOMES[kind];
  const numbers = predicted ? [`score ${score.toFixed(2)}`, `IoU ${iou.toFixed(2)}`] : [];
  return [`${what}: ${label}`, ...numbers].join(", ");
}

const isFalse = ({ kind, predicted }) => Boolean(predicted) && FALSE_POSITIVES.has(kind);

// False positives of one image, and its true objects without a hit.
function errorsOf(objects) {
  return { wrong: objects.filter(isFalse).length, lost: objects.filter(({ lost }) => lost).length };
}

function errorWords({ wrong, lost }) {
  if (!wrong && !lost) return "no errors";
  return [wrong && counted(wrong, "false positive"), lost && counted(lost, "false negative")].filter(Boolean).join(", ");
}
