// A picture with its objects as lines over it, in pixels of the original.
function pictureDrawn(image, objects, properties = {}) {
  const [width, height] = image.size;
  const back = image.pictures.picture
    ? shape("image", { href: image.pictures.picture, width, height, preserveAspectRatio: "none" })
    : shape("rect", { class: "no-picture", width, height });
  return shape("svg", { class: "shot", viewBox: `0 0 ${width} ${height}`, ...properties }, back, objects.map((object) => objectDrawn(object, Math.max(width, height) / 130)));
}

// Each line has a dark one below it, so that it can be seen on any picture.
function objectDrawn(object, radius) {
  const group = shape("g", { class: `object ${object.kind}${object.kind === "truth" && object.lost ? " lost" : ""}` });
  group.append(shape("title", {}, objectWords(object)));
  for (const look of ["under", "over"]) group.append(...outlineOf(object, look));
  group.append(...object.points.map(([cx, cy]) => shape("circle", { cx, cy, r: radius })));
  return group;
}

function outlineOf({ box: [left, top, right, bottom], rings }, look) {
  if (!rings) return [shape("rect", { class: look, x: left, y: top, width: Math.max(right - left, 0), height: Math.max(bottom - top, 0) })];
  return rings.map((ring) => shape("polygon", { class: look, points: ring.join(" ") }));
}

// The label and score of an object at a corner of its box, above true and below predicted ones.
function objectLabel({ box: [left, top, , bottom], label, score, kind, predicted }, [width, height]) {
  const size = Math.max(width, height) / 45;
  const y = predicted ? Math.min(bottom - size * 0.3, height - size * 0.3) : Math.max(top - size * 0.3, size);
  const text = shape("text", { class: `object-label ${kind}`, x: Math.max(left, 0) + size * 0.2, y }, predicted ? `${label} ${score.toFixed(2)}` : label);
  text.style.fontSize = `${size}px`;
  return text;
}

// A large picture with its objects and their labels.
function labelledDrawing(image, objects, words) {
  const drawing = pictureDrawn(image, objects, { class: "shot large", role: "img", "aria-label": words });
  drawing.append(...objects.map((object) => objectLabel(object, image.size)));
  return drawing;
}

// The line of an outcome, for the legend.
function outcomeKey(kind) {
  return shape(
    "svg",
    { class: "shot swatch", viewBox: "0 0 34 16", "aria-hidden": "true" },
    shape("g", { class: `object ${kind}` }, shape("path", { class: "over", d: "M3 8H31" })),
  );
}
