import { callsOf, parametersOf, type Tables, unknownOf } from "./arguments.ts";
import type { Release } from "./find-release.ts";
import { loadBuilder, replaced, type Send } from "./load-builder.ts";

/** A query that a release builds, and the export that built it first. */
export interface BuiltQuery {
  readonly endpoint: "logs.all" | "logs.all.otel";
  readonly sql: string;
  readonly builder: string;
}

/** All that a release's builders gave. */
export interface Collected {
  readonly queries: readonly BuiltQuery[];
  /** Exports that gave a query, or a part of one. */
  readonly called: readonly string[];
  /** Exports and files that gave none, or not for each call, with the reason. */
  readonly notCalled: readonly (readonly [builder: string, reason: string])[];
}

/** Builds every query of a release, both for Studio on its own and as hosted. */
export async function collectQueries(release: Release, modules: string): Promise<Collected> {
  const collector = new Collector();
  for (const isHosted of [false, true]) {
    const tables = await readTables(release, { modules, isHosted, send: () => undefined });
    for (const file of release.builders) {
      collector.begin(file, isHosted);
      try {
        const exports = await loadBuilder(release, file, { modules, isHosted, send: collector.send });
        for (const [name, value] of Object.entries(exports)) await collector.visit(value, name, tables);
      } catch (error) {
        collector.miss(`does not load: ${messageOf(error)}`);
      }
    }
  }
  return collector.end(release.builders);
}

/** Reads a release's tables and their filters from its own constants. */
async function readTables(release: Release, options: Parameters<typeof loadBuilder>[2]): Promise<Tables> {
  const file = release.builders.find((builder) => builder.endsWith("Settings/Logs/Logs.constants.ts"));
  const exports = file === undefined ? {} : await loadBuilder(release, file, options);
  const { LogsTableName = {}, SQL_FILTER_TEMPLATES = {} } = exports;
  const hasTextFilters = release.hasFile("components/interfaces/UnifiedLogs/UnifiedLogs.filters.ts");
  return {
    names: Object.values(LogsTableName as object),
    filters: SQL_FILTER_TEMPLATES as Tables["filters"],
    hasTextFilters,
  };
}

/** Walks through exports, calls those that build SQL, and notes what they give. */
class Collector {
  readonly #queries = new Map<string, BuiltQuery>();
  readonly #called = new Set<string>();
  readonly #missed = new Map<string, string>();
  #file = "";
  #builder = "";
  #isHosted = false;
  #given = 0;

  begin(file: string, isHosted: boolean): void {
    this.#file = file;
    this.#builder = file;
    this.#isHosted = isHosted;
  }

  end(files: readonly string[]): Collected {
    const isHeard = (file: string) =>
      [...this.#called, ...this.#missed.keys()].some((name) => name === file || name.startsWith(`${file} `));
    const silent = files.filter((file) => !isHeard(file)).map((file) => [file, "no export reaches its SQL"] as const);
    const missed = [...this.#missed].filter(([builder]) => !this.#called.has(builder));
    return { queries: [...this.#queries.values()], called: [...this.#called], notCalled: [...missed, ...silent] };
  }

  miss(reason: string, part = ""): void {
    this.#missed.set(`${this.#builder}${part}`, reason);
  }

  /** Takes the place of calls to the API. */
  readonly send: Send = (address, ...sent) => {
    for (const sql of findSql(sent)) this.#add(sql, String(address));
    return Promise.resolve({ data: { result: [] } });
  };

  #add(sql: string, address?: string): void {
    this.#given++;
    this.#called.add(this.#builder);
    if (sql.includes(replaced)) {
      this.miss(`needs the ${sql.slice(sql.indexOf(replaced)).split("\n")[0]?.trim()}`, ", in part");
      return;
    }
    if (!isQuery(sql)) return;
    const isOtel = address === undefined ? /\bfrom\s+logs\b/i.test(sql) : address.includes("logs.all.otel");
    const endpoint = isOtel ? "logs.all.otel" : "logs.all";
    const key = `${endpoint} ${sql}`;
    if (!this.#queries.has(key)) this.#queries.set(key, { endpoint, sql, builder: this.#builder });
  }

  async visit(value: unknown, path: string, tables: Tables, depth = 0): Promise<void> {
    this.#builder = `${this.#file} ${path}`;
    if (typeof value === "string" && isQuery(value)) this.#add(value);
    else if (typeof value === "function") await this.#call(value as Send, path, tables, depth);
    else if (typeof value === "object" && value !== null && depth < 6) {
      // Statements for a project's database.
      if ("queryType" in value && value.queryType === "db") return;
      for (const [key, part] of Object.entries(value)) await this.visit(part, `${path}.${key}`, tables, depth + 1);
    }
  }

  async #call(build: Send, path: string, tables: Tables, depth: number): Promise<void> {
    const own = this.#builder;
    const text = String(build);
    const kind = kindOf(path.split(".").at(-1) ?? path, text);
    if (kind === "React") this.miss("a component or a hook of React");
    if (kind !== "builder") return;
    const before = this.#given;
    const failures: string[] = [];
    const parameters = parametersOf(text);
    const calls = callsOf(parameters, tables);
    for (const words of calls) {
      try {
        const made = await build(...words);
        this.#builder = own;
        if (typeof made === "string" && made !== "") this.#add(made);
        else if (typeof made === "object" && depth < 3) await this.visit(made, path, tables, depth + 1);
      } catch (error) {
        failures.push(messageOf(error));
      }
      this.#builder = own;
    }
    const unknown = unknownOf(parameters);
    if (this.#given > before) this.#called.add(own);
    // What is made for one of the two alone fails in the other, whole.
    if (failures.length === calls.length && this.#isHosted && this.#called.has(own)) return;
    if (this.#called.has(own) && failures.length > 0) {
      this.miss(`${failures.length} of ${calls.length} calls failed: ${failures[0]}`, ", in part");
    }
    const unclear =
      unknown.length === 0 ? "gave no query" : `gave no query; parameters not known: ${unknown.join(", ")}`;
    this.miss(failures[0] ?? unclear);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";

/** Tells builders from what only reads a query or its answer, by their names and texts. */
function kindOf(name: string, text: string): "builder" | "React" | "other" {
  const hasSql = /\bselect\b/i.test(text);
  if (/^use[A-Z]|^[A-Z][a-z]|^default$/.test(name)) return hasSql ? "React" : "other";
  const takesQuery = parametersOf(text)
    .flat()
    .some((parameter) => /^(?:sql|query|text)$/.test(parameter));
  const isNamedSo = /sql|query|queries|report|template|stats|^fetch|cte$|keys$|dataProvider/i.test(name);
  return !takesQuery && (hasSql || isNamedSo) ? "builder" : "other";
}

/** Whether a text is a whole query over logs: its WITH tables alone are a part of one. */
function isQuery(text: string): boolean {
  let outside = text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, "");
  if (!/^\s*\(?\s*(?:select|with)\b/i.test(outside) || !/\bfrom\s+[`"]?\w*logs\b/i.test(outside)) return false;
  if (/^\s*with\b/i.test(outside)) {
    for (let before = ""; before !== outside; ) {
      before = outside;
      outside = outside.replace(/\([^()]*\)/g, " ");
    }
  }
  return /\bselect\b/i.test(outside);
}

/** Every text below a key `sql` in what is sent. */
function findSql(sent: unknown): readonly string[] {
  if (typeof sent !== "object" || sent === null) return [];
  return Object.entries(sent).flatMap(([key, value]) =>
    key === "sql" && typeof value === "string" ? [value] : findSql(value),
  );
}
