// Runs the self-test on WebGPU in Chromium or in Node. Prints its row on the standard output, all else on the standard
// error.
//
//     node proof.mjs "Dawn in Chromium"|"Dawn in Node" WASM_DIRECTORY [--cases FIRST..END]
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ADDRESS, launch, open } from "./chromium.mjs";

// There are fewer cases.
const options = { cases: { type: "string", default: "0..99999" } };
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const [name, directory] = positionals;
const date = new Date().toISOString().slice(0, 10);
const MODULE = "clamp_proof_web";

/** An adapter's description of itself; browsers say little. */
const words = ({ vendor, architecture, device, description }) =>
  [vendor, architecture, device, description].filter((word) => word).join(" ");

/** Runs in a page: imports `module`, and calls its `row`. */
const call = async ([module, ...args]) => {
  const { default: init, row } = await import(`/${module}.js`);
  await init();
  return row(...args);
};

async function inChromium() {
  const browser = await launch();
  const page = await open(browser, directory);
  page.on("console", (message) => console.error(message.text()));
  // Any page of this address will do: modules are loaded from the page's own address.
  await page.goto(`${ADDRESS}${MODULE}.js`);
  const info = await page.evaluate(async () => {
    const { vendor, architecture, device, description } = (await navigator.gpu.requestAdapter()).info;
    return { vendor, architecture, device, description };
  });
  const adapter = `${words(info)}, Chromium ${browser.version()}`;
  return page.evaluate(call, [MODULE, name, adapter, date, values.cases]);
}

async function inNode() {
  const { create, globals } = await import("webgpu");
  const { version } = JSON.parse(await readFile(new URL("node_modules/webgpu/package.json", import.meta.url)));
  const gpu = create([]);
  // wgpu looks for these globals, as in a browser.
  Object.assign(globalThis, globals, { Window: Object });
  Object.defineProperty(globalThis, "navigator", { value: { gpu }, configurable: true });
  console.log = console.error;
  const { default: init, row } = await import(pathToFileURL(join(directory, `${MODULE}.js`)));
  await init({ module_or_path: await readFile(join(directory, `${MODULE}_bg.wasm`)) });
  const adapter = `${words((await gpu.requestAdapter()).info)}, webgpu ${version} on Node ${process.versions.node}`;
  return row(name, adapter, date, values.cases);
}

const row = await (name.endsWith("Node") ? inNode() : inChromium());
// The browser and Dawn's threads would keep the process alive. The status is 0 even if elements differ: the
// row counts them.
process.stdout.write(`${row}\n`, () => process.exit(0));
