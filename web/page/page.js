// The page: makes frames from the sliders' numbers, and shows beside each frame its time and whether it agrees.
import init, { Engine, Levels } from "./clamp_web.js";
import { count, described, find, requestAdapter, turn } from "./common.js";

/** Pictures with a longer side are scaled down, because the CPU reference computes every element too. */
const LONGEST = 1600;
/** The page shows the median time of so many frames. */
const FRAMES = 15;
/** Pixels that are compared with the reference before the browser handles events again. */
const PART = 100_000;

const form = find("levels");
const [before, after] = [find("before").getContext("2d"), find("after").getContext("2d")];

let engine;
/** The picture that is shown: its source, name and size, and the library's `picture`. */
let shown;
/** A picture to be shown from the next frame on. */
let next;
/** The number of frames asked for. A frame with a lower number is out of date. */
let wanted = 0;
let running = false;
let times = [];

/** Returns the sliders' numbers, and shows them beside the sliders. */
function levels() {
  const value = Object.fromEntries(["min", "max", "scale", "bias"].map((name) => [name, form.elements[name].valueAsNumber]));
  for (const input of form.querySelectorAll("input")) {
    const text = input.name === "scale" ? value.scale.toFixed(2) : String(value[input.name]);
    input.nextElementSibling.value = text.replace("-", "−");
  }
  find("crossed").hidden = value.min <= value.max;
  return new Levels(value.min, value.max, value.scale, value.bias);
}

/** Asks for a frame. While a frame is made, only the latest request waits. */
async function want() {
  comparing();
  wanted += 1;
  if (running) return;
  running = true;
  try {
    for (let made = 0; made !== wanted; ) {
      made = wanted;
      await frame(made).catch(withoutDevice);
    }
  } finally {
    running = false;
  }
}

/** Goes on without the device, which has failed. */
function withoutDevice(error) {
  if (engine.trouble()) throw error;
  engine = Engine.without_device(error.message);
  notice();
  showAdapter();
  next ??= shown;
  wanted += 1;
}

async function frame(made) {
  if (next) await take();
  const { picture, width, height } = shown;
  const numbers = levels();
  const start = performance.now();
  const bytes = await picture.clamp(numbers);
  times = [...times, performance.now() - start].slice(-FRAMES);
  after.putImageData(new ImageData(new Uint8ClampedArray(bytes.buffer), width, height), 0, 0);
  showTime();
  let agreeing = 0;
  const pixels = width * height;
  for (let first = 0; first < pixels; first += PART) {
    await turn();
    if (made !== wanted) return;
    agreeing += picture.agreeing(numbers, bytes, first, Math.min(first + PART, pixels));
  }
  const elements = 3 * pixels;
  const of = engine.trouble() ? "elements, which it computed itself" : "elements, bit for bit";
  agrees(`${count(agreeing)} of ${count(elements)}`, agreeing === elements ? "good" : "bad", of);
}

/** Shows the next picture. */
async function take() {
  const { source, name } = next;
  const scale = Math.min(1, LONGEST / Math.max(source.width, source.height));
  const [width, height] = [source.width, source.height].map((side) => Math.max(1, Math.round(side * scale)));
  for (const { canvas } of [before, after]) {
    [canvas.width, canvas.height] = [width, height];
  }
  find("compare").style.setProperty("--aspect", width / height);
  before.drawImage(source, 0, 0, width, height);
  const rgba = new Uint8Array(before.getImageData(0, 0, width, height).data.buffer);
  const picture = engine.picture(rgba);
  shown?.picture.free();
  shown = { source, name, width, height, picture };
  next = undefined;
  const size = `${name}: ${width} × ${height} pixels`;
  find("picture").textContent = scale < 1 ? `${size}, from ${source.width} × ${source.height}` : size;
  // The first frame includes compilation, so its time does not count.
  await shown.picture.clamp(levels());
  times = [];
}

/** Removes the last frame's result, which may be wrong for the next frame. */
function comparing() {
  agrees("comparing …", "", "");
}

function agrees(text, name, of) {
  find("agrees").textContent = text;
  find("agrees").className = name;
  find("agrees-of").textContent = of;
}

function showTime() {
  const median = times.toSorted((a, b) => a - b)[times.length >> 1];
  find("time").textContent = `${median.toFixed(1)} ms`;
  const what = engine.trouble() ? "the reference on the CPU" : "clamped on the GPU and read back";
  find("time-of").textContent = `${what}, without painting; median of ${times.length === 1 ? "one frame" : `${times.length} frames`}`;
}

/** Shows a file, if the browser can decode it as a picture. */
async function open(file, name = file.name) {
  const source = await createImageBitmap(file).catch(() => undefined);
  notice(source ? "" : `“${name}” is no picture that this browser can read.`);
  if (!source) return;
  next = { source, name };
  await want();
}

async function hubble() {
  const response = await fetch("hubble_deep_field.jpg");
  await open(await response.blob(), "Hubble eXtreme Deep Field");
}

/** Shows `text` as a notice. If there is no WebGPU, the notice says so as well. */
function notice(text) {
  const trouble = engine.trouble();
  const without = trouble && `WebGPU is not available here (${trouble}). The CPU reference does the clamp instead.`;
  find("notice").textContent = [without, text].filter((line) => line).join(" ");
  find("notice").hidden = find("notice").textContent === "";
}

/** Shows the adapter. */
async function showAdapter() {
  if (engine.trouble()) {
    find("adapter").textContent = "none: the CPU reference";
    return;
  }
  const adapter = await requestAdapter();
  const name = described(adapter) || "unnamed: this browser does not tell";
  find("adapter").textContent = `${name}${adapter.info.isFallbackAdapter ? " (software)" : ""}, through WebGPU`;
}

form.addEventListener("input", want);
form.addEventListener("reset", () => {
  comparing();
  // The sliders are reset after this.
  setTimeout(want);
});
find("identity").addEventListener("click", () => {
  Object.entries({ min: 0, max: 255, scale: 1, bias: 0 }).forEach(([name, value]) => (form.elements[name].value = value));
  want();
});
find("wipe").addEventListener("input", ({ target }) => find("compare").style.setProperty("--wipe", `${target.value}%`));
find("file").addEventListener("change", ({ target }) => target.files[0] && open(target.files[0]));
find("hubble").addEventListener("click", hubble);
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", ({ relatedTarget }) => relatedTarget ?? document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const file = event.dataTransfer.files[0];
  if (file) open(file);
});

await init();
engine = await Engine.open();
levels();
notice();
await showAdapter();
await hubble();
