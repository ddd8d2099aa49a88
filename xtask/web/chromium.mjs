// Chromium with WebGPU, headless, as the tests drive it.
import { createRequire } from "node:module";

/** The packages of package.json, which `cargo xtask test --browser` installs where NODE_PACKAGES says. */
export const packages = createRequire(`${process.env.NODE_PACKAGES}/`);

/** The Chromium that CHROMIUM names, or Chrome where Playwright finds it; with `webgpu: false`, one that lacks it. */
export function launch({ webgpu = true } = {}) {
  const { chromium } = packages("playwright-core");
  return chromium.launch({
    ...(process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : { channel: "chrome" }),
    // Chromium's sandbox does not start as root, which is what a container runs as.
    chromiumSandbox: process.getuid?.() !== 0,
    // SwiftShader, where there is no GPU, counts as unsafe.
    args: webgpu ? ["--enable-unsafe-webgpu"] : ["--disable-blink-features=WebGPU"],
  });
}
