// Moves the map, draws a frame when something has changed, and updates the texts when it has come to rest.
class WorldMap {
  constructor(data) {
    this.data = data;
    this.contents = new Contents(data);
    this.land = readLand(data.land);
    this.canvas = byId("map");
    this.context = this.canvas.getContext("2d");
    this.way = "this plan";
    this.pointer = null;
    this.hasKeyboard = false;
    this.answers = data.live ? new Answers(data.live, answer => this.receive(answer)) : null;
    this.fillLevels();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    if (!this.followHash()) this.show(data.view, false);
  }

  // What is visible. West and east are wrapped; a box across the 180th meridian has its west greater than its east.
  get camera() {
    const { width, height, zoom } = this, scale = 256 * 2 ** zoom;
    const left = this.x - width / 2 / scale, top = this.y - height / 2 / scale;
    return { width, height, scale, left, top, right: left + width / scale, bottom: top + height / scale };
  }

  get box() {
    const { left, right, top, bottom } = this.camera;
    const wrap = x => longitude(x - Math.floor(x));
    const [south, north] = [bottom, top].map(each => latitude(Math.max(0, Math.min(1, each))));
    return right - left >= 1 ? [south, -180, north, 180] : [south, wrap(left), north, wrap(right)];
  }

  get level() {
    const chosen = Number(byId("level").value), { choices } = this.contents;
    if (chosen) return chosen;
    return choices.length ? cells.levelOfZoom(this.zoom, this.data.cellPixels, choices) : null;
  }

  // The level whose cells are drawn: that of the last answer of a server, or the one that fits the zoom.
  get drawnLevel() {
    return this.answers ? this.contents.answeredLevel ?? null : this.level;
  }

  move(x, y, zoom) {
    const least = Math.log2(this.height / 256);
    this.zoom = Math.max(Math.max(0, least), Math.min(20, zoom));
    const half = this.height / 2 / (256 * 2 ** this.zoom);
    this.x = x - Math.floor(x);
    this.y = Math.max(half, Math.min(1 - half, y));
    this.change();
  }

  // Moves in a few frames, or at once for those who prefer reduced motion.
  glide(x, y, zoom) {
    cancelAnimationFrame(this.gliding);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.move(x, y, zoom);
    this.setMoving(true);
    const from = [this.x, this.y, this.zoom], begin = performance.now();
    const away = x - from[0], shortest = away - Math.round(away);
    const step = now => {
      const part = Math.min(1, (now - begin) / 180), eased = part * (2 - part);
      this.move(from[0] + shortest * eased, from[1] + (y - from[1]) * eased, from[2] + (zoom - from[2]) * eased);
      if (part < 1) this.gliding = requestAnimationFrame(step);
    };
    this.gliding = requestAnimationFrame(step);
    return undefined;
  }

  // Zooms so that what is under a pixel stays there.
  zoomAt(px, py, zoom, glides = false) {
    const before = this.camera, held = Math.max(0, Math.min(20, zoom));
    const [x, y] = [before.left + px / before.scale, before.top + py / before.scale];
    const scale = 256 * 2 ** held;
    const to = [x + (this.width / 2 - px) / scale, y + (this.height / 2 - py) / scale, held];
    if (glides) this.glide(...to);
    else this.move(...to);
  }

  pan(px, py, glides = false) {
    const scale = 256 * 2 ** this.zoom, to = [this.x + px / scale, this.y + py / scale, this.zoom];
    if (glides) this.glide(...to);
    else this.move(...to);
  }

  // Shows a box: south, west, north, east.
  show([south, west, north, east], glides) {
    const [left, top, right, bottom] = projectBox([south, west, north, east < west ? east + 360 : east]);
    const zooms = [(this.width * 0.86) / (right - left), (this.height * 0.86) / (bottom - top)];
    const zoom = Math.max(1, Math.min(18, Math.log2(Math.min(...zooms) / 256)));
    const to = [(left + right) / 2, (top + bottom) / 2, zoom];
    if (glides) this.glide(...to);
    else this.move(...to);
  }

  followHash() {
    const [zoom, lat, lng] = location.hash.slice(1).split("/").map(Number);
    if (!(zoom >= 0 && Math.abs(lat) <= 90 && Math.abs(lng) <= 180)) return false;
    this.move(...project(lat, lng), zoom);
    return true;
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas, ratio = devicePixelRatio || 1;
    [this.width, this.height] = [Math.max(1, clientWidth), Math.max(1, clientHeight)];
    [this.canvas.width, this.canvas.height] = [this.width * ratio, this.height * ratio];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.zoom !== undefined) this.move(this.x, this.y, this.zoom);
  }

  change() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
    clearTimeout(this.resting);
    this.setMoving(true);
    this.resting = setTimeout(() => this.rest(), 150);
  }

  // The map is at rest when the texts are those of its view: not yet while it moves, or while an answer is awaited.
  setMoving(isMoving) {
    this.isMoving = isMoving;
    if (isMoving) this.canvas.dataset.state = "moving";
  }

  draw() {
    this.frame = 0;
    const drawing = new Drawing(this.context, this.camera), level = this.drawnLevel;
    drawing.background(this.land);
    const ranges = byId("show-ranges").checked ? this.rangeBoxes ?? [] : [];
    drawing.tint(ranges);
    if (level) {
      const { each, low, high } = this.contents.level(level);
      drawing.cells(each, low, high);
    }
    drawing.shapes(this.contents.shapes);
    drawing.outlines(ranges);
    drawing.points(this.contents.points, this.contents.pointValues.low, this.contents.pointValues.high);
    if (this.held) cells.parts(this.held.box).forEach(each => drawing.border(projectBox(each)));
    drawing.gridLabels();
    const found = this.pointer ? this.find(...this.pointer) : null;
    const centre = this.hasKeyboard && !this.pointer ? [this.width / 2, this.height / 2] : [null, null];
    drawing.cross(centre, found?.box);
    const [x, y] = this.pointer ?? [this.width / 2, this.height / 2];
    const tip = this.pointer ? found : this.hasKeyboard ? this.find(x, y) : null;
    showTip(tip?.lines ?? null, x, y, this.width);
  }

  // What is at a pixel: a point, a cell with items, or a shape.
  find(px, py) {
    const { left, top, scale } = this.camera, x = left + px / scale, y = top + py / scale;
    const wrapped = x - Math.floor(x);
    const distance = ({ at }) => {
      const away = at[0] - wrapped;
      return Math.hypot(away - Math.round(away), at[1] - y) * scale;
    };
    const point = this.contents.points.findLast(each => distance(each) <= 9);
    const shape = this.contents.shapes.find(({ areas }) => isInside([wrapped, y], areas));
    const level = this.drawnLevel, lines = shape ? [shape.name] : [];
    const title = this.data.valueName;
    if (point) {
      return { lines: [point.label, ...(point.value === null ? [] : [`${title}: ${number(point.value)}`]), ...lines] };
    }
    if (!level || y < 0 || y >= 1) return lines.length ? { lines } : null;
    const name = cells.at(latitude(y), longitude(wrapped), level), cell = this.contents.level(level).byName.get(name);
    if (!cell) return lines.length ? { lines } : null;
    const details = [`${title}: ${number(cell.value)}`];
    if (cell.items !== 1) details.push(plural(cell.items, "item"));
    const { keys } = this.data;
    if (keys && this.contents.keyLevel(level) === level) {
      const [before, after] = keys.partition, prefix = name.slice(0, level - keys.suffix);
      details.push(`${keys.names[0]} ${before}${prefix}${after}`, `${keys.names[1]} ${keys.sort[0]}${name.slice(-keys.suffix)}`);
    }
    return { box: cell.box, lines: [`Cell ${name}`, ...details, ...lines] };
  }

  // The texts, the ranges, and for a live map the answer of the server, once the map has come to rest.
  rest() {
    this.setMoving(false);
    const { box } = this;
    this.canvas.dataset.box = box.join(" ");
    this.canvas.dataset.zoom = this.zoom;
    const [lat, lng] = [latitude(this.y), longitude(this.x)];
    try {
      history.replaceState(null, "", `#${this.zoom.toFixed(2)}/${lat.toFixed(5)}/${lng.toFixed(5)}`);
    } catch { /* browsers limit how often it may be called */ }
    if (this.answers) this.answers.request(box, this.zoom, this.level);
    else this.update();
  }

  receive(answer) {
    byId("answer").textContent = answer.text;
    byId("answer").classList.toggle("error", answer.failed);
    if (!answer.failed) {
      this.contents.answer(answer);
      this.contents.answeredLevel = answer.level;
      this.data.statistics = { [answer.level]: answer.statistics };
    }
    this.update();
  }

  update() {
    const { box, drawnLevel: level } = this, all = level ? this.contents.level(level) : null;
    const visible = this.visible(all?.each ?? []);
    const points = this.contents.points.filter(({ at }) => this.isVisible([...at, ...at]));
    const focus = this.hasKeyboard ? this.find(this.width / 2, this.height / 2)?.lines.join(", ") : null;
    const wanted = level ? cells.parts(box).reduce((sum, each) => sum + cells.countIn(each, level), 0) : 0;
    describeView({
      zoom: this.zoom, centre: [latitude(this.y), longitude(this.x)], level, inView: visible.length, wanted, focus,
      pointsInView: this.contents.points.length ? points.length : null,
    });
    const listed = all ? visible : points.filter(each => each.value !== null).sort((a, b) => a.value - b.value);
    showHighest(listed.slice(-8).reverse(), at => this.glide(at[0], at[1], this.zoom));
    const { low, high } = all ?? this.contents.pointValues;
    showLegend(low, high, this.data.valueName);
    this.updateRanges(this.held ?? { box, level, statistics: level && this.contents.statistics(level) });
    if (!this.isMoving) this.canvas.dataset.state = "resting";
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  isVisible([x1, y1, x2, y2]) {
    const { left, top, right, bottom } = this.camera;
    return y2 >= top && y1 <= bottom && Math.ceil(left - x2) <= right - x1;
  }

  visible(each) {
    return each.filter(({ box }) => this.isVisible(box));
  }

  updateRanges({ box, level, statistics }) {
    const isKnown = Boolean(this.data.keys && level && statistics);
    byId("costs").hidden = !isKnown;
    byId("costs-title").textContent = this.held ? "Estimated cost of the held view" : "Estimated cost";
    this.rangeBoxes = [];
    if (!isKnown) return;
    const plan = this.contents.plan(box, level, statistics);
    const ways = plan ? cells.ways(plan) : [], queries = plan ? plan.queries : [];
    const way = ways.find(each => each.name === this.way) ?? { name: this.way, queries };
    byId("no-plan").hidden = Boolean(plan);
    byId("ways-table").hidden = !ways.length;
    byId("queries-list").hidden = !queries.length;
    showStatistics(statistics);
    showWays(ways, way.name, name => {
      this.way = name;
      this.update();
    });
    showQueries(way.queries, this.data.keys);
    const keyLevel = this.contents.keyLevel(level);
    this.rangeBoxes = way.queries.slice(0, 300).map(
      ({ range }) => cells.rectangles(range, keyLevel).map(projectBox));
  }

  fillLevels() {
    const { choices } = this.contents;
    byId("level").append(...choices.map(each => element("option", { value: each }, `level ${each}`)));
    byId("level-choice").hidden = choices.length < 2;
    for (const id of ["range-choice", "hold-choice"]) byId(id).hidden = !this.data.keys;
  }

  listen() {
    const { canvas } = this, fingers = new Map();
    const at = event => [event.offsetX, event.offsetY];
    const spread = () => {
      const [[ax, ay], [bx, by]] = [...fingers.values()];
      return [Math.hypot(ax - bx, ay - by), (ax + bx) / 2, (ay + by) / 2];
    };
    canvas.addEventListener("pointerdown", event => {
      cancelAnimationFrame(this.gliding);
      try {
        canvas.setPointerCapture(event.pointerId);
      } catch { /* the pointer is gone already */ }
      fingers.set(event.pointerId, at(event));
      this.pointer = at(event);
      this.hasKeyboard = false;
      this.redraw();
    });
    canvas.addEventListener("pointermove", event => {
      const before = fingers.get(event.pointerId), now = at(event);
      if (fingers.size === 2 && before) {
        const [size, x, y] = spread();
        fingers.set(event.pointerId, now);
        const [wider, nx, ny] = spread();
        this.pan(x - nx, y - ny);
        this.zoomAt(nx, ny, this.zoom + Math.log2(wider / size || 1));
      } else if (before) {
        fingers.set(event.pointerId, now);
        this.pan(before[0] - now[0], before[1] - now[1]);
      }
      this.pointer = event.pointerType === "touch" ? null : now;
      this.redraw();
    });
    for (const type of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(type, event => fingers.delete(event.pointerId));
    }
    canvas.addEventListener("pointerleave", event => {
      // What was tapped stays until the next touch.
      if (event.pointerType !== "touch") this.pointer = null;
      this.redraw();
    });
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      this.zoomAt(...at(event), this.zoom - Math.max(-1, Math.min(1, event.deltaY * lines * 0.003)));
    }, { passive: false });
    canvas.addEventListener("dblclick", event => this.zoomAt(...at(event), this.zoom + 1, true));
    canvas.addEventListener("keydown", event => this.press(event));
    canvas.addEventListener("blur", () => {
      this.hasKeyboard = false;
      this.redraw();
    });
    byId("zoom-in").addEventListener("click", () => this.glide(this.x, this.y, this.zoom + 1));
    byId("zoom-out").addEventListener("click", () => this.glide(this.x, this.y, this.zoom - 1));
    byId("home").addEventListener("click", () => this.show(this.data.view, true));
    byId("show-ranges").addEventListener("change", () => this.redraw());
    byId("level").addEventListener("change", () => this.change());
    byId("hold").addEventListener("change", () => {
      const { box, drawnLevel: level } = this, statistics = level && this.contents.statistics(level);
      this.held = byId("hold").checked ? { box, level, statistics } : null;
      this.update();
    });
    darkScheme.addEventListener("change", () => this.update());
  }

  redraw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      this.pointer = null;
      this.hasKeyboard = false;
      this.redraw();
      return;
    }
    const far = event.shiftKey ? 240 : 80;
    const actions = {
      ArrowLeft: () => this.pan(-far, 0), ArrowRight: () => this.pan(far, 0),
      ArrowUp: () => this.pan(0, -far), ArrowDown: () => this.pan(0, far),
      "+": () => this.glide(this.x, this.y, this.zoom + 1), "=": () => this.glide(this.x, this.y, this.zoom + 1),
      "-": () => this.glide(this.x, this.y, this.zoom - 1), _: () => this.glide(this.x, this.y, this.zoom - 1),
      Home: () => this.show(this.data.view, true), 0: () => this.show(this.data.view, true),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    this.hasKeyboard = true;
    this.pointer = null;
    actions[event.key]();
  }
}

new WorldMap(JSON.parse(byId("data").textContent));
