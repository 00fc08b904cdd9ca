export { type ResolveOptions, resolveQuery } from "./resolver/resolve.ts";
export {
  listSavedTables,
  type QueryText,
  resolveSandboxed,
  type SandboxOptions,
  type SavedTable,
} from "./resolver/sandbox.ts";
