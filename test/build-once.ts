import { buildIfStale } from "../bin/build.mjs";

/** Whole-process tests and the engine host run from dist/, as users run them. */
export default async function setup(): Promise<void> {
  await buildIfStale();
}
