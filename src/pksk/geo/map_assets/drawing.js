// What is on the canvas: land, lines of latitude and longitude, heat, shapes, points, ranges.
// Positions are fractions of the world in Mercator's projection: x from west to east, y from north to south.
const project = (lat, lng) => {
  const sine = Math.sin((Math.max(-85.0511, Math.min(85.0511, lat)) * Math.PI) / 180);
  return [(lng + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
};
const latitude = y => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
// South, west, north and east in degrees as left, top, right and bottom.
const projectBox = ([south, west, north, east]) => {
  const [left, bottom] = project(south, west), [right, top] = project(north, east);
  return [left, top, right, bottom];
};
const longitude = x => x * 360 - 180;

// Colours by scheme; those of heat go from the lowest value to the highest.
const SCHEMES = {
  light: {
    sea: "#d6e4ee", land: "#f8f6f1", coast: "#9db3c2", grid: "#5b708033", label: "#4a5b68", ink: "#1f2328",
    range: "#0a4fb0", extra: "#0a4fb014", shape: "#5b2a86", shapeFill: "#5b2a8622", halo: "#ffffff",
    heat: ["#ffe08a", "#fdae4b", "#f2702c", "#c92a2a", "#6d0f2f"],
  },
  dark: {
    sea: "#0b141d", land: "#1b2631", coast: "#41566a", grid: "#9fb4c628", label: "#9fb0be", ink: "#f0f6fc",
    range: "#8cc4ff", extra: "#8cc4ff1a", shape: "#d7a6ff", shapeFill: "#d7a6ff26", halo: "#0b141d",
    heat: ["#4a1f6f", "#8f2a81", "#d8456b", "#fb9a5c", "#fcf3b6"],
  },
};
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const scheme = () => (darkScheme.matches ? SCHEMES.dark : SCHEMES.light);

const channels = colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
// A table of 64 colours, since mixing them for each cell would take longer than drawing it.
function heatTable(stops) {
  return Array.from({ length: 64 }, (_, i) => {
    const at = (i / 63) * (stops.length - 1), first = Math.min(Math.floor(at), stops.length - 2);
    const [low, high] = [channels(stops[first]), channels(stops[first + 1])];
    return `rgb(${low.map((each, c) => Math.round(each + (high[c] - each) * (at - first))).join(" ")})`;
  });
}
// Values differ by orders of magnitude, so colours follow their logarithms; negative values have the lowest colour.
const heatIndex = (value, low, high) => {
  if (!(high > low)) return 40;
  const part = Math.log1p(Math.max(0, value - low)) / Math.log1p(high - low);
  return Math.max(0, Math.min(63, Math.round(part * 63)));
};

// Rings of land: differences in hundredths of a degree, each zigzag-coded in characters of five bits and one for more.
function readLand(text) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const digits = new Map([...alphabet].map((character, i) => [character, i]));
  return text.split("\n").filter(Boolean).map(line => {
    const ends = [0, 0], ring = [];
    let value = 0, shift = 0, axis = 0;
    for (const character of line) {
      const digit = digits.get(character);
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      ends[axis] += (value >>> 1) ^ -(value & 1);
      if (axis) ring.push(project(ends[1] / 100, ends[0] / 100));
      [value, shift, axis] = [0, 0, 1 - axis];
    }
    return withBox(ring);
  });
}

function withBox(ring) {
  const [xs, ys] = [ring.map(each => each[0]), ring.map(each => each[1])];
  const least = numbers => numbers.reduce((a, b) => Math.min(a, b));
  const most = numbers => numbers.reduce((a, b) => Math.max(a, b));
  return { ring, box: [least(xs), least(ys), most(xs), most(ys)] };
}

// A ring within bounds: a canvas has no precision for vertices that are millions of pixels away.
function clip(ring, [left, top, right, bottom]) {
  const sides = [[0, left, 1], [0, right, -1], [1, top, 1], [1, bottom, -1]];
  return sides.reduce((vertices, [axis, at, sign]) => {
    const found = [];
    vertices.forEach((vertex, i) => {
      const before = vertices[(i || vertices.length) - 1];
      const [isIn, wasIn] = [vertex, before].map(each => (each[axis] - at) * sign >= 0);
      if (isIn !== wasIn) {
        const part = (at - before[axis]) / (vertex[axis] - before[axis]);
        const cut = [0, 1].map(each => before[each] + part * (vertex[each] - before[each]));
        cut[axis] = at;
        found.push(cut);
      }
      if (isIn) found.push(vertex);
    });
    return found;
  }, ring);
}

// A canvas for one frame: `left` and `top` are its corner as fractions of the world, `scale` the pixels of the world.
class Drawing {
  constructor(context, camera) {
    Object.assign(this, camera, { context, colours: scheme() });
    const margin = 8 / this.scale;
    this.frame = [this.left - margin, this.top - margin, this.right + margin, this.bottom + margin];
  }

  pixels([x, y]) {
    return [(x - this.left) * this.scale, (y - this.top) * this.scale];
  }

  // The whole turns of the world by which something between two longitudes is moved to be in the frame.
  turns(west, east) {
    const found = [];
    for (let turn = Math.ceil(this.frame[0] - east); turn <= this.frame[2] - west; turn++) found.push(turn);
    return found;
  }

  path({ ring, box: [west, north, east, south] }, isClosed = true) {
    const [left, top, right, bottom] = this.frame;
    if (south < top || north > bottom) return;
    for (const turn of this.turns(west, east)) {
      let moved = ring.map(([x, y]) => [x + turn, y]);
      const isInside = west + turn >= left && east + turn <= right && north >= top && south <= bottom;
      if (isClosed && !isInside) moved = clip(moved, this.frame);
      moved.forEach((each, i) => this.context[i ? "lineTo" : "moveTo"](...this.pixels(each)));
      if (isClosed) this.context.closePath();
    }
  }

  background(land) {
    const { context, colours } = this;
    context.fillStyle = colours.sea;
    context.fillRect(0, 0, this.width, this.height);
    context.beginPath();
    land.forEach(each => this.path(each));
    context.fillStyle = colours.land;
    context.fill("evenodd");
    context.strokeStyle = colours.coast;
    context.lineWidth = 0.75;
    context.stroke();
    this.grid();
  }

  // Lines of latitude and longitude; their labels are drawn later, above everything else.
  grid() {
    const { context, colours } = this;
    this.labels = [];
    const wanted = (120 * 360) / this.scale;
    const step = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60].find(
      each => each >= wanted) ?? 60;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const label = (value, [positive, negative]) => value === 0 ? "0°" :
      `${Math.abs(value).toFixed(digits)}°${value === -180 ? "" : value > 0 ? positive : negative}`;
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.beginPath();
    const west = longitude(this.left), east = longitude(this.right);
    for (let i = Math.ceil(west / step); i * step <= east; i++) {
      const x = Math.round(this.pixels([(i * step + 180) / 360, 0])[0]) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, this.height);
      this.labels.push([label(((((i * step + 180) % 360) + 360) % 360) - 180, "EW"), x + 4, this.height - 6]);
    }
    const south = Math.max(-85, latitude(this.bottom)), north = Math.min(85, latitude(this.top));
    for (let i = Math.ceil(south / step); i * step <= north; i++) {
      const y = Math.round(this.pixels(project(i * step, 0))[1]) + 0.5;
      context.moveTo(0, y);
      context.lineTo(this.width, y);
      if (y < this.height - 24) this.labels.push([label(i * step, "NS"), 6, y - 4]);
    }
    context.stroke();
  }

  gridLabels() {
    const { context, colours } = this;
    context.font = "11px system-ui, sans-serif";
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = colours.land;
    context.fillStyle = colours.label;
    this.labels.forEach(each => context.strokeText(...each));
    this.labels.forEach(each => context.fillText(...each));
  }

  // The border of the view whose ranges are held.
  border(box) {
    const { context, colours } = this;
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.setLineDash([6, 4]);
    this.rectangles(box).forEach(each => context.strokeRect(...each));
    context.setLineDash([]);
  }

  // The pixels of a rectangle, for each turn of the world in which it is visible.
  rectangles([x1, y1, x2, y2]) {
    if (y2 < this.frame[1] || y1 > this.frame[3]) return [];
    return this.turns(x1, x2).map(turn => {
      const [left, top] = this.pixels([x1 + turn, y1]), [right, bottom] = this.pixels([x2 + turn, y2]);
      const [l, t] = [Math.max(left, -8), Math.max(top, -8)];
      return [l, t, Math.min(right, this.width + 8) - l, Math.min(bottom, this.height + 8) - t];
    });
  }

  cells(each, low, high) {
    const { context } = this, colours = heatTable(this.colours.heat);
    context.globalAlpha = 0.9;
    for (const { box, value } of each) {
      for (const [x, y, width, height] of this.rectangles(box)) {
        context.fillStyle = colours[heatIndex(value, low, high)];
        const gap = Math.min(width, height) > 6 ? 0.5 : 0;
        context.fillRect(x + gap, y + gap, Math.max(1, width - 2 * gap), Math.max(1, height - 2 * gap));
      }
    }
    context.globalAlpha = 1;
  }

  points(each, low, high) {
    const { context } = this, colours = heatTable(this.colours.heat);
    context.lineWidth = 1.5;
    context.strokeStyle = this.colours.halo;
    for (const { at, value } of each) {
      for (const turn of this.turns(at[0], at[0])) {
        const [x, y] = this.pixels([at[0] + turn, at[1]]);
        if (y < -8 || y > this.height + 8) continue;
        context.fillStyle = value === null ? this.colours.shape : colours[heatIndex(value, low, high)];
        context.beginPath();
        context.arc(x, y, 5, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      }
    }
  }

  shapes(each) {
    const { context, colours } = this;
    context.strokeStyle = colours.shape;
    context.fillStyle = colours.shapeFill;
    context.lineWidth = 2;
    for (const { areas, lines } of each) {
      context.beginPath();
      areas.forEach(area => this.path(area));
      context.fill("evenodd");
      lines.forEach(line => this.path(line, false));
      context.stroke();
    }
  }

  // The ranges that are read, tinted: also what is outside of the view.
  tint(groups) {
    this.context.fillStyle = this.colours.extra;
    groups.flat().forEach(each => this.whole(each).forEach(box => this.context.fillRect(...box)));
  }

  // Ranges as outlines, each around all of its cells.
  outlines(groups) {
    const { context } = this, { width, height } = context.canvas;
    const layer = new OffscreenCanvas(width, height).getContext("2d");
    layer.setTransform(context.getTransform());
    layer.strokeStyle = this.colours.range;
    layer.lineWidth = 4;
    for (const group of groups) {
      const boxes = group.flatMap(each => this.whole(each));
      // Strokes around all rectangles, of which only those outside of the range remain.
      layer.globalCompositeOperation = "source-over";
      boxes.forEach(each => layer.strokeRect(...each));
      layer.globalCompositeOperation = "destination-out";
      boxes.forEach(each => layer.fillRect(...each));
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    // A halo, since outlines cross cells of any colour.
    context.shadowColor = this.colours.halo;
    context.shadowBlur = 3;
    context.drawImage(layer.canvas, 0, 0);
    context.restore();
  }

  // Rectangles in whole pixels, so that there are no seams between them.
  whole(box) {
    return this.rectangles(box).map(([x, y, width, height]) => {
      const [left, top] = [Math.round(x), Math.round(y)];
      return [left, top, Math.round(x + width) - left, Math.round(y + height) - top];
    });
  }

  cross([x, y], box) {
    const { context, colours } = this;
    if (box) {
      context.strokeStyle = colours.ink;
      context.lineWidth = 2;
      this.rectangles(box).forEach(each => context.strokeRect(...each));
    }
    if (x === null) return;
    for (const [colour, size] of [[colours.halo, 5], [colours.ink, 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = size;
      context.beginPath();
      context.moveTo(x - 9, y);
      context.lineTo(x + 9, y);
      context.moveTo(x, y - 9);
      context.lineTo(x, y + 9);
      context.stroke();
    }
  }
}
