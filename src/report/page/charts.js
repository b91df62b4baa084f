// Two charts as inline SVG: how much of its error bound each algorithm uses, and throughput by size.

const kMaxPoints = 4000; // drawn in a chart; beyond that an even sample

const kColours = 8; // classes c0 to c7 of the style
const shapes = [
  (x, y) => ["circle", { cx: x, cy: y, r: 4 }],
  (x, y) => ["rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7 }],
  (x, y) => ["path", { d: `M${x} ${y - 4.5}l4.5 8h-9z` }],
  (x, y) => ["path", { d: `M${x} ${y - 5}l5 5l-5 5l-5 -5z` }],
];

function svgNode(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function mark(kind, shape, x, y, title) {
  const [name, attributes] = shapes[shape % shapes.length](x, y);
  return svgNode(name, { ...attributes, class: kind }, svgNode("title", {}, title));
}

/** The mark of the n-th series: no two of the first 32 share colour and shape. */
const seriesMark = (n, x, y, title) => mark(`c${n % kColours}`, n + Math.floor(n / kColours), x, y, title);

const sample = (items) => items.length <= kMaxPoints ? items
  : items.filter((_, i) => Math.floor(i * kMaxPoints / items.length) !== Math.floor((i - 1) * kMaxPoints / items.length));

function tickText(value) {
  return value >= 0.01 && value < 1e5 ? String(Number(value.toPrecision(2))) : value.toExponential(0).replace("+", "");
}

/** Logarithmic scale that holds all values, with ticks at 1, 2 and 5 where a decade has more than `room` pixels. */
function logScale(values, from, to, room = 170) {
  let low = Math.log10(Math.min(...values)), high = Math.log10(Math.max(...values));
  const margin = Math.max(0.08, (high - low) * 0.05);
  low -= margin;
  high += margin;
  const at = (value) => from + (Math.log10(value) - low) / (high - low) * (to - from);
  const perDecade = Math.abs(to - from) / (high - low), steps = perDecade > room ? [1, 2, 5] : [1];
  const apart = Math.max(1, Math.ceil(48 / perDecade)), ticks = [];
  for (let exponent = Math.floor(low); exponent <= high; exponent += 1) {
    if (exponent % apart !== 0) continue;
    ticks.push(...steps.map((step) => step * 10 ** exponent).filter((value) => Math.log10(value) >= low && Math.log10(value) <= high));
  }
  return { at, ticks };
}

function caption(figure, title, hint, ...extra) {
  figure.querySelector("figcaption").replaceChildren(title, ...extra, element("span", { class: "hint" }, hint));
}

function replaceDrawing(figure, ...nodes) {
  for (const old of figure.querySelectorAll("svg, .legend, .none")) old.remove();
  figure.append(...nodes);
}

/** No error stands at the left end of the logarithmic axis, what is not finite at its right. */
function drawErrors(figure) {
  const items = data.filter((item) => item.used !== undefined);
  if (items.length === 0) return false;
  const width = figure.clientWidth || 600, narrow = width < 520;
  const groups = new Map();
  for (const item of items) {
    const name = `${item.op} / ${item.algorithm}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  const left = narrow ? 8 : 220, right = width - 14, lineHeight = narrow ? 38 : 24, top = 8;
  const bottom = top + groups.size * lineHeight;
  const positive = items.map((item) => item.used).filter((used) => used > 0 && Number.isFinite(used));
  const scale = logScale([...positive.map((used) => Math.min(Math.max(used, 1e-6), 1e6)), 0.1, 1], left, right);
  const place = (used) => used > 0 && Number.isFinite(used) ? Math.min(right, Math.max(left, scale.at(used))) : used === 0 ? left : right;
  const svg = svgNode("svg", { width, height: bottom + 22, role: "img", "aria-label": "Error as a share of its bound, by algorithm" });
  for (const tick of scale.ticks) {
    const x = scale.at(tick);
    svg.append(svgNode("line", { x1: x, x2: x, y1: top, y2: bottom, class: "grid" }),
      svgNode("text", { x, y: bottom + 16, "text-anchor": x > right - 12 ? "end" : x < left + 12 ? "start" : "middle", class: "axis" }, tickText(tick)));
  }
  svg.append(svgNode("line", { x1: scale.at(1), x2: scale.at(1), y1: top, y2: bottom, class: "bound" }));
  let y = top;
  for (const [name, members] of groups) {
    const middle = y + (narrow ? 28 : lineHeight / 2);
    const label = name.length > 34 ? `${name.slice(0, 33)}\u2026` : name;
    svg.append(svgNode("text", narrow ? { x: left, y: y + 14 } : { x: left - 10, y: middle + 4, "text-anchor": "end" }, label));
    for (const item of sample(members)) {
      const bad = !(item.used <= 1);
      svg.append(mark(bad ? "beyond" : "within", 0, place(item.used), middle, `${item.variant}: ${item.problem}, ${item.recipe}: ${short(item.used)} of the bound`));
    }
    y += lineHeight;
  }
  replaceDrawing(figure, svg);
  caption(figure, "Error as a share of its bound", "One mark a record; the dashed line is the bound, no error stands at the left edge.");
  return true;
}

const speedState = { op: undefined };

function drawSpeed(figure) {
  const timed = data.filter((item) => item.time > 0 && item.flops > 0 && item.gflops > 0);
  if (timed.length === 0) return false;
  const ops = [...new Set(timed.map((item) => item.op))];
  speedState.op ??= ops[0];
  const items = timed.filter((item) => item.op === speedState.op);
  const names = [...new Set(items.map((item) => item.algorithm))];
  const width = figure.clientWidth || 600, height = Math.min(380, Math.max(260, width * 0.6));
  const left = 52, right = width - 16, top = 12, bottom = height - 40;
  const across = logScale(items.map((item) => item.flops), left, right);
  const up = logScale(items.map((item) => item.gflops), bottom, top, 90);
  const svg = svgNode("svg", { width, height, role: "img", "aria-label": `Throughput of ${speedState.op} by size` });
  for (const tick of across.ticks) {
    const x = across.at(tick);
    svg.append(svgNode("line", { x1: x, x2: x, y1: top, y2: bottom, class: "grid" }),
      svgNode("text", { x, y: bottom + 16, "text-anchor": "middle", class: "axis" }, tickText(tick)));
  }
  for (const tick of up.ticks) {
    const y = up.at(tick);
    svg.append(svgNode("line", { x1: left, x2: right, y1: y, y2: y, class: "grid" }),
      svgNode("text", { x: left - 6, y: y + 4, "text-anchor": "end", class: "axis" }, tickText(tick)));
  }
  svg.append(svgNode("text", { x: right, y: height - 6, "text-anchor": "end", class: "axis" }, "FLOP of the problem"));
  for (const item of sample(items)) {
    svg.append(seriesMark(names.indexOf(item.algorithm), across.at(item.flops), up.at(item.gflops),
      `${item.variant}: ${item.problem}, ${item.recipe}: ${short(item.gflops)} GFLOP/s`));
  }
  const legend = element("div", { class: "legend" }, ...names.map((name, i) => {
    const key = svgNode("svg", { width: 12, height: 12, "aria-hidden": "true" });
    key.append(seriesMark(i, 6, 6, name));
    return element("span", {}, key, literal(name));
  }));
  replaceDrawing(figure, svg, legend);
  const list = element("select", { "aria-label": "op", onchange: () => { speedState.op = list.value; drawSpeed(figure); } },
    ...ops.map((op) => element("option", { value: op, selected: op === speedState.op }, op)));
  const keep = figure.contains(document.activeElement);
  caption(figure, "Throughput by size", (items.some((item) => item.emulated) ? "Emulated times: they say nothing about a GPU. " : "") + "GFLOP/s over FLOP, one mark a record.", list);
  if (keep) list.focus();
  return true;
}

function buildCharts() {
  const section = document.getElementById("charts");
  const errors = document.getElementById("error-chart"), speed = document.getElementById("speed-chart");
  section.hidden = false;
  const draws = [[errors, drawErrors], [speed, drawSpeed]].filter(([figure, draw]) => draw(figure) || figure.remove());
  section.hidden = draws.length === 0;
  let width = section.clientWidth;
  new ResizeObserver(() => {
    if (section.clientWidth === width) return;
    width = section.clientWidth;
    for (const [figure, draw] of draws) draw(figure);
  }).observe(section);
}
