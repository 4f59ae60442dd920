// The words in which two texts differ: their longest common subsequence, word by word.
const TOO_MANY = 4_000_000;

// Words with the space after them; signs, and letters of scripts without spaces, one by one.
function wordsOf(text) {
  const signs =
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]\s*|[\p{L}\p{N}_]+?(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}])|[\p{L}\p{N}_]+\s*|\s+|[^\s\p{L}\p{N}_]\s*/gu;
  return text.match(signs) || [];
}

// Parts of both texts in order: { kind: "same" | "gone" | "new", text }; equal parts also have their former text as
// `was`, since blanks may differ. Null if the texts are too long.
function wordDifference(before, after) {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const same = (word, other) => word.trim() === other.trim();
  let start = 0,
    end = 0;
  while (start < a.length && start < b.length && same(a[start], b[start])) start++;
  while (
    end < a.length - start &&
    end < b.length - start &&
    same(a[a.length - 1 - end], b[b.length - 1 - end])
  )
    end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length * right.length > TOO_MANY) return null;
  const parts = [
    ...b.slice(0, start).map((text, place) => ({ kind: "same", text, was: a[place] })),
    ...changes(left, right, same),
    ...b.slice(b.length - end).map((text, place) => ({ kind: "same", text, was: a[a.length - end + place] })),
  ];
  return merged(together(merged(parts)));
}

// A few common words between changes make the difference hard to read, so they count as changed.
function together(parts) {
  const few = 3;
  const whole = [];
  parts.forEach((part, place) => {
    const inside = place > 0 && place < parts.length - 1;
    if (part.kind === "same" && inside && wordsOf(part.text).length < few)
      whole.push({ kind: "gone", text: part.was }, { kind: "new", text: part.text });
    else whole.push(part);
  });
  return whole.flatMap((part, place) =>
    part.kind === "same" || !place || whole[place - 1].kind === "same" ? [changed(whole, place)].flat() : [],
  );
}

// The stretch of changes that starts here, removed before new text; or the equal text.
function changed(parts, start) {
  if (parts[start].kind === "same") return parts[start];
  const end = parts.findIndex((part, place) => place > start && part.kind === "same");
  const stretch = parts.slice(start, end < 0 ? parts.length : end);
  const joined = (kind) => ({
    kind,
    text: stretch
      .filter((part) => part.kind === kind)
      .map((part) => part.text)
      .join(""),
  });
  return [joined("gone"), joined("new")].filter((part) => part.text);
}

function changes(a, b, same) {
  const width = b.length + 1,
    common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = same(a[i], b[j])
        ? common[at + width + 1] + 1
        : Math.max(common[at + width], common[at + 1]);
    }
  }
  const parts = [];
  let i = 0,
    j = 0;
  while (i < a.length || j < b.length) {
    const at = i * width + j;
    if (i < a.length && j < b.length && same(a[i], b[j])) {
      parts.push({ kind: "same", text: b[j++], was: a[i++] });
    } else if (j >= b.length || (i < a.length && common[at + width] >= common[at + 1]))
      parts.push({ kind: "gone", text: a[i++] });
    else parts.push({ kind: "new", text: b[j++] });
  }
  return parts;
}

function merged(parts) {
  const whole = [];
  for (const part of parts) {
    const last = whole[whole.length - 1];
    if (last && last.kind === part.kind) {
      last.text += part.text;
      last.was += part.was;
    } else whole.push({ ...part });
  }
  return whole;
}

// The second text with the words that differ from the first: removed and new ones, or one kind of them.
function differenceShown(before, after, kinds = ["gone", "new"]) {
  const parts = wordDifference(before, after);
  if (!parts)
    return [after, make("span", { class: "why" }, "These texts are too long to be compared word by word.")];
  const tags = { same: null, gone: "del", new: "ins" };
  const shown = parts.filter(({ kind }) => kind === "same" || kinds.includes(kind));
  return shown.map(({ kind, text }, place) => {
    const apart = kind === "gone" && shown[place + 1]?.kind === "new" && !/\s$/.test(text); // else they read as one word
    return tags[kind] ? [make(tags[kind], {}, text), apart ? " " : ""] : text;
  });
}
