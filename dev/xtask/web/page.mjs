// Tests the page web/page in Chromium: by keyboard, with dropped files, on a phone and without WebGPU.
//
//     node page.mjs SITE SCREENSHOTS
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ADDRESS, launch, open } from "./chromium.mjs";

const [site, screenshots] = process.argv.slice(2);
const DESKTOP = { viewport: { width: 1280, height: 900 }, colorScheme: "light" };
const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  colorScheme: "dark",
};
/** Elements of the page's own picture: 1000 × 872 pixels, three elements each. */
const HUBBLE = "2,616,000 of 2,616,000";

await mkdir(screenshots, { recursive: true });
let browser;

/** Runs `test` on a page of its own. Fails if the page reports an error. */
async function onPage(name, options, test) {
  const page = await open(browser, site, options);
  page.setDefaultTimeout(120_000);
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("requestfailed", (request) => wrong.push(`${request.url()}: ${request.failure()?.errorText}`));
  try {
    await test(page);
    assert.deepEqual(wrong, []);
  } catch (error) {
    await page.screenshot({ path: join(screenshots, "failed.png"), fullPage: true });
    console.log(wrong.join("\n"));
    throw error;
  } finally {
    await page.context().close();
  }
  console.log(`${name}: ok`);
}

/** Waits until the page says that all `elements` of the frame agree with the reference. */
const agreed = (page, elements) => page.locator("#agrees.good", { hasText: elements }).waitFor();

/** The first 40,000 bytes of a canvas. */
const bytes = (page, id) =>
  page.evaluate((id) => {
    const canvas = document.getElementById(id);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return [...data.subarray(0, 40_000)];
  }, id);

/** Drops a file on the page. The page makes the file, since a file of this process cannot be dragged. */
const drop = (page, name, text) =>
  page.evaluate(
    async ([name, text]) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 37, height: 23 });
      const context = canvas.getContext("2d");
      for (let x = 0; x < 37; x += 1) {
        context.fillStyle = `rgb(${x * 7} ${255 - x * 5} ${x * 3})`;
        context.fillRect(x, 0, 1, 23);
      }
      const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text ?? picture], name));
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    [name, text],
  );

/** The result that the sliders ask for. It is exact, since a byte times an f32, plus an integer, fits an f64. */
const expected = (before, { min, max, scale, bias }) =>
  before.map((x, n) => (n % 4 === 3 ? x : Math.max(min, Math.min(Math.trunc(x * Math.fround(scale) + bias), max))));

async function desktop(page) {
  await page.goto(ADDRESS);
  await agreed(page, HUBBLE);
  assert.match(await page.locator("#adapter").textContent(), /through WebGPU$/);
  assert.match(await page.locator("#time").textContent(), /^\d+\.\d ms$/);
  assert(await page.locator("#notice").isHidden());
  await page.screenshot({ path: join(screenshots, "desktop.png"), fullPage: true });
  const before = await bytes(page, "before");
  const first = await bytes(page, "after");
  assert.deepEqual(first, expected(before, { min: 0, max: 255, scale: 2.5, bias: -20 }));

  // By keyboard alone.
  const slider = (name) => page.getByRole("slider", { name, exact: true });
  await slider("scale").focus();
  for (let n = 0; n < 10; n += 1) await page.keyboard.press("ArrowRight");
  await agreed(page, HUBBLE);
  assert.equal(await page.locator("input[name=scale] + output").textContent(), "3.00");
  const brighter = await bytes(page, "after");
  assert(brighter.some((byte, n) => byte !== first[n]));
  assert.deepEqual(brighter, expected(before, { min: 0, max: 255, scale: 3, bias: -20 }));
  await slider("min").press("End");
  await slider("max").press("Home");
  await agreed(page, HUBBLE);
  assert(await page.locator("#crossed").isVisible());
  assert((await bytes(page, "after")).every((x) => x === 255));
  await page.getByRole("button", { name: "No change" }).press("Enter");
  await agreed(page, HUBBLE);
  assert.deepEqual(await bytes(page, "after"), before);
  await page.getByRole("button", { name: "Reset" }).press("Enter");
  await agreed(page, HUBBLE);
  assert.deepEqual(await bytes(page, "after"), first);

  await drop(page, "stripes.png");
  await agreed(page, "2,553 of 2,553");
  assert.equal(await page.locator("#picture").textContent(), "stripes.png: 37 × 23 pixels");
  assert.deepEqual((await bytes(page, "before")).slice(0, 8), [0, 255, 0, 255, 7, 250, 3, 255]);
  await drop(page, "notes.txt", "no picture");
  await page.locator("#notice", { hasText: "“notes.txt” is no picture" }).waitFor();
  await page.getByRole("button", { name: "Hubble Deep Field" }).click();
  await agreed(page, HUBBLE);
  assert(await page.locator("#notice").isHidden());
}

async function phone(page) {
  await page.goto(ADDRESS);
  await agreed(page, HUBBLE);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing sticks out");
  await page.screenshot({ path: join(screenshots, "phone.png"), fullPage: true });
  await page.locator("input[name=bias]").scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(screenshots, "phone-sliders.png") });
}

/** Keeps the device that a page opens, for the test to destroy. */
const keepDevice = () => {
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    return (window.device = await request.apply(this, args));
  };
};

/** Destroys the device while the page is open. */
async function lost(page) {
  await page.addInitScript(keepDevice);
  await page.goto(ADDRESS);
  await agreed(page, HUBBLE);
  await page.evaluate(() => window.device.destroy());
  await page.locator("input[name=scale]").press("ArrowLeft");
  await withoutWebGpu(page);
}

async function withoutWebGpu(page) {
  await page.locator("#notice", { hasText: "WebGPU is not available here" }).waitFor();
  await agreed(page, HUBBLE);
  assert.equal(await page.locator("#adapter").textContent(), "none: the CPU reference");
  const before = await bytes(page, "before");
  await page.getByRole("button", { name: "Reset" }).press("Enter");
  await page.locator("input[name=scale]").press("ArrowRight");
  await agreed(page, HUBBLE);
  assert.deepEqual(await bytes(page, "after"), expected(before, { min: 0, max: 255, scale: 2.55, bias: -20 }));
}

const status = (page, text) => page.locator("#status", { hasText: text }).waitFor();

/** A quick check, stopped in between, to its report. */
async function check(page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(ADDRESS);
  await agreed(page, HUBBLE);
  await page.getByRole("link", { name: "Check this device" }).click();
  await status(page, "ready");
  await page.getByRole("button", { name: "Quick check" }).press("Enter");
  await status(page, /^[1-9]\d* of \d+ cases, no element differs, about .* left$/);
  await page.getByRole("button", { name: "Stop" }).click();
  await status(page, /^stopped: [1-9]\d* of \d+ cases/);
  const report = () => page.locator("#report").inputValue();
  assert.match(await report(), /The check ended early: stopped/);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.locator("#status", { hasText: "done" }).waitFor({ timeout: 1_200_000 });
  assert.match(await page.locator("#status").textContent(), /^done: (\d+) of \1 cases in .*, no element differs$/);
  assert.match(await page.locator("#notice").textContent(), /^This adapter is a CPU/);
  assert.equal(await page.locator("#results button.bad").count(), 0);
  assert.equal(await page.locator("#matrix tr").count(), 10, "the head, and a line for each source");
  assert.equal(await page.locator("#results button.good").count(), 84, "9 by 9 pairs, and 3 beside");
  await page.getByRole("button", { name: "u8 to f32: right" }).click();
  assert.match(await page.locator("#difference").textContent(), /^u8 to f32\n✓ .+: 0 of \d+ cases differ$/m);
  assert.equal(await page.locator("#speed tr").count(), 7, "the head, the copy and five clamps");
  assert.doesNotMatch(await report(), /ended early/);
  await page.getByRole("button", { name: "Copy report" }).click();
  await page.locator("#copied", { hasText: "Copied." }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await report());
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save" }).click(),
  ]);
  assert.equal(await readFile(await download.path(), "utf8"), await report());
  await page.screenshot({ path: join(screenshots, "check.png"), fullPage: true });
  await writeFile(join(screenshots, "report.md"), await report());
}

/** A shader with a fault: Max of floats has a wrong bit. */
async function planted(page) {
  await page.addInitScript(() => {
    const create = GPUDevice.prototype.createShaderModule;
    GPUDevice.prototype.createShaderModule = function (descriptor) {
      const code = descriptor.code.replaceAll("vec4<u32>(b.max_bits.y), above)", "vec4<u32>(b.max_bits.y ^ 0x10000u), above)");
      return create.call(this, { ...descriptor, code });
    };
  });
  await page.goto(`${ADDRESS}check.html`);
  await page.getByRole("button", { name: "Whole check" }).click();
  await page.locator("#matrix button.bad").first().waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await status(page, /^stopped: .* elements differ$/);
  await page.getByRole("button", { name: "f32 to f32: differs" }).click();
  const difference = await page.locator("#difference").textContent();
  assert.match(difference, /^✗ stream: \d+ of \d+ cases differ$/m);
  assert.match(difference, /input 0x[0-9a-f]{8}, expected 0x[0-9a-f]{8}.*, got 0x[0-9a-f]{8}/);
  assert.match(difference, /doctor -- --cases \d+\.\.\d+$/);
  assert.match(await page.locator("#report").inputValue(), /elements differ\*\* from the CPU reference/);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "nothing sticks out");
  await page.screenshot({ path: join(screenshots, "check-planted.png"), fullPage: true });
}

async function lostWhileChecking(page) {
  await page.addInitScript(keepDevice);
  await page.goto(`${ADDRESS}check.html`);
  await page.getByRole("button", { name: "Quick check" }).click();
  await status(page, /^[1-9]\d* of \d+ cases/);
  await page.evaluate(() => window.device.destroy());
  await status(page, /^stopped: [1-9]\d* of/);
  assert.match(await page.locator("#notice").textContent(), /^The check ended early: .*lost/);
  assert.match(await page.locator("#report").inputValue(), /The check ended early: .*lost/);
}

try {
  browser = await launch();
  await onPage("desktop", DESKTOP, desktop);
  await onPage("phone", PHONE, phone);
  await onPage("device lost", DESKTOP, lost);
  await onPage("check", DESKTOP, check);
  await onPage("check of a wrong shader", PHONE, planted);
  await onPage("check of a device that is lost", DESKTOP, lostWhileChecking);
  await onPage("no adapter", DESKTOP, async (page) => {
    await page.addInitScript(() => (GPU.prototype.requestAdapter = async () => null));
    await page.goto(ADDRESS);
    await withoutWebGpu(page);
  });
  await browser.close();
  browser = await launch({ webgpu: false });
  await onPage("no WebGPU", PHONE, async (page) => {
    await page.goto(ADDRESS);
    await page.locator("#notice", { hasText: "the browser has no WebGPU" }).waitFor();
    await withoutWebGpu(page);
    await page.screenshot({ path: join(screenshots, "without-webgpu.png"), fullPage: true });
    await page.getByRole("link", { name: "Check this device" }).click();
    await page.locator("#notice", { hasText: /the browser (has no WebGPU|offers no adapter)\. Recent Chrome/ }).waitFor();
    assert(await page.getByRole("button", { name: "Quick check" }).isDisabled());
    await page.screenshot({ path: join(screenshots, "check-without-webgpu.png"), fullPage: true });
  });
} finally {
  await browser?.close();
}
