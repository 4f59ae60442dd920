// The objects of an image in its own pixels: true ones solid, predicted ones dashed.
function objectsShown(truths, predictions, name, image, extent) {
  const drawing = shape("svg", {
    class: "drawing",
    width: 640,
    role: "img",
    "aria-label": `${counted(truths ? truths.boxes.length : 0, "true object")}, ${counted(predictions ? predictions.boxes.length : 0, "object")} predicted by ${name}`,
  });
  const scores = (predictions && predictions.scores) || [];
  const [lowest, highest] = [Math.min(0, ...scores), Math.max(1, ...scores)];
  let least = lowest;
  const draw = ([width, height]) => {
    const size = Math.max(width, height) / 40;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.querySelectorAll("g").forEach((group) => group.remove());
    drawing.append(outlines(truths, "truth", size, 0), outlines(predictions, "predicted", size, least));
  };
  if (image) drawing.append(picture(image, (whole) => draw((extent = whole))));
  if (extent) draw(extent);
  const from = (score) => {
    least = score;
    if (extent) draw(extent);
  };
  return make("div", {}, scores.length ? leastScore(lowest, highest, from) : null, drawing);
}

// The entry of the column of pictures: an address, or the note that the picture is left out.
function addressOf(items, row) {
  const input = items.inputs.find(({ kind }) => kind === "picture");
  return input ? items.entry(input, 0, row) : null;
}

function isPicture(address) {
  return typeof address === "string" && address.startsWith("data:image/");
}

// A picture, a card in place of one that is not in the file, or what any other text is shown as.
function pictureOr(text, shown) {
  if (isPicture(text)) return make("img", { src: text, alt: "picture", class: "picture" });
  return text === LEFT_OUT ? make("span", { class: "absent" }, text) : shown();
}

// The picture in its own pixels, which are those of the boxes; its size is known once it is read.
function picture(image, known) {
  const shown = shape("image", { href: image });
  const read = new Image();
  read.onload = () => {
    const [width, height] = [read.naturalWidth, read.naturalHeight];
    fill(shown, { width, height }, []);
    known([width, height]);
  };
  read.src = image;
  return shown;
}

// The right and bottom ends of all objects with a margin, the same for all runs of an item.
function extentOf(objects) {
  const corners = objects.filter(Boolean).flatMap(({ boxes }) => boxes);
  return corners.length ? [2, 3].map((axis) => Math.max(...corners.map((box) => box[axis])) * 1.02) : null;
}

function outlines(objects, kind, size, least) {
  const group = shape("g", { class: kind });
  (objects ? objects.boxes : []).forEach(([left, top, right, bottom], place) => {
    const score = objects.scores ? objects.scores[place] : null;
    if (score !== null && score < least) return;
    const rings = objects.outlines[place];
    if (rings)
      for (const ring of rings)
        group.append(shape("polygon", { points: ring.map((point) => point.join(",")).join(" ") }));
    else group.append(shape("rect", { x: left, y: top, width: right - left, height: bottom - top }));
    const words = score === null ? objects.labels[place] : `${objects.labels[place]} ${score.toFixed(2)}`;
    const y = kind === "truth" ? Math.max(top - size * 0.3, size) : bottom - size * 0.3;
    const label = shape("text", { x: left + size * 0.2, y }, words);
    label.style.fontSize = `${size}px`;
    group.append(label);
  });
  return group;
}

// Draw only predictions with at least this score.
function leastScore(min, max, change) {
  const reading = make("output", {}, min.toFixed(2));
  const slider = make("input", {
    type: "range",
    min,
    max,
    step: (max - min) / 100,
    value: min,
    "aria-label": "least score drawn",
    oninput: () => {
      reading.textContent = Number(slider.value).toFixed(2);
      change(Number(slider.value));
    },
  });
  return make("label", { class: "check" }, "drawn from a score of", reading, slider);
}
