// Light or dark: what the system says, until the button says otherwise. Where storage is refused, until reload.
function theme() {
  const root = document.documentElement,
    button = document.getElementById("theme"),
    key = "thresher-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const tell = () => {
    button.textContent = current() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${button.textContent.toLowerCase()} colours`);
  };
  const remembered = attempt(() => localStorage.getItem(key));
  if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    attempt(() => localStorage.setItem(key, root.dataset.theme));
    tell();
  });
  system.addEventListener("change", tell);
  button.hidden = false;
  tell();
}

// Some browsers refuse storage to files; then there is simply nothing remembered.
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
