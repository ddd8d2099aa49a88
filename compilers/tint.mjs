// `node tint.mjs DIR` gives every module and pipeline to Tint and prints one JSON object. DIR has list.json and the
// modules. Leaves out modules with `f64`, a type that only naga's WGSL has.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { create } from "webgpu";

const directory = process.argv[2];
const list = JSON.parse(readFileSync(join(directory, "list.json"), "utf8"));
const { version } = createRequire(import.meta.url)("webgpu/package.json");

const gpu = create(["backend=null"]);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();

/** Returns the result of `make`, and the message of its validation error, if it has one. */
async function scoped(make) {
  device.pushErrorScope("validation");
  const made = make();
  const error = await device.popErrorScope();
  return [made, error?.message];
}

const answer = { version: `Dawn of npm webgpu ${version}`, modules: 0, pipelines: 0, refused: [] };
for (const { number, name, vulkan_only, pipelines } of list) {
  if (vulkan_only) continue;
  answer.modules += 1;
  answer.pipelines += pipelines.length;
  const code = readFileSync(join(directory, `${String(number).padStart(5, "0")}.wgsl`), "utf8");
  const [module, refusal] = await scoped(() => device.createShaderModule({ code }));
  for (const { entry_point: entryPoint, constants } of pipelines) {
    const compute = { module, entryPoint, constants };
    // If the module is refused, its pipelines are too. Then the module's message says more.
    const [, message] = await scoped(() => device.createComputePipeline({ layout: "auto", compute }));
    const wrong = refusal ?? message;
    if (wrong !== undefined) answer.refused.push([`${number}, ${name}, ${entryPoint}`, wrong]);
  }
}
console.log(JSON.stringify(answer));
// Dawn's threads keep node alive.
process.exit(0);
