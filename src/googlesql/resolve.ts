export { type ResolveOptions, resolveQuery } from "./resolver/resolve.ts";
export { type QueryText, resolveSandboxed, type SandboxOptions } from "./resolver/sandbox.ts";
