import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

/** Each room of `src/`, and the rooms that its files may import from. Tests may import from anywhere. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  values: ["shared"],
  googlesql: ["shared", "values"],
  redaction: ["shared", "values"],
  semantics: ["values", "googlesql", "redaction"],
  lql: ["shared", "values", "googlesql"],
  "clickhouse-sql": ["googlesql", "lql"],
  demo: [],
  access: ["shared", "values"],
  backups: ["shared"],
  "engines/contract": ["shared", "values", "googlesql"],
  "engines/lowering": ["googlesql"],
  "engines/sql": ["googlesql", "engines/lowering"],
  "engines/schema": ["values", "googlesql", "engines/contract"],
  "engines/values": ["values", "googlesql", "engines/contract"],
  "engines/encoder": ["shared", "engines/contract", "engines/schema"],
  "engines/duckdb": [
    ...["shared", "values", "googlesql", "semantics", "redaction", "engines/contract", "engines/lowering"],
    ...["engines/schema", "engines/values", "engines/encoder", "engines/sql"],
  ],
  "engines/clickhouse": [
    ...["shared", "values", "googlesql", "semantics", "engines/contract", "engines/lowering", "engines/schema"],
    ...["engines/values", "engines/encoder", "engines/sql"],
  ],
  "engines/index.ts": ["engines/contract", "engines/duckdb", "engines/clickhouse"],
  sources: ["shared", "googlesql", "engines/contract"],
  endpoints: ["shared", "values", "googlesql", "lql", "clickhouse-sql", "redaction", "engines/contract", "sources"],
  drains: ["shared", "engines/contract", "sources", "endpoints"],
  alerts: ["shared", "engines/contract", "sources", "endpoints", "drains"],
  ingest: ["shared", "values", "engines/contract"],
  audit: ["shared", "redaction", "engines/contract", "sources"],
  metadata: ["shared", "access", "endpoints", "drains"],
  transfer: ["shared", "engines/contract", "metadata"],
  "endpoint-tests": ["shared", "values", "engines/contract", "engines/index.ts", "sources", "endpoints", "ingest"],
  openapi: ["shared", "values", "googlesql", "access", "endpoints"],
  mcp: ["shared", "values", "access", "endpoints", "engines/contract", "openapi"],
  bigquery: ["shared", "values", "googlesql", "access", "endpoints", "engines/contract", "openapi"],
  loki: ["shared", "values", "googlesql", "access", "sources", "endpoints", "engines/contract"],
  config: ["shared", "access", "audit"],
  http: [
    ...["shared", "values", "googlesql", "redaction", "engines/contract", "sources", "endpoints", "ingest"],
    ...["access", "backups", "audit", "metadata", "openapi", "drains", "alerts", "mcp", "bigquery", "loki"],
  ],
  service: [
    ...["shared", "config", "engines/contract", "engines/index.ts", "sources", "endpoints", "ingest"],
    // The entry of the thread that reads events joins the engines' encoders to the body reader.
    ...["access", "audit", "metadata", "endpoint-tests", "http", "drains", "alerts", "engines/duckdb"],
    ...["engines/clickhouse", "engines/encoder"],
  ],
  cli: [
    ...["shared", "config", "values", "googlesql", "engines/contract", "engines/index.ts", "sources", "endpoints"],
    ...["access", "audit", "metadata", "transfer", "openapi", "endpoint-tests", "http", "demo", "service", "alerts"],
    "backups",
  ],
  "main.ts": ["cli"],
};

const maxFiles = 25;

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "");
const sources = tracked.filter((file) => /^src\/.*\.ts$/.test(file));
const isTest = (file: string) => /\.(?:test|long)\.ts$/.test(file);
/** Where the processes and threads of the service start. */
const starts = [
  "src/main.ts",
  "src/engines/duckdb/host/main.ts",
  "src/service/encoder-thread.ts",
  "src/service/planning-thread.ts",
];

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

  it("of src/shared import its errors and limits, and nothing of each other", () => {
    const wrong = sources
      .filter((file) => file.startsWith("src/shared/") && !isTest(file))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ file, target }) => dirname(target) !== dirname(file) && dirname(target) !== "src/shared");
    expect(wrong).toEqual([]);
  });

  it("contain only code of the service: whatever only tests use is in test/", () => {
    const reached = new Set(starts);
    for (const file of reached) for (const target of importsOf(file)) reached.add(target);
    expect(sources.filter((file) => !isTest(file) && !reached.has(file))).toEqual([]);
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

/** Folders whose files may import each other in a circle, with the reason. */
const circular: Readonly<Record<string, string>> = {
  "src/googlesql/ast/": "the syntax tree: an expression can contain a query, and a query contains expressions",
  "src/googlesql/resolved/": "the resolved query is recursive in the same way",
  "src/googlesql/resolver/": "the rules of names and types follow that recursion",
};

/** Groups of files that import each other, directly or through others (Tarjan's strongly connected components). */
function findCircles(files: readonly string[], importsOfFile: (file: string) => readonly string[]): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    let low = number;
    stack.push(file);
    for (const target of importsOfFile(file)) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low === number) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}

describe("imports", () => {
  it("findCircles finds every group of files that import each other", () => {
    const graph: Record<string, string[]> = {
      a: ["b"],
      b: ["c", "e"],
      c: ["a"],
      d: ["a", "e"],
      e: ["f"],
      f: ["e"],
      g: [],
    };
    const circles = findCircles(Object.keys(graph), (file) => graph[file] ?? []);
    expect(circles.sort()).toEqual([
      ["a", "b", "c"],
      ["e", "f"],
    ]);
  });

  it("form no circle, those of types and those at run time included, but where the language is recursive", () => {
    const code = tracked.filter((file) => /\.(?:ts|tsx|mjs)$/.test(file));
    const known = new Set(code);
    const circles = findCircles(code, (file) => importsOf(file).filter((path) => known.has(path)));
    const folderOf = (circle: readonly string[]) =>
      Object.keys(circular).find((folder) => circle.every((file) => file.startsWith(folder)));
    expect(circles.filter((circle) => folderOf(circle) === undefined)).toEqual([]);
    // An outdated exception goes.
    expect([...new Set(circles.map(folderOf))].sort()).toEqual(Object.keys(circular).sort());
  });
});

describe("the pages beside the code", () => {
  const pages = tracked.filter((file) => file.endsWith(".md"));
  const folders = new Set(tracked.flatMap((file) => parentsOf(file)));

  /** Finds missing paths that a page names in back ticks, from the project's root or from the page's own folder. */
  function findMissing(pattern: RegExp, isThere: (path: string) => boolean): readonly string[] {
    return pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(pattern)]
        .map((match) => match[1] ?? "")
        // Capitals stand for a name that the reader chooses.
        .filter((path) => !/\bNAME\b/.test(path) && !isThere(join(path)) && !isThere(join(dirname(page), path)))
        .map((path) => `${page}: ${path}`),
    );
  }

  it("name existing files", () => {
    expect(findMissing(/`((?:\.\.\/)*[\w./-]+\.(?:tsx?|mjs|md))`/g, (path) => tracked.includes(path))).toEqual([]);
  });

  it("name existing folders, or parts of a data folder", () => {
    const missing = findMissing(/`((?:\.\.\/)*(?:[\w.-]+\/)+)`/g, (path) => folders.has(path.replace(/\/$/, "")));
    expect([...new Set(missing)]).toEqual([
      "docs/clickhouse.md: spool/",
      "docs/clickhouse.md: spool/damaged/",
      "docs/clickhouse.md: spool/refused/",
      "docs/storage.md: store/ids/",
      "docs/storage.md: store/spill/",
      "src/engines/clickhouse/spool/README.md: refused/",
      "src/engines/clickhouse/spool/README.md: retry/",
      "src/engines/clickhouse/spool/README.md: damaged/",
      "src/engines/clickhouse/spool/README.md: cut/",
    ]);
  });
});

function parentsOf(file: string): readonly string[] {
  const folder = dirname(file);
  return folder === "." ? [] : [folder, ...parentsOf(folder)];
}
