// The page's second view: checks the visitor's device, and makes a report of it.
import init, { DeviceCheck } from "./clamp_web.js";
import { count, described, find, requestAdapter, turn } from "./common.js";

/** The page shows how far it is so many times a second, at most. */
const SHOWN = 4;

/** What can be done where there is no WebGPU, or only on a CPU. */
const REMEDY =
  "Recent Chrome, Edge, Firefox and Safari have WebGPU, on some systems behind a setting, and only on pages from " +
  "https or this machine; hardware acceleration has to be on. Outside a browser, “cargo run --release --example doctor” " +
  "checks the device's own drivers.";

/** The check that runs or has run. */
let check;
/** The latest report: the object and its text. */
let report;
let running = false;
let stopping = false;
/** The cells of the matrix, by pair, which stay while their numbers change. */
const cells = new Map();

function notice(text) {
  find("notice").textContent = text;
  find("notice").hidden = text === "";
}

/** The browser's name and version, from its description of itself. */
function browser() {
  for (const name of ["Firefox", "Edg", "Chrome", "Version"]) {
    const found = navigator.userAgent.match(new RegExp(`${name}/([\\d.]+)`));
    if (found) return `${{ Edg: "Edge", Version: "Safari" }[name] ?? name} ${found[1]}`;
  }
  return "a browser";
}

/** The name of the adapter and of the browser, and whether the adapter is a CPU. */
async function adapter() {
  const found = await requestAdapter();
  if (!found) {
    const reason = navigator.gpu ? "the browser offers no adapter" : "the browser has no WebGPU";
    throw new Error(reason);
  }
  const name = described(found) || "unnamed adapter";
  return { name: `${name}, ${browser()}`, isCpu: found.info.isFallbackAdapter || /swiftshader|llvmpipe|warp/i.test(name) };
}

/** Which buttons there are. The focus moves on from a button that goes. */
function buttons() {
  const { cases = 0, of = 0 } = report?.[0].self_test ?? {};
  const focused = find("run").contains(document.activeElement);
  find("quick").hidden = find("whole").hidden = running;
  find("stop").hidden = !running;
  find("on").hidden = running || !check || cases === of;
  find("copy").disabled = find("save").disabled = cases === 0;
  if (focused) find("run").querySelector("button:not([hidden])").focus();
}

/** Tells a screen reader, which would be flooded by the status. */
function announce(text) {
  if (find("announcement").textContent !== text) find("announcement").textContent = text;
}

/** Begins a new check. */
async function start(quick) {
  check?.free();
  check = report = undefined;
  cells.clear();
  notice("");
  for (const id of ["speed", "matrix", "others", "copied"]) find(id).replaceChildren();
  find("difference").hidden = find("report").hidden = true;
  Object.assign(find("verdict"), { textContent: "–", className: "" });
  find("bar").value = 0;
  find("clock").textContent = "Measured after the comparison.";
  [running, stopping] = [true, false];
  buttons();
  find("status").textContent = "opening the device";
  try {
    const { name, isCpu } = await adapter();
    const date = new Date().toISOString().slice(0, 10);
    check = await DeviceCheck.open(quick, name, isCpu, navigator.userAgent, date);
  } catch (error) {
    running = false;
    buttons();
    unavailable(error);
    return;
  }
  await run();
}

/** Runs the cases that are left, then the measurement, until the visitor stops it. */
async function run() {
  running = true;
  buttons();
  let ended;
  try {
    ended = (await cases()) ? await speed() : "stopped";
  } catch (error) {
    running = false;
    // Browsers tell that a device is lost some time after the error that follows from it, on a busy machine seconds.
    for (let waits = 0; waits < 10 && !ended?.includes("the device is lost"); waits += 1) {
      await turn(500);
      ended = latest(error.message).ended;
    }
    notice(
      `The check ended early: ${ended}. What it found so far stays in the report. If the device is lost, close other ` +
        "pages that use the GPU and start again; if it is lost again, the report is worth sending.",
    );
  }
  running = false;
  show(ended);
  buttons();
}

/** Runs the cases. Returns false if the visitor stopped them. */
async function cases() {
  const started = performance.now();
  let { cases: before, of } = latest().self_test;
  let [done, shown] = [before, 0];
  while (!stopping && (await check.next())) {
    done += 1;
    const now = performance.now();
    if (now - shown > 1000 / SHOWN) {
      shown = now;
      show();
      announce(`${Math.floor((done / of) * 10) * 10} % done, ${differing()}`);
      const left = ((now - started) / (done - before) / 1000) * (of - done);
      find("status").textContent = `${done} of ${of} cases, ${differing()}, about ${duration(left)} left`;
      await turn();
    }
  }
  return !stopping && done === of;
}

const duration = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} minutes`);

/** Measures the speed. Returns why it did not. */
async function speed() {
  show();
  find("status").textContent = "measuring the speed, some seconds";
  find("stop").hidden = true;
  await turn();
  try {
    await check.measure();
  } catch (error) {
    await turn(500);
    find("clock").textContent = `Not measured: ${error.message}`;
    return `the speed was not measured: ${error.message}`;
  }
}

/** Takes the report as it is now. */
function latest(ended) {
  const [json, text] = check.report(ended);
  report = [JSON.parse(json), text];
  return report[0];
}

function differing() {
  const { differing } = report[0].self_test;
  return differing === 0 ? "no element differs" : `${count(differing)} elements differ`;
}

/** Shows what the check has found so far. */
function show(ended) {
  const { adapter, self_test: found, speed, is_cpu: isCpu } = latest(ended);
  find("adapter").textContent = adapter;
  Object.assign(find("bar"), { value: found.cases, max: Math.max(found.of, 1) });
  const verdict = find("verdict");
  const all = found.cases === found.of ? "all" : "so far";
  verdict.textContent = found.differing === 0 ? `${count(found.elements)} elements, ${all} bits` : `no: ${differing()}`;
  verdict.className = found.differing === 0 ? "good" : "bad";
  if (!running) {
    const state = found.cases === found.of ? "done" : "stopped";
    find("status").textContent = `${state}: ${found.cases} of ${found.of} cases in ${duration(found.seconds)}, ${differing()}`;
    announce(find("status").textContent);
  }
  if (isCpu && find("notice").hidden) {
    notice(`This adapter is a CPU, so the check takes longer and its speed says nothing about a GPU. ${REMEDY}`);
  }
  matrix(found);
  if (speed) figures(speed);
  find("report").value = report[1];
  find("report").hidden = running;
}

/** An element with text, and cells for a row of a table. */
const element = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text, ...attributes });

function row(tag, texts) {
  const line = document.createElement("tr");
  const cell = (text, n) => (text === "" ? element("td", "") : element(n === 0 ? "th" : tag, text, { scope: tag === "th" ? "col" : "row" }));
  line.append(...texts.map(cell));
  return line;
}

function figures({ clock, copy, clamps, bytes }) {
  find("clock").textContent = `By ${clock}, ${Math.round(bytes / 2 ** 20)} MiB read and written; the median of seven.`;
  const lines = clamps.map(({ name, rate, ratio }) => row("td", [name, rate.toFixed(1), ratio.toFixed(2)]));
  find("speed").replaceChildren(
    row("th", ["kernel", "GB/s", "of a copy"]),
    row("td", ["copy kernel", copy.toFixed(1), "1.00"]),
    ...lines,
  );
}

/** Shows pairs of types: sources by destinations, and the types that do not convert in a line below. */
function matrix({ cells: found }) {
  if (!find("matrix").firstChild) grid();
  const pairs = new Map();
  for (const { pair, cases: ran, failed } of found) {
    const sum = pairs.get(pair) ?? { ran: 0, failed: 0 };
    pairs.set(pair, { ran: sum.ran + ran, failed: sum.failed + failed });
  }
  for (const [pair, sum] of pairs) fill(pair, sum);
}

function grid() {
  const place = (pair) => {
    const cell = document.createElement("td");
    cell.append(element("span", "·", { className: "none", title: `${pair}: not run`, ariaLabel: `${pair}: not run` }));
    cells.set(pair, cell);
    return cell;
  };
  const line = (head, places) => {
    const cells = row("td", [head]);
    cells.append(...places);
    return cells;
  };
  const types = DeviceCheck.convertible();
  find("matrix").append(row("th", ["from, to", ...types]));
  find("matrix").append(...types.map((source) => line(source, types.map((type) => place(`${source} to ${type}`)))));
  const others = DeviceCheck.others();
  find("others").append(row("th", ["to itself", ...others]), line("", others.map((type) => place(`${type} to ${type}`))));
}

/** Shows a pair's state. A button stays, so that it can be pressed while the check runs. */
function fill(pair, { failed }) {
  const place = cells.get(pair);
  let button = place.querySelector("button");
  if (!button) {
    button = element("button", "", { type: "button" });
    button.addEventListener("click", () => closer(pair));
    place.replaceChildren(button);
  }
  button.textContent = failed === 0 ? "✓" : "✗";
  button.className = failed === 0 ? "good" : "bad";
  button.title = button.ariaLabel = `${pair}: ${failed === 0 ? "right" : "differs"}`;
}

/** Shows a pair's kernels, and its first difference. */
function closer(pair) {
  const { cells: all, failures } = report[0].self_test;
  const kernels = all.filter((cell) => cell.pair === pair);
  const counts = kernels.map(({ kernel, cases, failed }) => `${failed === 0 ? "✓" : "✗"} ${kernel}: ${failed} of ${cases} cases differ`);
  const lines = [pair, ...counts];
  const first = Math.min(...kernels.map(({ first }) => first ?? Infinity));
  if (first < Infinity) {
    const text = failures.find((failure) => failure.case === first)?.text ?? "More cases differ than the report tells.";
    const again = `cargo run --release --example doctor -- --cases ${first}..${first + 1}`;
    lines.push("", `case ${first}`, text, "", `Outside the browser: ${again}`);
  }
  find("difference").textContent = lines.join("\n");
  find("difference").hidden = false;
  find("difference").scrollIntoView({ block: "nearest" });
}

function unavailable(error) {
  find("adapter").textContent = "none";
  find("status").textContent = "no device to check";
  notice(`WebGPU is not available here: ${error.message}. ${REMEDY}`);
}

find("quick").addEventListener("click", () => start(true));
find("whole").addEventListener("click", () => start(false));
find("stop").addEventListener("click", () => {
  stopping = true;
  find("status").textContent = "stopping";
});
find("on").addEventListener("click", () => {
  stopping = false;
  notice("");
  run();
});
find("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(report[1]);
    find("copied").textContent = "Copied.";
  } catch {
    find("report").select();
    find("copied").textContent = "The browser does not let this page copy: the text below is selected.";
  }
});
find("save").addEventListener("click", () => {
  const address = URL.createObjectURL(new Blob([report[1]], { type: "text/markdown" }));
  element("a", "", { href: address, download: "wgpu-clamp-report.md" }).click();
  // Some browsers read it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
});

try {
  await init();
  find("adapter").textContent = (await adapter()).name;
  find("status").textContent = "ready";
  find("quick").disabled = find("whole").disabled = false;
} catch (error) {
  unavailable(error);
}
