// Runs a test program of wasm-bindgen-test in Chromium: cargo's runner for wasm32-unknown-unknown.
//
//     node test.mjs PROGRAM.wasm [ARGS...]
//
// wasm-bindgen-test-runner serves the program; the page that it serves is opened here, with the one driver that the
// page's test has too, and what it prints is printed.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { launch } from "./chromium.mjs";

/** No test takes as long, in milliseconds. */
const STALLED = 15 * 60_000;

const server = spawn("wasm-bindgen-test-runner", process.argv.slice(2), {
  env: { ...process.env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ADDRESS: "127.0.0.1:0" },
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = new Promise((resolve) => server.once("exit", resolve));

/** The address of the page; none if there was nothing to serve, such as a list of tests. */
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
  let crashed = false;
  page.on("crash", () => (crashed = true));
  page.on("pageerror", (error) => console.error(String(error)));
  await page.goto(url);
  // The whole of what was printed so far, again and again: what is new of it goes on.
  let shown = "";
  let since = Date.now();
  while (!/^test result: /m.test(shown)) {
    if (crashed) throw new Error("the page crashed");
    if (Date.now() - since > STALLED) throw new Error(`nothing was printed for ${STALLED / 60_000} minutes`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const text = await page.locator("#output").textContent();
    if (text === shown) continue;
    process.stdout.write(text.slice(shown.length));
    shown = text;
    since = Date.now();
  }
  process.exitCode = /^test result: ok/m.test(shown) ? 0 : 1;
} finally {
  await browser.close();
  server.kill();
}
