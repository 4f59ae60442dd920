// Lines over the threshold; the slider below has the same ends. The legend begins with the run.
function cutChart(threshold, [low, high], name, run) {
  const width = Math.min(640, document.documentElement.clientWidth - 32),
    height = 180;
  const x = (value) => 8 + ((value - low) / (high - low)) * (width - 16); // as the thumb of the slider
  const y = (value) => height - 18 - value * (height - 34);
  const share = (count) => (threshold.total ? count / threshold.total : NaN);
  const lines = threshold.hits
    ? ["precision", "recall", "f1"].map((name) => [
        name === "f1" ? "F1" : name,
        (place) => threshold.measures(place)[name],
      ])
    : [["share that passes", (place) => share(threshold.passing[place])]];
  const drawing = shape("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${lines.map(([name]) => name).join(", ")} at every threshold`,
  });
  for (const value of [0, 0.5, 1])
    drawing.append(shape("line", { class: "gridline", x1: 8, x2: width - 8, y1: y(value), y2: y(value) }));
  for (const value of [low, high])
    drawing.append(
      shape(
        "text",
        { x: x(value), y: height - 4, class: value === low ? "" : "end" },
        String(Number(value.toPrecision(4))),
      ),
    );
  lines.forEach(([, value], number) => {
    const points = threshold.cuts
      .map((cut, place) => [x(cut), value(place)])
      .filter(([, share]) => !Number.isNaN(share));
    drawing.append(
      shape("path", {
        class: `line line-${number}`,
        d: steps(
          points.map(([at, share]) => [at, y(share)]),
          threshold.sign,
        ),
      }),
    );
  });
  for (const value of [0, 0.5, 1])
    drawing.append(shape("text", { x: 12, y: y(value) - 3, class: "above" }, String(value)));
  drawing.append(shape("text", { x: width / 2, y: height - 4, class: "middle" }, `threshold on ${name}`));
  const cursor = shape("line", { class: "cursor", y1: 6, y2: height - 16 });
  drawing.append(cursor);
  const legend = make(
    "ul",
    { class: "legend inline" },
    run && make("li", {}, run),
    lines.map(([line], number) => make("li", {}, lineKey(number), line)),
  );
  return {
    drawing,
    legend,
    cursor: (cut) => {
      cursor.setAttribute("x1", x(cut));
      cursor.setAttribute("x2", x(cut));
    },
  };
}

// A threshold between two cuts has the effect of the next stricter cut, so the line has steps.
function steps(points, sign) {
  return points
    .map(([x, y], place) => {
      if (!place) return `M${x} ${y}`;
      return sign > 0 ? `V${y}H${x}` : `H${x}V${y}`;
    })
    .join("");
}
