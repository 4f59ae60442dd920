// Images next to each other with a sentence: label maps, or the labels of whole images.
class CardForm {
  constructor(data) {
    this.data = data;
    this.state = {};
    this.kinds = words(data.kinds);
    const [worst, best] = data.orders || ["worst", "best"];
    this.orders = [["worst", worst], ["best", best], ["name", "name"]];
  }

  contents() {
    return {};
  }

  shows({ image }, { kind, label }) {
    return (kind === "all" || image.kinds.includes(kind)) && (label === "any" || image.labels.some((place) => this.data.labels[place] === label));
  }

  // The images come in their order, the worst first.
  badness({ place }, order) {
    return order === "worst" ? -place : place;
  }

  words({ image }) {
    return image.words;
  }

  card({ image }) {
    const preview = this.data.preview || this.data.panels.map(([name]) => name);
    const shown = this.data.panels.filter(([name]) => preview.includes(name) && image.pictures[name]);
    if (!shown.length) return make("span", { class: "no-panel" }, "no picture");
    return make("span", { class: "panels-of-card" }, shown.map(([name]) => make("img", { src: image.pictures[name], class: name, alt: "" })));
  }

  parts({ image }) {
    const shown = this.data.panels.filter(([name]) => image.pictures[name]);
    // A map keeps its pixels where it is enlarged, and the lines between segments where it is reduced.
    const onload = ({ target }) => target.classList.toggle("pixelated", !target.classList.contains("picture") && target.naturalWidth < target.clientWidth);
    const figure = ([name, caption]) =>
      make("figure", {}, make("img", { src: image.pictures[name], class: name, alt: `${image.name}: ${caption}`, onload }), shown.length > 1 ? make("figcaption", {}, caption) : null);
    return [make("div", { class: "large-panels" }, shown.map(figure)), this.colours(new Set(image.labels)), this.differences()];
  }

  filters() {
    return null;
  }

  slider() {
    return null;
  }

  legend() {
    const colours = this.colours(new Set(this.data.images.flatMap(({ labels }) => labels)));
    return colours && make("div", {}, colours, this.differences());
  }

  // The colours of labels in maps.
  colours(present) {
    if (!this.data.colours) return null;
    const entries = [...present].sort((a, b) => a - b).map((place) => this.patch(this.data.colours[place], this.data.labels[place]));
    return make("ul", { class: "legend inline label-colours", "aria-label": "Labels" }, entries);
  }

  // The colours of differences between maps, if there are several.
  differences() {
    if (!this.data.differences?.length) return null;
    const entries = this.data.differences.map(([colour, meaning]) => this.patch(colour, meaning));
    return make("ul", { class: "legend inline difference-colours", "aria-label": "Differences" }, entries);
  }

  patch(colour, text) {
    const key = make("span", { class: "patch" });
    key.style.background = colour;
    return make("li", {}, key, text);
  }
}
