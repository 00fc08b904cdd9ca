import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

/** Each room of `src/`, and the rooms that its files may import from. Tests may import from anywhere. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  googlesql: ["shared"],
  redaction: ["shared"],
  semantics: ["googlesql", "redaction"],
  lql: ["shared", "googlesql"],
  demo: [],
  access: ["shared"],
  "engines/contract": ["googlesql"],
  "engines/conformance": ["googlesql", "engines/contract"],
  "engines/lowering": ["googlesql"],
  "engines/schema": ["googlesql", "engines/contract"],
  "engines/values": ["googlesql", "semantics", "engines/contract"],
  "engines/constants": ["googlesql", "semantics", "engines/contract", "engines/lowering", "engines/values"],
  "engines/encoder": ["engines/contract", "engines/schema"],
  "engines/duckdb": [
    ...["shared", "googlesql", "semantics", "redaction", "engines/contract", "engines/lowering", "engines/schema"],
    ...["engines/constants", "engines/values", "engines/encoder"],
  ],
  "engines/clickhouse": [
    ...["shared", "googlesql", "semantics", "engines/contract", "engines/lowering", "engines/schema"],
    ...["engines/constants", "engines/values", "engines/encoder"],
  ],
  "engines/index.ts": ["engines/contract", "engines/duckdb", "engines/clickhouse"],
  sources: ["shared", "googlesql", "engines/contract"],
  endpoints: ["shared", "googlesql", "lql", "redaction", "engines/contract", "sources"],
  drains: ["shared", "engines/contract", "sources", "endpoints"],
  ingest: ["shared", "engines/contract"],
  spool: ["shared", "engines/contract"],
  syslog: ["engines/contract", "ingest"],
  audit: ["shared", "redaction", "engines/contract", "sources"],
  metadata: ["shared", "access", "endpoints", "drains"],
  transfer: ["shared", "engines/contract", "metadata"],
  "endpoint-tests": ["shared", "engines/contract", "engines/index.ts", "sources", "endpoints", "ingest"],
  openapi: ["shared", "googlesql", "access", "endpoints"],
  client: ["openapi"],
  config: ["shared", "audit"],
  http: [
    ...["shared", "googlesql", "redaction", "engines/contract", "sources", "endpoints", "ingest"],
    ...["access", "audit", "metadata", "openapi", "drains"],
  ],
  service: [
    ...["shared", "config", "engines/contract", "engines/index.ts", "sources", "endpoints", "ingest", "syslog"],
    // The entry of the thread that reads events joins the engines' encoders to the body reader.
    ...["access", "audit", "metadata", "endpoint-tests", "http", "drains", "spool", "engines/duckdb"],
    ...["engines/clickhouse", "engines/encoder"],
  ],
  cli: [
    ...["shared", "config", "googlesql", "engines/contract", "engines/index.ts", "sources", "endpoints", "access"],
    ...["audit", "metadata", "transfer", "openapi", "client", "endpoint-tests", "http", "demo", "service"],
  ],
  "main.ts": ["cli"],
};

const maxFiles = 25;

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "");
const sources = tracked.filter((file) => /^src\/.*\.ts$/.test(file));
const isTest = (file: string) => /\.(?:test|long)\.ts$|\/testing\//.test(file);

function roomOf(file: string): string {
  const [, room = "", inner = ""] = file.split("/");
  return room === "engines" ? `engines/${inner}` : room;
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const paths = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1] ?? "");
  return paths.map((path) => join(dirname(file), path));
}

describe("the rooms of src/", () => {
  it("are listed with their allowed imports", () => {
    expect([...new Set(sources.map(roomOf))].sort()).toEqual(Object.keys(mayImport).sort());
  });

  it("import only from allowed rooms", () => {
    const wrong = sources
      .filter((file) => !isTest(file))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ file, target }) => {
        const [from, to] = [roomOf(file), roomOf(target)];
        return from !== to && !mayImport[from]?.includes(to);
      });
    expect(wrong).toEqual([]);
  });

  it("are ordered so that each imports only from earlier ones", () => {
    const order = Object.keys(mayImport);
    const backwards = order.flatMap((room, at) =>
      (mayImport[room] ?? []).filter((other) => order.indexOf(other) >= at).map((other) => `${room} -> ${other}`),
    );
    expect(backwards).toEqual([]);
  });

  it(`contain at most ${maxFiles} files each, not counting tests`, () => {
    const counts = new Map<string, number>();
    for (const file of tracked) {
      if (!/^(?:src|console)\//.test(file) || isTest(file) || /\.test\.tsx$/.test(file)) continue;
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > maxFiles)).toEqual([]);
  });
});

/** The first import cycle that contains a file; type imports do not exist at run time. */
function findCycle(file: string, importsOfFile: (file: string) => readonly string[], seen: Set<string>): string[] {
  const path: string[] = [];
  const visit = (at: string): string[] => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (seen.has(at)) return [];
    seen.add(at);
    path.push(at);
    for (const target of importsOfFile(at)) {
      const cycle = visit(target);
      if (cycle.length > 0) return cycle;
    }
    path.pop();
    return [];
  };
  return visit(file);
}

describe("imports", () => {
  it("form no cycle", () => {
    const code = new Set(tracked.filter((file) => /\.(?:ts|tsx|mjs)$/.test(file)));
    const imported = (file: string) => {
      const text = readFileSync(file, "utf8").replaceAll(/^(?:import|export) type [^;]*;/gm, "");
      const paths = [...text.matchAll(/^(?:import|export)\b[^;"]*"(\.[^"]+)"/gm)].map((match) => match[1] ?? "");
      return paths.map((path) => join(dirname(file), path)).filter((path) => code.has(path));
    };
    const seen = new Set<string>();
    expect([...code].map((file) => findCycle(file, imported, seen)).filter(({ length }) => length > 0)).toEqual([]);
  });
});

describe("the pages beside the code", () => {
  it("name existing files", () => {
    const pages = tracked.filter((file) => /^src\/.*README\.md$|^docs\/.*\.md$|^CONTRIBUTING\.md$/.test(file));
    const missing = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/`((?:\.\.\/)*[\w./-]+\.tsx?)`/g)]
        .map((match) => match[1] ?? "")
        .filter((path) => !tracked.includes(path) && !tracked.includes(join(dirname(page), path)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
