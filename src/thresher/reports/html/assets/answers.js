// Reference and answers of one item.
const asText = (entry) =>
  typeof entry === "string"
    ? entry
    : Array.isArray(entry) && entry.every((text) => typeof text === "string")
      ? entry.join("\n")
      : JSON.stringify(entry);

// Reference and answers side by side, with the differing words of one pair.
function answersPart(items, row, details) {
  const texts = answerTexts(items, row);
  if (!texts.length) return null;
  const pairs = pairsOf(texts);
  const chosen = pairs.find((pair) => pair.key === details.pair) || pairs.find((pair) => pair.usual);
  const select = make(
    "select",
    {
      "aria-label": "Show differing words",
      onchange: () => {
        details.pair = select.value;
        details.show(row);
      },
    },
    make("option", { value: "none" }, "plain"),
    pairs.map((pair) => make("option", { value: pair.key }, pair.label)),
  );
  const shown = details.pair === "none" ? null : chosen;
  select.value = shown ? shown.key : "none";
  return [
    make("h3", {}, "Answers", pairs.length ? select : null),
    make(
      "div",
      { class: "answers" },
      texts.map((text) =>
        make(
          "div",
          { class: text.run === null ? "reference" : `run-${text.run % 8}` },
          make("p", { class: "who" }, text.badge ? badge(text.run) : null, text.who),
          make(
            "p",
            { class: "said" },
            shown && shown.after === text ? differenceShown(shown.before.text, text.text) : text.text,
          ),
        ),
      ),
    ),
  ];
}

function answerTexts(items, row) {
  const texts = [];
  const reference = items.byPart.get("reference"),
    answer = items.byPart.get("answer");
  const add = (input, run) => {
    const entry = items.entry(input, run ?? 0, row);
    const apart = run !== null && input.cells.length > 1;
    if (entry !== null && entry !== undefined)
      texts.push({
        who: apart ? items.runs[run] : input.name.replaceAll("_", " "),
        run,
        badge: apart,
        text: asText(entry),
      });
  };
  if (reference) add(reference, null);
  if (answer) for (const run of items.runsOf(answer)) add(answer, run);
  return texts;
}

// All pairs of texts; by default the first two answers that differ are compared.
function pairsOf(texts) {
  const pairs = [];
  texts.forEach((before, first) =>
    texts.slice(first + 1).forEach((after, second) => {
      pairs.push({
        before,
        after,
        key: `${first} ${second}`,
        label: `${shortName(after)} against ${shortName(before)}`,
        usual: before.run !== null && before.text !== after.text,
      });
    }),
  );
  return pairs;
}

const shortName = (text) => (text.badge ? letter(text.run) : text.who);
