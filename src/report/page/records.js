// The records of the page, and what is read from them.

const data = document.getElementById("data").textContent.split("\n").filter(Boolean)
  .map((line, index) => row(JSON.parse(line), index));

/** A number of a record: "NaN" and "Infinity" are written as strings. */
function number(value) {
  return value === undefined || value === null ? undefined : Number(value);
}

/** Largest value of a field over the tensors; NaN where one is. */
function largest(record, field) {
  let worst;
  for (const tensor of Object.values(record.accuracy ?? {})) {
    const value = number(tensor[field]);
    if (Number.isNaN(value)) return value;
    if (value !== undefined && !(value <= worst)) worst = value;
  }
  return worst;
}

function smallest(record, field) {
  const values = Object.values(record.accuracy ?? {}).map((tensor) => number(tensor[field]));
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** What a probe says over its tensors: "differs" before "same" before "not_run". */
function verdict(tensors) {
  const words = Object.values(tensors).map((tensor) => tensor.verdict);
  return ["differs", "same", "not_run"].find((word) => words.includes(word)) ?? "not_run";
}

function probes(record) {
  const words = { same: [], differs: [] };
  for (const [name, tensors] of Object.entries(record.determinism?.probes ?? {})) {
    words[verdict(tensors)]?.push(name);
  }
  return ["differs", "same"].filter((word) => words[word].length > 0)
    .map((word) => `${word}: ${words[word].join(", ")}`).join("; ");
}

/** A record with the values that the table sorts and filters by. */
function row(record, index) {
  const observed = record.determinism?.observed;
  const claimed = record.determinism?.claimed;
  return {
    record, index,
    status: record.status, op: record.op, algorithm: record.algorithm, device: record.device,
    variant: record.variant, problem: record.problem, label: record.label ?? "", recipe: record.recipe,
    types: record.variant.split("/").slice(2).join("/"),
    abs: largest(record, "max_abs"), ulp: largest(record, "max_ulp"),
    used: largest(record, "bound_utilisation"), seen: smallest(record, "detectability"),
    claimed: claimed === undefined ? "" : claimed ? "deterministic" : "may differ",
    observed: observed === undefined ? "" : observed ? "same" : "differs",
    probes: probes(record),
    time: number(record.timing?.median_ns), emulated: record.throughput?.emulated === true,
    flops: number(record.throughput?.flops), bytes: number(record.throughput?.bytes),
    gflops: number(record.throughput?.gflops), gbytes: number(record.throughput?.gbytes_s),
    workspace: number(record.workspace_bytes),
  };
}

/** All that the search looks at, made when it is first wanted. */
function searchable(item) {
  item.text ??= [item.status, item.variant, item.problem, item.label, item.recipe, item.record.reason,
    item.record.case_id, item.record.config, item.device, item.probes].join("\n").toLowerCase();
  return item.text;
}

const short = (value) => {
  if (value === undefined) return "";
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
};

function duration(ns) {
  if (ns === undefined) return "";
  const [unit, name] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "us"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return `${Number((ns / unit).toPrecision(3))} ${name}`;
}

/** An element with attributes and children; text is always text. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick" || key === "oninput" || key === "onchange") node[key] = value;
    else if (value !== false && value !== undefined) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

const literal = (text) => element("bdi", {}, String(text));
