// Reference and answers of one item.
const asText = (entry) =>
  typeof entry === "string"
    ? entry
    : Array.isArray(entry) && entry.every((text) => typeof text === "string")
      ? entry.join("\n")
      : JSON.stringify(entry);

// Reference and answers side by side, with the words that differ from one of them. Equal answers are shown once.
function answersPart(items, row, details) {
  const texts = answerTexts(items, row);
  if (!texts.length) return null;
  const base = texts.find(({ key }) => key === details.against) ?? texts.find(({ runs }) => runs.includes(details.view.state.base));
  const shown = details.against === "none" ? undefined : base;
  const select = make(
    "select",
    {
      "aria-label": "Mark words that differ from",
      onchange: () => {
        details.against = select.value;
        details.show(row);
      },
    },
    make("option", { value: "none" }, "plain"),
    texts.map((text) => make("option", { value: text.key }, `against ${shortName(text)}`)),
  );
  select.value = shown ? shown.key : "none";
  return [
    make("h3", {}, "Answers", texts.length > 1 ? select : null),
    make("div", { class: "answers" }, texts.map((text) => answerShown(items, text, shown))),
  ];
}

function answerShown(items, text, base) {
  const who = text.badges ? text.runs.map((run) => [badge(run), text.runs.length > 1 ? null : items.runs[run]]) : text.who;
  const marked = base && base !== text && text.runs.length;
  return make(
    "div",
    { class: text.runs.length ? `run-${text.runs[0] % 8}` : "reference" },
    make("p", { class: "who", title: text.badges ? text.runs.map((run) => items.runs[run]).join("\n") : null }, who),
    make("p", { class: "said" }, pictureOr(text.text, () => (marked ? differenceShown(base.text, text.text) : text.text))),
  );
}

// The reference, then each distinct answer with its runs.
function answerTexts(items, row) {
  const texts = [];
  const [reference, answer] = ["reference", "answer"].map((part) => items.byPart.get(part));
  const add = (input, run) => {
    const entry = items.entry(input, run, row);
    if (entry === null || entry === undefined) return;
    const [text, badges] = [asText(entry), run !== null && input.cells.length > 1];
    const equal = badges && texts.find((other) => other.badges && other.text === text);
    if (equal) equal.runs.push(run);
    else texts.push({ key: run === null ? "reference" : String(run), who: input.name.replaceAll("_", " "), runs: run === null ? [] : [run], badges, text });
  };
  if (reference) add(reference, null);
  if (answer) for (const run of items.runsOf(answer)) add(answer, run);
  return texts;
}

const shortName = (text) => (text.badges ? text.runs.map(letter).join(", ") : text.who);
