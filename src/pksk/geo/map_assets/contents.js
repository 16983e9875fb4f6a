// What the map shows: cells by level, points and shapes, from the data in the page or from answers of a server.
class Contents {
  constructor(data) {
    this.data = data;
    this.levels = new Map();
    this.known = Object.keys(data.levels).map(Number).sort((a, b) => a - b);
    this.isNested = this.known.length === 1 && !data.live;
    this.choices = data.live ? data.live.levels : this.isNested
      ? Array.from({ length: this.known[0] }, (_, i) => i + 1) : this.known;
    this.points = data.points.map(([lat, lng, label, value]) => ({ at: project(lat, lng), label, value }));
    this.shapes = data.shapes.map(({ name, areas, lines }) => ({
      name,
      areas: areas.map(each => withBox(each.map(([lng, lat]) => project(lat, lng)))),
      lines: lines.map(each => withBox(each.map(([lng, lat]) => project(lat, lng)))),
    }));
    const values = this.points.map(each => each.value).filter(each => each !== null);
    this.pointValues = extremes(values);
    if (data.keys) cells.setSuffix(data.keys.suffix);
  }

  // The cells of a level, each with its rectangle; smaller stored ones are added up, or averaged.
  level(level) {
    if (!this.levels.has(level)) this.levels.set(level, this.indexed(this.stored(level)));
    return this.levels.get(level);
  }

  stored(level) {
    const own = this.data.levels[level];
    if (own) return own.map(([name, total, items]) => ({ name, total, items }));
    if (!this.isNested) return [];
    const larger = new Map();
    for (const [name, total, items] of this.data.levels[this.known[0]]) {
      const cell = name.slice(0, level), sum = larger.get(cell) ?? { name: cell, total: 0, items: 0 };
      sum.total += total;
      sum.items += items;
      larger.set(cell, sum);
    }
    return [...larger.values()];
  }

  indexed(found) {
    const each = found.map(({ name, total, items }) => ({
      name, items, box: projectBox(cells.bounds(name)), value: this.data.isAverage ? total / items : total,
    }));
    each.sort((a, b) => a.value - b.value);
    return { each, byName: new Map(each.map(cell => [cell.name, cell])), ...extremes(each.map(cell => cell.value)) };
  }

  // The answer of a server replaces what was known of its level.
  answer({ level, cells: found }) {
    this.data.levels = { [level]: found };
    this.levels.clear();
  }

  // The level of cells in the keys, if the ranges of a view are known for the level that is drawn.
  keyLevel(drawn) {
    const { keys } = this.data;
    return keys ? (this.isNested ? this.data.storedLevel : drawn) - keys.beyond : null;
  }

  statistics(drawn) {
    return this.data.statistics[this.isNested ? this.data.storedLevel : drawn] ?? null;
  }

  // The plan for a view; null if it takes too many queries.
  plan(box, drawn, statistics) {
    const level = this.keyLevel(drawn);
    return this.isNested ? cells.planBox(box, level, statistics) : cells.planCells(box, level, statistics);
  }
}

const extremes = values => ({
  low: values.reduce((a, b) => Math.min(a, b), Infinity), high: values.reduce((a, b) => Math.max(a, b), -Infinity),
});

// Whether a position is in the areas of a shape.
const isInside = ([x, y], areas) => areas.reduce((inside, { ring }) => ring.reduce((odd, [bx, by], i) => {
  const [ax, ay] = ring[(i || ring.length) - 1];
  return ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax ? !odd : odd;
}, inside), false);
