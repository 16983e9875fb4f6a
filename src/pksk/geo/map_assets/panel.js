// The texts around the map. Names and values become text nodes, so whatever is in them is only shown.
const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
};
const byId = id => document.getElementById(id);
const number = value => value.toLocaleString("en", { maximumFractionDigits: 2 });
const plural = (count, thing) => `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
const MOST_LISTED = 40;

// The description of a view, which a screen reader announces once the map has come to rest.
function describeView(view) {
  const [lat, lng] = view.centre, { level, inView, wanted } = view;
  const place = `${Math.abs(lat).toFixed(3)}° ${lat < 0 ? "south" : "north"}, ` +
    `${Math.abs(lng).toFixed(3)}° ${lng < 0 ? "west" : "east"}`;
  const parts = [`Zoom ${view.zoom.toFixed(1)} at ${place}.`];
  if (level) parts.push(`${number(inView)} of ${plural(wanted, "cell")} of level ${level} have items.`);
  if (view.pointsInView !== null) parts.push(`${plural(view.pointsInView, "point")} in view.`);
  if (view.focus) parts.push(`At the centre: ${view.focus}.`);
  byId("view").textContent = parts.join(" ");
}

function showStatistics(statistics) {
  const partitions = Object.keys(statistics.partitionItems ?? {}).length;
  const perCell = statistics.itemsPerCell === null ? "unknown" : number(statistics.itemsPerCell);
  const items = partitions ? `counted in ${plural(partitions, "partition")}` : `${perCell} per cell`;
  const bytes = statistics.itemBytes === null ? "unknown" : number(Math.round(statistics.itemBytes));
  byId("statistics").textContent = `Items ${items}, ${bytes} bytes each on average (${statistics.source}).`;
}

// The cost of each way; the one that is chosen is drawn on the map.
function showWays(ways, chosen, choose) {
  const rows = ways.map(way => {
    const name = way.queries.length
      ? element("label", {}, element("input", { type: "radio", name: "way", value: way.name }), ` ${way.name}`)
      : element("span", { class: "no-choice" }, way.name);
    const input = name.querySelector("input");
    if (input) {
      input.checked = way.name === chosen;
      input.addEventListener("change", () => choose(way.name));
    }
    const figures = [way.requests, way.units, way.cells].map(each => element("td", { class: "number" }, number(each)));
    return element("tr", way.name === chosen ? { class: "chosen" } : {}, element("th", { scope: "row" }, name), ...figures);
  });
  // Rows are replaced while one of their inputs may have the focus.
  const focused = document.activeElement?.name === "way" ? document.activeElement.value : null;
  byId("ways").replaceChildren(...rows);
  if (focused) byId("ways").querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
}

function keyTexts({ prefix, first, last }, keys) {
  const { partition: [before, after], sort: [start, end] } = keys;
  return [`${before}${prefix}${after}`, `${start}${first}`, `${start}${last}${end}`];
}

function showQueries(queries, keys) {
  const lines = queries.slice(0, MOST_LISTED).map(each => {
    const [partition, first, last] = keyTexts(each, keys);
    const condition = `${keys.names[0]} = "${partition}" and ${keys.names[1]} between "${first}" and "${last}"`;
    const limit = each.limit === null ? "" : `limit ${each.limit}`;
    const figures = each.bytes === null ? limit : plural(cells.units(each.bytes), "read unit");
    return element("li", {}, element("code", {}, condition), element("span", { class: "dim" }, ` ${figures}`));
  });
  if (queries.length > MOST_LISTED) lines.push(element("li", {}, `and ${number(queries.length - MOST_LISTED)} more`));
  byId("queries").replaceChildren(...lines);
  byId("queries-title").textContent = plural(queries.length, "query").replace("querys", "queries");
}

// The highest values in the view, as buttons that go there.
function showHighest(each, go) {
  const rows = each.map(({ name, label, value, box, at }) => {
    const button = element("button", { type: "button" }, label ?? name);
    button.addEventListener("click", () => go(at ?? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]));
    return element("li", {}, button, element("span", { class: "number" }, value === null ? "" : number(Number(value.toPrecision(4)))));
  });
  byId("highest").replaceChildren(...rows);
  byId("highest-title").hidden = !rows.length;
}

function showLegend(low, high, title) {
  const box = byId("legend"), stops = scheme().heat;
  box.hidden = !Number.isFinite(low);
  if (box.hidden) return;
  byId("heat").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  const middle = low + Math.expm1(Math.log1p(high - low) / 2);
  const ends = high > low ? [low, middle, high] : [low];
  byId("heat-values").replaceChildren(...ends.map(each => element("span", {}, number(Number(each.toPrecision(3))))));
  byId("heat-title").textContent = title;
}

// What is under the pointer, or under the cross at the centre for keyboards.
function showTip(lines, x, y, width) {
  const tip = byId("tip");
  tip.hidden = !lines;
  if (!lines) return;
  tip.replaceChildren(...lines.map((line, i) => element(i ? "div" : "strong", {}, line)));
  const left = x + 16 + tip.offsetWidth > width ? Math.max(4, x - 16 - tip.offsetWidth) : x + 16;
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(4, y - tip.offsetHeight - 8)}px`;
}
