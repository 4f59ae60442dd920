// Reference and answers of one item.
const asText = (entry) =>
  typeof entry === "string"
    ? entry
    : Array.isArray(entry) && entry.every((each) => typeof each === "string")
      ? entry.join("\n")
      : JSON.stringify(entry);

// Reference and answers side by side; of one pair, the words that differ.
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
      texts.map((each) =>
        make(
          "div",
          { class: each.run === null ? "reference" : `run-${each.run % 8}` },
          make("p", { class: "who" }, each.badge ? badge(each.run) : null, each.who),
          make(
            "p",
            { class: "said" },
            shown && shown.after === each ? differenceShown(shown.before.text, each.text) : each.text,
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

// Texts that can be compared, each with every later one; two answers are compared unless told otherwise.
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
