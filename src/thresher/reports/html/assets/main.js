// On paper nothing can be unfolded, so what is worth it is unfolded before.
function printing() {
  const folded = () => document.querySelectorAll("details.paper:not([open])");
  const opened = new Set();
  addEventListener("beforeprint", () => {
    for (const each of folded()) {
      each.open = true;
      opened.add(each);
    }
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    opened.clear();
  });
}

// Start: colours at once, items when they are unpacked.
async function start() {
  theme();
  printing();
  if (!document.getElementById("payload")) return;
  const items = await unpacked(),
    view = new View(items);
  document.getElementById("loading").remove();
  const details = new Details(items, view);
  const grid = new Grid(document.getElementById("grid"), view, (row) => details.open(row));
  toolbar(document.getElementById("toolbar"), items, view, grid);
  thresholds(document.getElementById("threshold-panel"), items, view);
  const shown = document.getElementById("shown");
  const tell = () => {
    shown.textContent = `${view.order.length.toLocaleString("en")} of ${counted(items.size, "item")} shown`;
  };
  view.onchange(tell);
  if (!shown.textContent) tell();
  performance.mark("ready");
}

start().catch((error) => {
  const place = document.getElementById("loading") || document.getElementById("shown");
  if (place) place.textContent = `The items cannot be shown: ${error.message}`;
  throw error;
});
