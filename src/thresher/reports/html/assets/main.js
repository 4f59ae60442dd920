// Unfold before printing what a reader on paper needs.
function printing() {
  const folded = () => document.querySelectorAll("details.paper:not([open])");
  const opened = new Set();
  addEventListener("beforeprint", () => {
    for (const details of folded()) {
      details.open = true;
      opened.add(details);
    }
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened.clear();
  });
}

// Set the colours at once, show the items when they are unpacked.
async function start() {
  theme();
  printing();
  pairs();
  const loading = document.getElementById("loading");
  if (loading) loading.hidden = false;
  const items = document.getElementById("payload") ? await unpacked() : null;
  await pictures(items);
  if (items) withItems(items);
  performance.mark("ready");
}

// What computes with the items: their table, and the sliders of thresholds. A page may have one of them only.
function withItems(items) {
  const view = new View(items);
  if (document.getElementById("items")) listOf(items, view);
  thresholds(document.getElementById("threshold-panel"), items, view);
}

// The table of items with its filters and details.
function listOf(items, view) {
  document.getElementById("loading").remove();
  const details = new Details(items, view);
  const grid = new Grid(document.getElementById("grid"), view, (row) => details.open(row));
  toolbar(document.getElementById("toolbar"), items, view, grid);
  const shown = document.getElementById("shown");
  const update = () => {
    shown.textContent = `${view.order.length.toLocaleString("en")} of ${counted(items.size, "item")} shown`;
  };
  view.onchange(update);
  if (!shown.textContent) update();
}

start().catch((error) => {
  const place = document.getElementById("loading") || document.getElementById("shown");
  if (place) place.textContent = `The items cannot be shown: ${error.message}`;
  throw error;
});
