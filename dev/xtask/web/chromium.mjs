// Starts headless Chromium with WebGPU for the tests, which reach the files of a folder at ADDRESS without a server.
import { join, normalize } from "node:path";
import { chromium } from "playwright-core";

/** Browsers offer WebGPU to pages of this machine. */
export const ADDRESS = "http://localhost/";

/** Starts the Chromium that CHROMIUM names, or the Chrome that Playwright finds; if asked, without WebGPU. */
export function launch({ webgpu = true } = {}) {
  return chromium.launch({
    ...(process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : { channel: "chrome" }),
    // Chromium's sandbox does not start as root, the usual user of a container.
    chromiumSandbox: process.getuid?.() !== 0,
    // Without a GPU, Chromium uses SwiftShader, which it calls unsafe.
    args: webgpu ? ["--enable-unsafe-webgpu"] : ["--disable-blink-features=WebGPU"],
  });
}

/** Opens a page that finds the files of `directory` at ADDRESS. */
export async function open(browser, directory, options) {
  const context = await browser.newContext(options);
  await context.route(`${ADDRESS}**`, (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill({ path: join(directory, normalize(pathname === "/" ? "/index.html" : pathname)) });
  });
  return context.newPage();
}
