// Of several pairs of runs one is shown, in all sections the same.
function pairs() {
  const groups = [...document.querySelectorAll(".pairs")];
  const show = (place) => {
    for (const group of groups) {
      [...group.querySelectorAll(".pair-panel")].forEach((panel, at) => {
        panel.hidden = at !== place;
      });
      [...group.querySelectorAll(".pair-index a")].forEach((link, at) => link.setAttribute("aria-current", String(at === place)));
    }
  };
  for (const group of groups) {
    [...group.querySelectorAll(".pair-index a")].forEach((link, place) =>
      link.addEventListener("click", (event) => {
        event.preventDefault();
        show(place);
      }),
    );
  }
  if (groups.length) show(0);
}
