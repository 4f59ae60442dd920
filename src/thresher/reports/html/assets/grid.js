// A grid of any number of rows; only visible rows are in the document. Keys as in the ARIA grid pattern.
const PRINTED = 100;

class Grid {
  constructor(host, view, open) {
    Object.assign(this, { view, open, active: { row: 0, column: 0 } });
    this.narrow = matchMedia("(max-width: 36rem)"); // as in items.css
    this.narrow.addEventListener("change", () => this.refresh());
    this.heads = make("div", { class: "heads", role: "row", "aria-rowindex": 1 });
    this.body = make("div", { class: "body", role: "rowgroup" });
    this.box = make(
      "div",
      { class: "grid", role: "grid", "aria-label": "Items", "aria-readonly": "true" },
      make("div", { class: "headgroup", role: "rowgroup" }, this.heads),
      this.body,
    );
    this.printed = make("p", { class: "printed aside" });
    this.frame = make("div", { class: "frame" }, this.box);
    host.append(this.frame, this.printed);
    this.box.addEventListener("scroll", () => this.soon());
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    addEventListener("resize", () => this.soon());
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => this.draw());
    view.onchange(() => this.refresh());
    this.tall(answersStandApart(view.items)); // of answers one line is too little
  }

  get columns() {
    return this.narrow.matches ? this.view.cards : this.view.columns;
  }

  refresh() {
    const { order } = this.view,
      { columns } = this;
    this.box.classList.toggle("cards", this.narrow.matches);
    this.box.dataset.texts = columns.filter(({ kind }) => kind === "text").length;
    this.active = { row: 0, column: Math.min(this.active.column, columns.length - 1) };
    this.box.style.setProperty("--columns", columns.map((column) => column.width).join(" "));
    this.box.setAttribute("aria-rowcount", order.length + 1);
    this.box.setAttribute("aria-colcount", columns.length);
    this.head();
    this.box.scrollTop = 0;
    this.drawn = null; // other rows or columns
    this.draw();
  }

  head() {
    const { columns } = this,
      { sort } = this.view;
    const focused = this.heads.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.heads.replaceChildren(
      ...columns.map((column, place) => {
        const sorted = column.key !== sort.key ? "none" : sort.down ? "descending" : "ascending";
        const button = make(
          "button",
          {
            type: "button",
            "data-key": column.key,
            title: column.title,
            onclick: () => this.view.sortBy(column),
          },
          [column.label].flat().map((part) => (typeof part === "string" ? part : part.cloneNode(true))),
        );
        return make(
          "div",
          {
            class: `cell ${column.kind}`,
            role: "columnheader",
            "aria-sort": sorted,
            "aria-colindex": place + 1,
          },
          button,
        );
      }),
    );
    const again = [...this.heads.querySelectorAll("button")].find((button) => button.dataset.key === focused);
    if (again) again.focus();
  }

  print() {
    const { length } = this.view.order;
    this.printed.textContent = length > PRINTED ? `The first ${PRINTED} are printed.` : "";
    this.draw(0, Math.min(length, PRINTED));
  }

  tall(on) {
    this.tallRows = on;
    this.box.classList.toggle("tall", on);
    this.refresh();
  }

  soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  get rowHeight() {
    return (
      parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) *
      parseFloat(getComputedStyle(document.documentElement).fontSize)
    );
  }

  draw(from, to) {
    const height = this.rowHeight,
      { order } = this.view;
    this.body.style.height = `${order.length * height}px`; // before all else: the box is as high as its rows, within limits
    const first = from ?? Math.max(0, Math.floor(this.box.scrollTop / height) - 4);
    const last =
      to ?? Math.min(order.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + 4);
    this.shadow();
    const drawn = [first, last, this.active.row, this.active.column, height].join();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const held = this.body.contains(document.activeElement);
    const rows = [];
    for (let place = first; place < last; place++) rows.push(this.row(place, height));
    if (!order.length) rows.push(make("p", { class: "empty" }, "No item matches."));
    this.body.replaceChildren(...rows);
    const active = this.cell(this.active);
    this.box.tabIndex = active || !order.length ? -1 : 0;
    if (held) (active || this.box).focus({ preventScroll: true });
    this.shadow();
  }

  // Whether columns are out of sight.
  shadow() {
    const { scrollLeft, clientWidth, scrollWidth } = this.box;
    this.frame.classList.toggle("more", scrollLeft + clientWidth < scrollWidth - 1);
  }

  row(place, height) {
    const row = this.view.order[place];
    const element = make(
      "div",
      { class: "row", role: "row", "aria-rowindex": place + 2, "data-place": place },
      this.columns.map((column, at) => {
        const active = place === this.active.row && at === this.active.column;
        const content = column.cell(row);
        const title = column.kind === "text" ? null : column.kind === "id" ? content : null;
        return make(
          "div",
          {
            class: `cell ${column.kind}`,
            role: "gridcell",
            "aria-colindex": at + 1,
            tabindex: active ? 0 : -1,
            title,
          },
          content,
        );
      }),
    );
    element.style.transform = `translateY(${place * height}px)`;
    return element;
  }

  cell({ row, column }) {
    const element = this.body.querySelector(`[data-place="${row}"]`);
    return element && element.children[column];
  }

  click(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.move(Number(row.dataset.place), this.active.column);
    this.open(this.view.order[this.active.row]);
  }

  key(event) {
    if (!this.body.contains(event.target) && event.target !== this.box) return;
    const { row, column } = this.active,
      page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight) - 2);
    const last = this.view.order.length - 1,
      end = this.columns.length - 1;
    const moves = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [row - page, column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? last : row, end],
    };
    if (event.key === "Enter" && last >= 0) this.open(this.view.order[row]);
    else if (event.key in moves) this.move(...moves[event.key]);
    else return;
    event.preventDefault();
  }

  // Activate a cell, scroll to it and focus it.
  move(row, column) {
    const within = (value, most) => Math.max(0, Math.min(value, most));
    this.active = {
      row: within(row, this.view.order.length - 1),
      column: within(column, this.columns.length - 1),
    };
    const height = this.rowHeight,
      top = this.active.row * height,
      heads = this.heads.offsetHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + height + heads > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = top + height + heads - this.box.clientHeight;
    this.draw();
    const cell = this.cell(this.active);
    if (cell) {
      cell.focus({ preventScroll: true });
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}
