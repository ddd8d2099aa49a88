// Runs a test program of wasm-bindgen-test in Chromium. Cargo calls this as the runner for wasm32-unknown-unknown.
//
//     node test.mjs PROGRAM.wasm [ARGS...]
//
// wasm-bindgen-test-runner serves the program as a page. This script opens the page through chromium.mjs, as page.mjs
// does, and prints the page's output.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { launch } from "./chromium.mjs";

const server = spawn("wasm-bindgen-test-runner", process.argv.slice(2), {
  env: { ...process.env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ADDRESS: "127.0.0.1:0" },
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = new Promise((resolve) => server.once("exit", resolve));

/** The address of the page; none if the runner serves no page, as for a list of tests. */
async function address() {
  for await (const line of createInterface(server.stdout)) {
    const found = line.match(/available at (http:\S+)/);
    if (found) return found[1];
    console.log(line);
  }
}

const url = await address();
if (url === undefined) {
  process.exit(await ended);
}
const browser = await launch();
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(String(error)));
  await page.goto(url);
  const done = () => /^test result: /m.test(document.getElementById("output")?.textContent);
  // Two hours: no run takes as long, on SwiftShader either. A page that crashes ends the wait.
  await page.waitForFunction(done, undefined, { polling: 500, timeout: 2 * 3_600_000 });
  const output = await page.locator("#output").textContent();
  console.log(output);
  process.exitCode = /^test result: ok/m.test(output) ? 0 : 1;
} finally {
  await browser.close();
  server.kill();
}
