// Runs the self-test on WebGPU in Chromium or in Node, once with default and once with downlevel limits. Each run makes
// a column, the results of one device.
//
//     node columns.mjs chromium|node WASM_DIRECTORY OUT.json [--cases FIRST..END]
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { launch, packages } from "./chromium.mjs";
import { serve } from "./serve.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: "string", default: "" } },
});
const [where, directory, out] = positionals;
const { cases } = values;
const MODULE = "clamp_proof_web";

/** An adapter's description of itself; browsers say little. */
const words = ({ vendor, architecture, device, description }) =>
  [vendor, architecture, device, description].filter((word) => word).join(" ");

/** Runs in a page: imports `module`, and calls its `column`. */
const call = async ([module, ...args]) => {
  const { default: init, column } = await import(`/${module}.js`);
  await init();
  return column(...args);
};

/** Returns a function that fills the column for some limits, in Chromium. */
async function inChromium() {
  const { url } = await serve(directory);
  const browser = await launch();
  const page = await browser.newPage();
  page.on("console", (message) => console.log(message.text()));
  // Any page of this server will do: modules are loaded from the page's own server.
  await page.goto(`${url}${MODULE}.js`);
  const info = await page.evaluate(async () => {
    const { vendor, architecture, device, description } = (await navigator.gpu.requestAdapter()).info;
    return { vendor, architecture, device, description };
  });
  const adapter = `${words(info)}, Chromium ${browser.version()}`;
  return (limits) => page.evaluate(call, [MODULE, "Dawn in Chromium", adapter, limits, cases]);
}

/** Returns a function that fills the column for some limits, in Node. */
async function inNode() {
  const { create, globals } = await import(pathToFileURL(packages.resolve("webgpu")));
  const { version } = packages("webgpu/package.json");
  const gpu = create([]);
  // wgpu looks for these globals, as in a browser.
  Object.assign(globalThis, globals, { Window: Object });
  Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true });
  const { default: init, column } = await import(pathToFileURL(join(directory, `${MODULE}.js`)));
  await init({ module_or_path: await readFile(join(directory, `${MODULE}_bg.wasm`)) });
  const adapter = `${words((await gpu.requestAdapter()).info)}, webgpu ${version} on Node ${process.versions.node}`;
  return (limits) => column("Dawn in Node", adapter, limits, cases);
}

const column = await { chromium: inChromium, node: inNode }[where]();
const columns = [];
for (const limits of ["default", "downlevel"]) {
  columns.push(JSON.parse(await column(limits)));
  await writeFile(out, JSON.stringify(columns));
}
console.log(`wrote ${out}`);
// The server, the browser and Dawn's threads would keep the process alive. The status is 0 even if elements differ: the
// file counts them.
process.exit(0);
