// The evidence of a judge as lists: verdicts with reasons, ratings, notes and everything else.
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isJudged = (value) => isObject(value) && ("verdict" in value || "text" in value || "reason" in value);

// An item's `passages` and its `answer` are what entries refer to.
function evidenceShown(value, item = { passages: [] }) {
  if (value === null || value === undefined || value === "") return null;
  if (Array.isArray(value)) {
    if (!value.length) return null;
    const entries = value.map((entry) => make("li", {}, evidenceShown(entry, item)));
    if (!value.every(isJudged)) return make("ol", {}, entries);
    const marked = value.every(isPlaced) ? claimsMarked(item.answer, value) : null;
    return marked
      ? [marked, make("ol", { class: "judged numbered" }, entries)]
      : make("ul", { class: "judged" }, entries);
  }
  if (!isObject(value))
    return make("span", { class: "said" }, typeof value === "number" ? numberText(value) : String(value));
  if (isJudged(value)) return judged(value, item);
  const entries = Object.entries(value).filter(([key]) => key !== "replies");
  const shown = entries.map(([key, entry]) => {
    const inner = evidenceShown(entry, item);
    return inner && make("div", {}, make("dt", {}, key.replaceAll("_", " ")), make("dd", {}, inner));
  });
  return [make("dl", {}, shown), repliesShown(value.replies)];
}

// One judged text: its verdict, the text (or the number of the passage), the reason, and all other fields.
function judged(value, item) {
  const { verdict, text, reason, id, replies, span, passages, ...rest } = value;
  const passage = item.passages.indexOf(text);
  const said = text === undefined ? null : passage >= 0 ? `passage ${passage + 1}` : text;
  const others = Object.entries(rest).map(
    ([key, entry]) =>
      `${key.replaceAll("_", " ")}: ${typeof entry === "string" ? entry : JSON.stringify(entry)}`,
  );
  return [
    verdict !== undefined && verdictShown(verdict),
    said !== null && make("span", { class: "said" }, said),
    others.length ? make("span", { class: "said" }, others.join(", ")) : null,
    reason ? make("span", { class: "why" }, reason) : null,
    isPlaced(value) ? passagesOf(value) : null,
    repliesShown(replies),
  ];
}

function verdictShown(verdict) {
  const word = String(verdict),
    tone = /^(yes|true|1)$/i.test(word) ? "yes" : /^(no|false|0)$/i.test(word) ? "no" : toneOf(word);
  return make("span", { class: `verdict ${tone}` }, word);
}

function repliesShown(replies) {
  if (!Array.isArray(replies) || !replies.length) return null;
  return make(
    "details",
    {},
    make("summary", {}, counted(replies.length, "reply").replace("replys", "replies")),
    replies.map((reply) =>
      make("pre", {}, typeof reply === "string" ? reply : JSON.stringify(reply, null, 1)),
    ),
  );
}

// The verdicts on one passage: entries of any evidence whose text is that passage.
function verdictsOn(passage, evidence) {
  const verdicts = [];
  const walk = (value, metric, run) => {
    if (Array.isArray(value)) value.forEach((entry) => walk(entry, metric, run));
    else if (isObject(value)) {
      if (value.text === passage && "verdict" in value) verdicts.push({ ...value, metric, run });
      else Object.values(value).forEach((entry) => walk(entry, metric, run));
    }
  };
  for (const [metric, value, run] of evidence) walk(value, metric, run);
  return verdicts;
}
