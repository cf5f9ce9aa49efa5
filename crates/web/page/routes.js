// Boards on which a move is a way from place to place: each place of it is clicked in turn.

import { announce, focusedElement, motion, s } from "./dom.js";

/** How far a pointer moves before it drags what is under it, in pixels. */
const DRAG = 5;

/**
 * Draws the places of a board of some `shape` and the men on them. A shape reads a notation (`read`),
 * says how large the picture is (`size`), what lies under the places (`ground`), which places there are
 * (`places`, each with a name and its middle), what stands on one (`man`) and how that is called
 * (`label`), and which places a move names (`route`), how many of them the man goes over (`steps`),
 * whether it must be shown that it `takes`, and perhaps how little is said of its value (`chip`).
 * `edit(place, "next")` changes a place and `edit(place, "remove")` empties it; where a shape has men to
 * be set up (`isTray`), `edit(place, man)` puts one there, and `edit(from, to)` moves one.
 */
export class Routes {
  constructor(shape, { act, edit, words }) {
    this.shape = shape;
    this.act = act;
    this.edit = edit;
    this.words = words;
    this.element = s("svg", {
      class: `routes ${shape.style}`,
      role: "group",
      "aria-label": "Board",
      onkeydown: (event) => this.key(event),
      onpointerdown: (event) => this.grab(event),
      onpointermove: (event) => this.drag(event),
      onpointerup: (event) => this.drop(event),
      onpointercancel: () => this.release(),
    });
    /** The places of a move that were clicked; while a position is set up, the man to be put or moved. */
    this.way = [];
    /** What a pointer holds: where it was, and since it has moved, what it drags. */
    this.held = null;
    /** Whether a move is one that was made by hand, so that it need not be shown. */
    this.dropped = false;
  }

  render(view) {
    const model = this.shape.read(view.position, view, this.model);
    if (!model) return;
    const focused = this.element.contains(document.activeElement) ? focusedElement().dataset.place : null;
    const stays = this.view?.position === view.position && this.view.editing === view.editing;
    // A man to be set up is put on one square after another.
    const brush = view.editing && this.view?.editing && this.way.some((name) => this.shape.isTray?.(name));
    if (!stays && !brush) this.way = [];
    this.view = view;
    this.model = model;
    this.routes = view.editing
      ? []
      : view.choices.map((choice) => ({ choice, route: this.shape.route(choice.move, choice) }));
    // Where every move takes something, those men are marked.
    this.forced = this.routes.length > 0 && this.routes.every(({ choice }) => this.shape.takes(choice.move));
    const [width, height] = this.shape.size(model, view);
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const places = this.shape.places(model, view, this.way);
    this.middles = new Map(places.map(({ name, x, y }) => [name, [x, y]]));
    this.element.replaceChildren(
      ...this.shape.ground(model, view, this.way),
      ...[...this.middles.keys()].map((name) => this.drawPlace(name)),
    );
    if (focused) this.element.querySelector(`[data-place="${focused}"]`)?.focus();
  }

  /** The moves that go on from the places clicked so far. */
  open() {
    return this.routes.filter(({ route }) => this.way.every((place, i) => route[i] === place));
  }

  drawPlace(name) {
    const { shown, hint, editing, names } = this.view;
    const [x, y] = this.middles.get(name);
    const man = this.shape.man(this.model, name, [x, y]);
    // Moves come best first: a place shows the best of those that lead over it.
    const here = this.open().filter(({ route }) => route[this.way.length] === name);
    const first = here[0]?.choice;
    const clicked = this.way.includes(name);
    const hinted = this.routes.some(({ choice, route }) => hint.has(choice.move) && route.includes(name));
    const active = editing || here.length > 0 || clicked;
    const target = this.way.length > 0 && here.length > 0;
    const classes = [
      "place",
      active && "active",
      target && "target",
      clicked && "chosen",
      this.forced && here.length > 0 && "forced",
      shown && first?.standing.kind,
      ((shown && first?.best) || hinted) && "best",
    ];
    const one = here.length === 1 && here[0].route.length === this.way.length + 1;
    const more = one
      ? `: ${this.words.describe(first, shown)}`
      : here.length > 0
        ? `, ${here.length} ${here.length === 1 ? "move" : "moves"}`
        : "";
    return s(
      "g",
      {
        class: classes.filter(Boolean).join(" "),
        "data-place": name,
        "data-move": one ? first.move : undefined,
        role: active ? "button" : "img",
        tabindex: active ? 0 : -1,
        "aria-pressed": active && clicked ? "true" : undefined,
        "aria-label": this.shape.label(this.model, name, names) + more,
        onclick: () => this.press(name),
      },
      this.shape.spot(this.model, name, [x, y]),
      man,
      here.length > 0 &&
        (!man || target) &&
        !(shown && first.value) &&
        s("circle", { class: man ? "spot around" : "spot", cx: x, cy: y, r: man ? this.shape.radius : 9 }),
      s("circle", { class: "ring", cx: x, cy: y, r: this.shape.radius }),
      shown && first?.value && this.chip([x, y], first, man),
    );
  }

  /** What a move is worth, below what stands there. */
  chip([x, y], choice, man) {
    const { brief } = choice.standing;
    const text = this.shape.chip?.(brief) ?? brief;
    const w = 12 + 8 * text.length;
    const middle = man ? y + this.shape.radius - 8 : y;
    return s(
      "g",
      { class: `chip ${choice.standing.kind}${choice.best ? " best" : ""}`, "aria-hidden": "true" },
      s("rect", { x: x - w / 2, y: middle - 10, width: w, height: 20, rx: 10 }),
      s("text", { x, y: middle + 5 }, text),
    );
  }

  /** A place is the next one of a move, or takes the move back to it. */
  press(name) {
    if (this.view.editing) {
      this.change(name);
      return;
    }
    const way = [...this.way, name];
    const open = this.routes.filter(({ route }) => way.every((place, i) => route[i] === place));
    const whole = open.find(({ route }) => route.length === way.length);
    if (whole && open.length === 1) {
      this.act(whole.choice);
      return;
    }
    const begins = this.routes.some(({ route }) => route[0] === name);
    this.way = open.length > 0 ? way : begins && !this.way.includes(name) ? [name] : [];
    this.render(this.view);
    const next = new Set(this.open().map(({ route }) => route[this.way.length]));
    if (this.way.length > 0) announce(`On from ${this.way.join(", ")}: ${[...next].join(", ")}.`);
  }

  /** What is set up by a click on a place. */
  change(name) {
    const [chosen] = this.way;
    if (!this.shape.isTray) this.edit(name, this.view.removing ? "remove" : "next");
    else if (this.shape.isTray(name)) this.choose(chosen === name ? [] : [name]);
    else if (this.view.removing) this.edit(name, "remove");
    else if (chosen && this.shape.isTray(chosen)) this.edit(name, chosen);
    else if (chosen && chosen !== name) this.edit(chosen, name);
    else this.choose(chosen || !this.shape.man(this.model, name, [0, 0]) ? [] : [name]);
  }

  choose(way) {
    this.way = way;
    this.render(this.view);
  }

  /** Whether a man can be dragged from a place. */
  canDrag(name) {
    if (!this.shape.man(this.model, name, [0, 0])) return false;
    return this.view.editing
      ? this.shape.isTray !== undefined
      : this.routes.some(({ route }) => route[0] === name && route.length > 1);
  }

  grab(event) {
    const name = event.target.closest("[data-place]")?.dataset.place;
    const can = event.button === 0 && name !== undefined && this.canDrag(name);
    this.held = can ? { name, from: [event.clientX, event.clientY], layer: null } : null;
  }

  drag(event) {
    const { held } = this;
    if (!held) return;
    const [x, y] = held.from;
    if (!held.layer) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < DRAG) return;
      // From now on the board gets all that the pointer does, even outside of it.
      this.element.setPointerCapture(event.pointerId);
      this.choose([held.name]);
      const man = this.element.querySelector(`[data-place="${held.name}"] .man`);
      held.layer = s("g", { class: "dragged", "aria-hidden": "true" }, man.cloneNode(true));
      if (!this.shape.isTray?.(held.name)) man.classList.add("lifted");
      this.element.append(held.layer);
    }
    const scale = this.element.getScreenCTM().a;
    const [right, down] = [(event.clientX - x) / scale, (event.clientY - y) / scale];
    held.layer.setAttribute("transform", `translate(${right} ${down})`);
  }

  drop(event) {
    const { held } = this;
    this.held = null;
    if (!held?.layer) return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const place = /** @type {HTMLElement} */ (under?.closest("[data-place]"));
    const name = this.element.contains(place) ? place.dataset.place : null;
    const { editing } = this.view;
    if (name === null || (editing && this.shape.isTray(name))) {
      // Beside the board, a man that is set up is taken away.
      if (editing && !this.shape.isTray(held.name)) this.edit(held.name, "remove");
      else this.choose([]);
    } else if (name === held.name) {
      this.choose([name]);
    } else {
      if (editing) this.edit(...(this.shape.isTray(held.name) ? [name, held.name] : [held.name, name]));
      else {
        // The man has gone there by hand, and stays until the board is drawn anew.
        this.dropped = true;
        this.press(name);
        this.dropped = false;
      }
    }
  }

  /** What was dragged is back in its place. */
  release() {
    if (this.held?.layer) this.choose([]);
    this.held = null;
  }

  key(event) {
    const place = event.target.dataset?.place;
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.press(place);
    else if (event.key === "Escape" && this.way.length > 0) {
      this.way = [];
      this.render(this.view);
    } else return;
    event.preventDefault();
  }

  /** Shows how a man goes along its way. */
  async animate(choice) {
    if (this.dropped) return;
    const route = this.shape.route(choice.move, choice).slice(0, this.shape.steps(choice.move));
    const man = this.element.querySelector(`[data-place="${route[0]}"] .man`);
    if (!motion() || !man || route.length < 2) return;
    const [x, y] = this.middles.get(route[0]);
    const layer = s("g", { class: "travel" }, man.cloneNode(true));
    man.remove();
    this.element.append(layer);
    const frames = route.map((place) => {
      const [tx, ty] = this.middles.get(place);
      return { transform: `translate(${tx - x}px, ${ty - y}px)` };
    });
    await layer
      .animate(frames, { duration: 240 * (route.length - 1), fill: "both", easing: "ease-in-out" })
      .finished.catch(() => {});
    layer.remove();
  }
}

/** Keys of such boards. */
export const routeKeys = () => [
  ["Tab", "to a place on the board"],
  ["Enter", "the next place of a move"],
  ["Esc", "takes a move back that is not finished"],
];
