// The ranges of a view and what it costs to read them, as pksk.cells computes them; a test compares the two.
// Numbers of cells are BigInts: those of level 12 have 60 bits. A range is [first, one after the last].
const cells = (() => {
  const ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz";
  const BITS = 5;
  // The number of characters of a cell in the sort key.
  let suffix = 3;
  const UNIT_BYTES = 4096;
  const PAGE_BYTES = 1024 * 1024;
  const BATCH_GET_ITEMS = 100;
  const TILE_PIXELS = 256;
  const RANGES_A_QUERY = 8;
  // At least so many times as many ranges has a cover of the next smaller cells, if it has many.
  const MORE_RANGES = 4;
  const ASSUMED_ITEM_BYTES = 256;
  const LEAST_BYTES_PER_CELL = 1e-9;
  const size32 = characters => 1n << BigInt(BITS * characters);
  const length = ([start, stop]) => Number(stop - start);
  const sum = numbers => numbers.reduce((total, each) => total + each, 0);

  // The number of columns and of rows at a level, as powers of two.
  const grid = level => [(BITS * level + 1) >> 1, (BITS * level) >> 1];

  function gridIndex(degrees, edge, bits) {
    const count = 2 ** bits;
    const found = Math.min(Math.trunc(((degrees + edge) * count) / (2 * edge)), count - 1);
    return degrees < (found * (2 * edge)) / count - edge ? found - 1 : found;
  }

  function name(number, level) {
    let text = "";
    for (let left = number, i = 0; i < level; i++, left >>= 5n) text = ALPHABET[Number(left & 31n)] + text;
    return text;
  }

  function number(cell) {
    let found = 0n;
    for (const character of cell) found = (found << 5n) | BigInt(ALPHABET.indexOf(character));
    return found;
  }

  // The column and row of a number of so many bits.
  function position(value, bits) {
    let column = 0, row = 0;
    for (let i = bits - 1; i >= 0; i--) {
      const bit = Number((value >> BigInt(i)) & 1n);
      if ((bits - i) % 2) column = column * 2 + bit;
      else row = row * 2 + bit;
    }
    return [column, row];
  }

  function at(lat, lng, level) {
    const [columnBits, rowBits] = grid(level);
    const column = gridIndex(lng, 180, columnBits), row = gridIndex(lat, 90, rowBits);
    let found = 0n;
    for (let i = 0, left = columnBits, low = rowBits; i < BITS * level; i++) {
      const bit = i % 2 ? Math.floor(row / 2 ** --low) % 2 : Math.floor(column / 2 ** --left) % 2;
      found = (found << 1n) | BigInt(bit);
    }
    return name(found, level);
  }

  // South, west, north and east of a cell.
  function bounds(cell) {
    const [columnBits, rowBits] = grid(cell.length);
    const [column, row] = position(number(cell), BITS * cell.length);
    const width = 360 / 2 ** columnBits, height = 180 / 2 ** rowBits;
    return [row * height - 90, column * width - 180, (row + 1) * height - 90, (column + 1) * width - 180];
  }

  // The rectangles of cells that a range consists of, in degrees: south, west, north, east.
  function rectangles([start, stop], level) {
    const bits = BITS * level, [columnBits, rowBits] = grid(level);
    const width = 360 / 2 ** columnBits, height = 180 / 2 ** rowBits, found = [];
    while (start < stop) {
      let low = 0;
      while (low < bits && !((start >> BigInt(low)) & 1n) && start + (1n << BigInt(low + 1)) <= stop) low++;
      const across = bits % 2 ? (low + 1) >> 1 : low >> 1;
      const [column, row] = position(start, bits);
      const south = row * height - 90, west = column * width - 180;
      found.push([south, west, south + height * 2 ** (low - across), west + width * 2 ** across]);
      start += 1n << BigInt(low);
    }
    return found;
  }

  // A box that crosses the 180th meridian has its west greater than its east.
  const parts = ([south, west, north, east]) =>
    west <= east ? [[south, west, north, east]] : [[south, west, north, 180], [south, -180, north, east]];

  function boxRanges([south, west, north, east], level, most) {
    const [columnBits, rowBits] = grid(level);
    const left = gridIndex(west, 180, columnBits), right = gridIndex(east, 180, columnBits) + 1;
    const bottom = gridIndex(south, 90, rowBits), top = gridIndex(north, 90, rowBits) + 1;
    const found = [], waiting = [[0n, 0, 0, columnBits, rowBits, true]];
    while (waiting.length) {
      const [first, column, row, columns, rows, across] = waiting.pop();
      const end = column + 2 ** columns, upper = row + 2 ** rows;
      if (end <= left || column >= right || upper <= bottom || row >= top) continue;
      if (left <= column && end <= right && bottom <= row && upper <= top) {
        const stop = first + (1n << BigInt(columns + rows));
        if (found.length && found[found.length - 1][1] === first) found[found.length - 1][1] = stop;
        else if (found.length === most) return null;
        else found.push([first, stop]);
      } else if (across) {
        const half = 1n << BigInt(columns - 1 + rows);
        waiting.push([first + half, column + 2 ** (columns - 1), row, columns - 1, rows, false]);
        waiting.push([first, column, row, columns - 1, rows, false]);
      } else {
        const half = 1n << BigInt(columns + rows - 1);
        waiting.push([first + half, column, row + 2 ** (rows - 1), columns, rows - 1, true]);
        waiting.push([first, column, row, columns, rows - 1, true]);
      }
    }
    return found;
  }

  // The exact ranges of the cells of a level that a box touches; null if there are more than `most`.
  function cover(box, level, most = 10000) {
    const found = parts(box).map(each => boxRanges(each, level, most));
    if (found.includes(null)) return null;
    const ranges = found.flat().sort((a, b) => (a[0] < b[0] ? -1 : 1));
    return { level, ranges: joined(ranges) };
  }

  function joined(ranges) {
    const found = [];
    for (const [start, stop] of ranges) {
      const last = found[found.length - 1];
      if (last && start <= last[1]) last[1] = stop > last[1] ? stop : last[1];
      else found.push([start, stop]);
    }
    return found;
  }

  // Each partition with the ranges in it, cut at its borders; a cover of the whole Earth at level 12 has too many.
  function byPartition({ ranges }, most = Infinity) {
    const bits = BigInt(BITS * suffix), found = [];
    for (let [start, stop] of ranges) {
      while (start < stop) {
        const partition = start >> bits, border = (partition + 1n) << bits;
        const piece = [start, stop < border ? stop : border];
        const last = found[found.length - 1];
        if (last && last.partition === partition) last.ranges.push(piece);
        else if (found.length === most) return null;
        else found.push({ partition, ranges: [piece] });
        start = piece[1];
      }
    }
    return found;
  }

  // How many cells of a level a box touches that does not cross the 180th meridian, without listing them.
  function countIn([south, west, north, east], level) {
    const [columnBits, rowBits] = grid(level);
    const columns = gridIndex(east, 180, columnBits) - gridIndex(west, 180, columnBits) + 1;
    return columns * (gridIndex(north, 90, rowBits) - gridIndex(south, 90, rowBits) + 1);
  }

  const count = ({ ranges }) => sum(ranges.map(length));

  const units = (bytes, step = 0.5) => step * (Math.ceil(bytes / UNIT_BYTES) || 1);
  const requests = bytes => Math.ceil(bytes / PAGE_BYTES) || 1;
  const total = (sizes, requestUnits) => sum(sizes.map(each => units(each) + requestUnits * requests(each)));

  const worthwhileGap = (bytesPerCell, requestUnits, rounding = 0.5) =>
    ((rounding + requestUnits / 0.5) * UNIT_BYTES) / Math.max(bytesPerCell, LEAST_BYTES_PER_CELL);

  function joinedNear(ranges, gap) {
    const found = [[...ranges[0]]];
    for (const [start, stop] of ranges) {
      const last = found[found.length - 1];
      if (Number(start - last[1]) > gap) found.push([start, stop]);
      else last[1] = stop;
    }
    return found;
  }

  const touchedBlocks = (ranges, size) =>
    joinedNear(ranges.map(([start, stop]) => [(start / size) * size, ((stop + size - 1n) / size) * size]), 0);

  function cheapest(ranges, bytesPerCell, requestUnits) {
    const one = [[ranges[0][0], ranges[ranges.length - 1][1]]];
    if (ranges.length === 1 || length(one[0]) * bytesPerCell <= UNIT_BYTES) return one;
    const gaps = [0.5, 0, 1].map(rounding => worthwhileGap(bytesPerCell, requestUnits, rounding));
    const candidates = gaps.map(gap => joinedNear(ranges, gap));
    // Cells before the first one and after the last one are never worth reading.
    const [[first, stop]] = one;
    const blocks = touchedBlocks(ranges, size32(suffix - 1)).map(([a, b]) => [a > first ? a : first, b < stop ? b : stop]);
    candidates.push(one, ranges, blocks);
    let best = one, least = Infinity;
    for (const candidate of candidates) {
      const cost = total(candidate.map(each => length(each) * bytesPerCell), requestUnits);
      if (cost < least) [best, least] = [candidate, cost];
    }
    return best;
  }

  // Statistics are {itemsPerCell, itemBytes, partitionItems}, with null for what is not known.
  function bytesPerCell(statistics, prefix) {
    const counted = statistics.partitionItems?.[prefix];
    const items = counted === undefined ? statistics.itemsPerCell : counted / 32 ** suffix;
    if (items === 0) return 0;
    return items === null || statistics.itemBytes === null ? null : items * statistics.itemBytes;
  }

  function query(found, range, size, limit = null) {
    const prefix = name(range[0] >> BigInt(BITS * suffix), found.level - suffix);
    const [first, last] = [range[0], range[1] - 1n].map(each => name(each, suffix));
    const count = length(range);
    return { prefix, first, last, limit, cells: count, bytes: size === null ? null : count * size, range };
  }

  function planQueries(found, statistics, requestUnits = 0.25) {
    const groups = byPartition(found).map(({ partition, ranges }) => {
      const size = bytesPerCell(statistics, name(partition, found.level - suffix));
      if (size !== null) return cheapest(ranges, size, requestUnits).map(each => query(found, each, size));
      const bytes = statistics.itemBytes || ASSUMED_ITEM_BYTES;
      // A single range is read in any case.
      const limit = ranges.length > 1 ? Math.max(1, Math.trunc(worthwhileGap(bytes, requestUnits))) : null;
      return [query(found, [ranges[0][0], ranges[ranges.length - 1][1]], null, limit)];
    });
    return { cover: found, statistics, queries: groups.flat() };
  }

  const cost = (way, queries) => ({
    name: way,
    requests: sum(queries.map(each => requests(each.bytes))),
    units: sum(queries.map(each => units(each.bytes))),
    cells: sum(queries.map(each => each.cells)),
    queries,
  });

  // What each way to read a cover costs; empty if nothing is known.
  function ways(plan) {
    const found = plan.cover, groups = byPartition(found).map(({ partition, ranges }) => ({
      ranges, size: bytesPerCell(plan.statistics, name(partition, found.level - suffix)),
    }));
    if (groups.some(({ size }) => size === null)) return [];
    const way = (title, change) =>
      cost(title, groups.flatMap(({ ranges, size }) => change(ranges).map(each => query(found, each, size))));
    const items = Math.ceil(count(found) * Math.max(1, plan.statistics.itemsPerCell || 0));
    return [
      cost("this plan", plan.queries),
      way("exact ranges", ranges => ranges),
      way("one range a partition", ranges => [[ranges[0][0], ranges[ranges.length - 1][1]]]),
      way("whole blocks", ranges => touchedBlocks(ranges, size32(suffix - 1))),
      way("whole partitions", ranges => touchedBlocks(ranges, size32(suffix))),
      { name: "BatchGetItem", requests: Math.ceil(items / BATCH_GET_ITEMS),
        units: items * units(plan.statistics.itemBytes || 0), cells: items, queries: [] },
    ];
  }

  // The plan of a box; null if its cells are in too many ranges or partitions.
  function planCells(box, level, statistics, mostPartitions = 100) {
    const found = cover(box, level, RANGES_A_QUERY * mostPartitions);
    return found && byPartition(found, mostPartitions) ? planQueries(found, statistics) : null;
  }

  // Covers of a box from a level to larger cells, without those that have too many ranges.
  function* covers(box, level, most) {
    const wanted = cover(box, level, most), found = [];
    if (wanted) yield wanted;
    for (let each = 1; each <= level; each++) {
      const larger = cover(box, each, most);
      if (!larger) break;
      found.push(larger);
      if (larger.ranges.length * MORE_RANGES > most) break;
    }
    yield* found.reverse();
  }

  // The plan of a box whose items are stored at one level; null if even larger cells need too many queries.
  function planBox(box, level, statistics, mostQueries = 100) {
    for (const found of covers(box, level, RANGES_A_QUERY * mostQueries)) {
      const more = BigInt(BITS * (level - found.level));
      const stored = { level, ranges: found.ranges.map(each => each.map(end => end << more)) };
      if (!byPartition(stored, mostQueries)) continue;
      const plan = planQueries(stored, statistics);
      if (plan.queries.length <= mostQueries) return plan;
    }
    return null;
  }

  function levelOfZoom(zoom, pixels, levels) {
    const fitting = levels.filter(level => TILE_PIXELS * 2 ** zoom >= pixels * 2 ** grid(level)[0]);
    return fitting.length ? Math.max(...fitting) : Math.min(...levels);
  }

  return {
    at, bounds, byPartition, count, countIn, cover, levelOfZoom, name, number, parts, planBox, planCells, planQueries, rectangles, units,
    ways, setSuffix: characters => { suffix = characters; },
  };
})();
