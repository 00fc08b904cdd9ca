// The only user of esbuild, whose service is a process of its own: it ends with the last bundle under way.
let underWay = 0;

/** Bundles as esbuild's `build` does. */
export async function bundle(options) {
  const { build, stop } = await import("esbuild");
  underWay++;
  try {
    return await build(options);
  } finally {
    if (--underWay === 0) await stop();
  }
}
