// Light or dark: the system's choice, until the button is used. Without storage the choice lasts until reload.
function theme() {
  const root = document.documentElement,
    button = document.getElementById("theme"),
    key = "thresher-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const update = () => {
    button.textContent = current() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${button.textContent.toLowerCase()} colours`);
  };
  const remembered = attempt(() => localStorage.getItem(key));
  if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    attempt(() => localStorage.setItem(key, root.dataset.theme));
    update();
  });
  system.addEventListener("change", update);
  button.hidden = false;
  update();
}

// Some browsers refuse storage to files; then the choice is not remembered.
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
