// Conversations as turns: what was said, the calls of tools, and what the tools returned.
function conversationsPart(items, row) {
  const expected = items.byPart.get("calls");
  return [
    ...["conversation", "reference conversation"].map((part) => turnsOf(items, items.byPart.get(part), row)),
    expected ? callsExpected(items.entry(expected, items.runsOf(expected)[0], row)) : null,
  ];
}

function turnsOf(items, input, row) {
  if (!input) return null;
  const many = input.cells.length > 1;
  const shown = items.runsOf(input).map((run) => {
    const messages = items.entry(input, run, row);
    if (!messages) return null;
    return make(
      "div",
      { class: many ? `run-${run % 8}` : null },
      many ? make("p", { class: "who" }, badge(run), items.runs[run]) : null,
      make("ol", { class: "turns" }, [messages].flat(1).map(turnShown)),
    );
  });
  if (!shown.some(Boolean)) return null;
  return [make("h3", {}, capital(input.part)), make("div", { class: "answers" }, shown)];
}

function turnShown(message) {
  if (!message || !Array.isArray(message.content)) return make("li", {}, make("p", { class: "said" }, asText(message)));
  return make("li", { class: message.role }, make("span", { class: "who" }, message.role), message.content.map(partShown));
}

function partShown(part) {
  if (typeof part.text === "string") return make("p", { class: "said" }, part.text);
  if (part.tool_call) return callShown(part.tool_call);
  if (part.tool_call_result) return resultShown(part.tool_call_result);
  if (part.reasoning) return make("p", { class: "said muted" }, part.reasoning.reasoning_text);
  const kind = part.file && part.file.extra && part.file.extra.kind;
  return make("p", { class: "muted" }, `[${kind || Object.keys(part).join(", ")}]`);
}

// name(argument=value, ...), or the text that the model wrote where it is not a JSON object.
function callShown(call) {
  const invalid = call.extra && call.extra.invalid_arguments;
  const given = Object.entries(call.arguments || {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return make(
    "p",
    { class: "said call" },
    make("code", {}, `${call.tool_name}(${invalid || given.join(", ")})`),
    invalid ? make("span", { class: "tag" }, "invalid arguments") : null,
  );
}

function resultShown(result) {
  const tool = result.origin && result.origin.tool_name;
  return make(
    "p",
    { class: "said" },
    result.error ? make("span", { class: "tag failed" }, "error") : null,
    tool ? make("span", { class: "muted" }, `${tool}: `) : null,
    result.result,
  );
}

function callsExpected(calls) {
  if (!calls) return null;
  const shown = [calls].flat(1).map((call) => make("li", {}, callShown(call)));
  return [make("h3", {}, "Expected calls"), shown.length ? make("ol", {}, shown) : make("p", { class: "muted" }, "none")];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
