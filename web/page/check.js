// The page's second view: checks the visitor's device, and makes a report of it.
import init, { DeviceCheck } from "./clamp_web.js";

const find = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");
const turn = (milliseconds = 0) => new Promise((resolve) => setTimeout(resolve, milliseconds));
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

/** The browser's description of the adapter, which often has only a maker and a kind. */
async function adapter() {
  const found = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!found) {
    const reason = navigator.gpu ? "the browser offers no adapter" : "the browser has no WebGPU";
    throw new Error(reason);
  }
  const { info } = found;
  const words = [info.description, info.vendor, info.architecture, info.device].filter((word) => word);
  const name = words.length > 0 ? words.join(" ") : "unnamed adapter";
  return { name: `${name}, ${browser()}`, isCpu: info.isFallbackAdapter || /swiftshader|llvmpipe|warp/i.test(name) };
}

/** Which buttons there are. */
function buttons() {
  const { cases = 0, of = 0 } = report?.[0].self_test ?? {};
  find("quick").hidden = find("whole").hidden = running;
  find("stop").hidden = !running;
  find("on").hidden = running || !check || cases === of;
  find("copy").disabled = find("save").disabled = cases === 0;
}

/** Begins a new check. */
async function start(quick) {
  check?.free();
  check = report = undefined;
  for (const id of ["speed", "matrix", "copied"]) find(id).replaceChildren();
  find("difference").hidden = find("report").hidden = true;
  find("clock").textContent = "Measured after the comparison.";
  running = true;
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
  [running, stopping] = [true, false];
  buttons();
  let ended;
  try {
    ended = (await cases()) ? await speed() : "stopped";
  } catch (error) {
    // Browsers tell that a device is lost some time after the error that follows from it.
    await turn(500);
    ended = latest(error.message).ended;
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
      const left = ((now - started) / (done - before) / 1000) * (of - done);
      find("status").textContent = `${done} of ${of} cases, ${differing()}, about ${duration(left)} left`;
      await turn();
    }
  }
  return done === of;
}

const duration = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} minutes`);

/** Measures the speed. Returns why it did not. */
async function speed() {
  show();
  find("status").textContent = "measuring the speed";
  await turn();
  try {
    await check.measure();
  } catch (error) {
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
  line.append(...texts.map((text, n) => element(n === 0 ? "th" : tag, text, { scope: n === 0 ? "row" : "col" })));
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

/** Shows pairs of types on kernels. */
function matrix({ cells, failures }) {
  const kernels = DeviceCheck.kernels();
  const pairs = Map.groupBy(cells, ({ pair }) => pair);
  const lines = [...pairs].map(([pair, cells]) => {
    const line = row("td", [pair]);
    for (const kernel of kernels) {
      const cell = cells.find((cell) => cell.kernel === kernel);
      const place = document.createElement("td");
      if (!cell) {
        place.append(element("span", "·", { className: "none", title: "not run" }));
      } else if (cell.failed === 0) {
        place.append(element("span", `✓ ${cell.cases}`, { className: "good" }));
      } else {
        const button = element("button", `✗ ${cell.failed} of ${cell.cases}`, { className: "bad", type: "button" });
        button.ariaLabel = `${pair}, ${kernel}: ${cell.failed} of ${cell.cases} cases differ`;
        button.addEventListener("click", () => difference(cell, failures));
        place.append(button);
      }
      line.append(place);
    }
    return line;
  });
  find("matrix").replaceChildren(row("th", ["", ...kernels]), ...lines);
}

/** Shows the first difference of a cell. */
function difference({ pair, kernel, first }, failures) {
  const text = failures.find((failure) => failure.case === first)?.text ?? "More cases differ than the report tells.";
  const again = `cargo run --release --example doctor -- --cases ${first}..${first + 1}`;
  find("difference").textContent = `${pair}, ${kernel}: case ${first}\n${text}\n\nOutside the browser: ${again}`;
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
find("stop").addEventListener("click", () => (stopping = true));
find("on").addEventListener("click", run);
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
  URL.revokeObjectURL(address);
});

await init();
try {
  find("adapter").textContent = (await adapter()).name;
  find("status").textContent = "ready";
  find("quick").disabled = find("whole").disabled = false;
} catch (error) {
  unavailable(error);
}
