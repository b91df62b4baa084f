// The table of records: filters, search, sorting, pages, details of a record.

const counterNames = [...new Set(data.flatMap((item) => Object.keys(item.record.counters ?? {})))];

// key: what is sorted by; text: the cell, "" leaves it empty.
const columns = [
  { key: "index", title: "#", numeric: true, kind: "id first", text: (item) => String(item.index + 1) },
  { key: "status", title: "status", node: (item) => element("span", { class: "badge", "data-status": item.status }, item.status) },
  { key: "op", title: "op", kind: "id" }, { key: "algorithm", title: "algorithm", kind: "id" },
  { key: "types", title: "types, layout", kind: "id" },
  { key: "problem", title: "problem", kind: "wide", node: (item) => problemCell(item) },
  { key: "recipe", title: "recipe", kind: "id" },
  { key: "abs", title: "max abs", numeric: true }, { key: "ulp", title: "max ulp", numeric: true },
  { key: "used", title: "error / bound", numeric: true }, { key: "seen", title: "detectability", numeric: true },
  { key: "claimed", title: "claimed", kind: "id" }, { key: "observed", title: "observed" },
  { key: "probes", title: "probes", kind: "id" },
  { key: "time", title: "time", numeric: true, text: (item) => (item.emulated && item.time !== undefined ? "~" : "") + duration(item.time) },
  { key: "gflops", title: "GFLOP/s", numeric: true }, { key: "gbytes", title: "GB/s", numeric: true },
  { key: "workspace", title: "workspace", numeric: true },
  { key: "device", title: "device", kind: "id" },
  ...counterNames.map((name) => ({ key: `counter ${name}`, title: name, numeric: true,
    value: (item) => number(item.record.counters?.[name]), text: (item) => String(item.record.counters?.[name] ?? "") })),
].filter((column) => column.key === "index" || data.some((item) => (valueOf(column, item) ?? "") !== ""));

const state = { search: "", status: "", op: "", algorithm: "", device: "", sort: "index", down: false, page: 0, size: matchMedia("(max-width: 640px)").matches ? 20 : 50 };
let shown = data;
const open = new Set();

function valueOf(column, item) {
  return column.value ? column.value(item) : item[column.key];
}

function problemCell(item) {
  const cell = element("span", {}, literal(item.problem));
  if (item.label !== "") cell.append(" ", element("span", { class: "label", title: item.label.slice(0, 500) }, literal(item.label)));
  if (item.record.reason) cell.append(element("br"), element("small", {}, literal(item.record.reason.slice(0, 400))));
  return cell;
}

/** Missing values last, NaN before them: both are what one looks for at the end. */
function compare(a, b) {
  const rank = (value) => (value === undefined || value === "" ? 2 : Number.isNaN(value) ? 1 : 0);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (rank(a) > 0) return 0;
  const order = typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0;
  return Number.isNaN(order) ? 0 : state.down ? -order : order;
}

function select() {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  shown = data.filter((item) => ["status", "op", "algorithm", "device"].every((key) => state[key] === "" || item[key] === state[key])
    && (words.length === 0 || words.every((word) => searchable(item).includes(word))));
  const column = columns.find((each) => each.key === state.sort);
  shown.sort((a, b) => compare(valueOf(column, a), valueOf(column, b)) || a.index - b.index);
}

function details(item) {
  const list = element("dl");
  const add = (name, ...values) => list.append(element("dt", {}, literal(name)), element("dd", {}, ...values.map(literal)));
  const record = item.record;
  add("variant", record.variant);
  if (item.label) add("label", item.label);
  if (record.reason) add("reason", record.reason);
  add("case id", record.case_id);
  if (record.config) add("config", record.config);
  add("seed", record.seed);
  for (const [name, tensor] of Object.entries(record.accuracy ?? {})) {
    add(`accuracy of ${name}`, `${tensor.mismatches} of ${tensor.compared} outside; max abs ${short(number(tensor.max_abs))}, rel ${short(number(tensor.max_rel))}, `
      + `ulp ${short(number(tensor.max_ulp))}, rms ${short(number(tensor.rms))}, bias ${short(number(tensor.bias))}; ${tensor.bound ?? ""}`);
    for (const worst of tensor.worst ?? []) {
      add(`${name}[${worst.index.join(",")}]`, `got ${worst.got}, want ${worst.want}, bound ${worst.bound}`);
    }
  }
  if (record.claims?.nondeterministic_reason) add("may differ by", record.claims.nondeterministic_reason);
  for (const [probe, tensors] of Object.entries(record.determinism?.probes ?? {})) {
    add(`probe ${probe}`, Object.entries(tensors).map(([name, seen]) => `${name} ` + (seen.verdict === "same" ? `same in ${seen.runs} runs`
      : seen.verdict === "differs" ? `differs in ${seen.count} elements, first at [${seen.first_index}], up to ${short(number(seen.max_ulp))} ulp`
        : `not run: ${seen.reason}`)).join("; "));
  }
  for (const [name, digest] of Object.entries(record.determinism?.digests ?? {})) add(`sha256 of ${name}`, digest);
  if (record.timing) add("timing", `${record.timing.method}, ${record.timing.cache}: median ${duration(item.time)}, 95 % [${(record.timing.ci95_ns ?? []).map((ns) => duration(number(ns))).join(", ")}], ${record.timing.samples} samples, ${record.timing.stopped}`);
  for (const [name, count] of Object.entries(record.counters ?? {})) add(`counter ${name}`, count);
  return element("div", {}, list, reproNode(record.repro));
}

function reproNode(command) {
  return element("div", { class: "repro" }, element("code", {}, command),
    element("button", { type: "button", class: "copy" }, "Copy"));
}

function cell(column, item) {
  const content = column.node ? column.node(item)
    : column.text ? column.text(item)
      : column.numeric ? short(valueOf(column, item)) : literal(item[column.key] ?? "");
  const empty = (valueOf(column, item) ?? "") === "";
  const kind = [column.numeric && "num", column.kind, empty && "empty"].filter(Boolean).join(" ");
  const node = element("td", { class: kind || undefined, "data-name": column.title }, empty ? "" : content);
  if (column.key === "index") {
    const is = open.has(item.index);
    node.prepend(element("button", { type: "button", class: "more", "aria-expanded": String(is),
      "aria-label": `Details of record ${item.index + 1}`, "data-index": item.index }, is ? "\u2212" : "+"), " ");
  }
  return node;
}

function rowsOf(items) {
  return items.flatMap((item) => {
    const line = element("tr", { "data-record": item.index }, ...columns.map((column) => cell(column, item)));
    if (!open.has(item.index)) return [line];
    return [line, element("tr", { class: "details" }, element("td", { colspan: columns.length }, details(item)))];
  });
}

const body = element("tbody");
const position = element("output", { "aria-live": "polite" });
const previous = element("button", { type: "button", onclick: () => turn(-1) }, "Previous");
const next = element("button", { type: "button", onclick: () => turn(1) }, "Next");
const heads = columns.map((column) => element("th", { scope: "col", class: column.numeric ? "num" : undefined, "data-title": column.title },
  element("button", { type: "button", onclick: () => sortBy(column) }, column.title)));

function turn(by) {
  state.page += by;
  draw();
}

function sortBy(column) {
  state.down = state.sort === column.key ? !state.down : column.numeric === true && column.key !== "index";
  state.sort = column.key;
  refresh();
}

function refresh() {
  state.page = 0;
  select();
  draw();
}

function draw() {
  const pages = Math.max(1, Math.ceil(shown.length / state.size));
  state.page = Math.min(Math.max(state.page, 0), pages - 1);
  const first = state.page * state.size;
  const items = shown.slice(first, first + state.size);
  body.replaceChildren(...(items.length > 0 ? rowsOf(items)
    : [element("tr", {}, element("td", { colspan: columns.length, class: "none" }, "No record matches."))]));
  position.textContent = `${items.length === 0 ? 0 : first + 1} to ${first + items.length} of ${shown.length}`
    + (shown.length < data.length ? ` (of ${data.length} in all)` : "");
  previous.disabled = state.page === 0;
  next.disabled = state.page === pages - 1;
  heads.forEach((head, i) => {
    if (columns[i].key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  sortSelect.value = state.sort;
}

function choice(key) {
  const values = [...new Set(data.map((item) => item[key]))].sort();
  if (values.length < 2) return undefined;
  const list = element("select", { id: `filter-${key}`, onchange: () => { state[key] = list.value; refresh(); } },
    element("option", { value: "" }, "all"), ...values.map((value) => element("option", { value }, value)));
  return element("label", {}, key, list);
}

const sortSelect = element("select", { onchange: () => { state.sort = sortSelect.value; refresh(); } },
  ...columns.map((column) => element("option", { value: column.key }, column.title)));
const search = element("input", { type: "search", id: "search", placeholder: "words of variant, problem, label, reason",
  oninput: () => { state.search = search.value; refresh(); } });
const sizes = element("select", { onchange: () => { state.size = Number(sizes.value); refresh(); } },
  ...[20, 50, 200, 1000].map((size) => element("option", { value: size, selected: size === state.size }, String(size))));

body.addEventListener("click", (event) => {
  const button = event.target.closest(".more");
  if (!button) return;
  const index = Number(button.dataset.index);
  if (!open.delete(index)) open.add(index);
  draw();
  body.querySelector(`.more[data-index="${index}"]`)?.focus();
});

function buildTable() {
  document.getElementById("table").append(
    element("div", { class: "filters", role: "search" }, element("label", { class: "search" }, "search", search),
      choice("status"), choice("op"), choice("algorithm"), choice("device"),
      element("label", { class: "sort-by" }, "sort by", sortSelect),
      element("label", {}, "rows a page", sizes)),
    element("div", { class: "scroll cards", role: "region", tabindex: "0", "aria-label": "Records" },
      element("table", { class: "grid" }, element("thead", {}, element("tr", {}, ...heads)), body)),
    element("div", { class: "pager" }, previous, next, position));
  refresh();
}
