// Starts headless Chromium with WebGPU for the tests.
import { createRequire } from "node:module";

/** Loads packages of package.json. `cargo xtask test --browser` installs them in the folder NODE_PACKAGES. */
export const packages = createRequire(`${process.env.NODE_PACKAGES}/`);

/** Starts the Chromium that CHROMIUM names, or the Chrome that Playwright finds; if asked, without WebGPU. */
export function launch({ webgpu = true } = {}) {
  const { chromium } = packages("playwright-core");
  return chromium.launch({
    ...(process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : { channel: "chrome" }),
    // Chromium's sandbox does not start as root, the usual user of a container.
    chromiumSandbox: process.getuid?.() !== 0,
    // Without a GPU, Chromium uses SwiftShader, which it calls unsafe.
    args: webgpu ? ["--enable-unsafe-webgpu"] : ["--disable-blink-features=WebGPU"],
  });
}
