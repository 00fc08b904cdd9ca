export { type ResolveOptions, resolveQuery } from "./resolver/resolve.ts";
