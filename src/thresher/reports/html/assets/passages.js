// Passages and retrieved documents, with quoted evidence marked and the judges' verdicts.
function passagesPart(items, row, evidence, pair) {
  const relevant = items.byPart.get("relevant");
  const relevantNames = relevant ? new Set([items.entry(relevant, 0, row)].flat(1).map(nameOf)) : new Set();
  const parts = [];
  for (const part of ["contexts", "retrieved"]) {
    const input = items.byPart.get(part);
    if (!input) continue;
    for (const run of items.runsOf(input)) {
      const entries = items.entry(input, run, row);
      if (entries === null || entries === undefined) continue;
      const alone = input.cells.length === 1;
      const heading = alone
        ? input.name.replaceAll("_", " ")
        : `${input.name.replaceAll("_", " ")} of ${runName(items, run)}`;
      const known = alone ? evidence.flat() : evidence[run];
      parts.push(passagesShown(heading, passageList([entries].flat(1), known, relevantNames, part === "contexts"), alone || pair.includes(run)));
    }
  }
  return parts;
}

// The passages of runs outside the chosen pair are folded.
function passagesShown(heading, list, open) {
  return open ? [make("h3", {}, heading), list] : make("details", {}, make("summary", {}, heading), list);
}

function passageList(entries, evidence, relevantNames, isContexts) {
  const quotes = new Set(evidence.flatMap(([, value]) => [...quotesIn(value)]));
  return make(
    "ol",
    { class: "passages" },
    entries.map((entry, index) => {
      const text = textOf(entry),
        name = nameOf(entry),
        claims = isContexts ? claimsOn(index + 1, evidence) : [];
      const decided = claims.filter((claim) => claim.text !== text).map((claim) => ({ ...claim, reason: claim.text }));
      const verdicts = [...verdictsOn(text, evidence), ...decided].map(({ metric, run, verdict, reason }) =>
        make(
          "span",
          { class: "why" },
          run === null ? null : badge(run),
          `${metric.replaceAll("_", " ")}: `,
          verdictShown(verdict),
          reason || null,
        ),
      );
      return make(
        "li",
        {},
        make(
          "p",
          { class: "said" },
          pictureOr(text, () => (claims.length ? withSpans(text, claims) : withMarks(text, quotes))),
          text !== name && name ? make("span", { class: "tag id" }, name) : null,
          relevantNames.has(name) ? make("span", { class: "tag relevant" }, "relevant") : null,
        ),
        verdicts,
      );
    }),
  );
}

// Text and name of a document, which is a text, an id with a score, or an object.
function textOf(entry) {
  if (typeof entry === "string") return entry;
  if (Array.isArray(entry))
    return entry.map((part) => (typeof part === "number" ? numberText(part) : asText(part))).join("  ");
  return isObject(entry) ? String(entry.content ?? entry.text ?? JSON.stringify(entry)) : String(entry);
}

function nameOf(entry) {
  if (Array.isArray(entry)) return String(entry[0]);
  return isObject(entry) ? String(entry.id ?? "") : String(entry);
}
