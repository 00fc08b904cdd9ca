import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeProblem } from "../endpoints/call/plan/query-error.ts";
import type { Endpoint } from "../endpoints/definition/definition.ts";
import type { LogEvent } from "../engines/contract/query-engine.ts";
import { defaultMaxBodyBytes } from "../ingest/limits.ts";
import { parseEvents } from "../ingest/parse-events.ts";
import { messageOf } from "../shared/message-of.ts";
import type { SourceRegistry } from "../sources/source-registry.ts";
import { type Given, parseTestFile, readInstant, type TestCase } from "./test-file.ts";

/** Tests that cannot be run; the message lists every problem with file, line, column and a caret. */
export class TestFileError extends Error {
  override readonly name = "TestFileError";
}

/** One case, ready to run. */
export interface EndpointTest {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly test: TestCase;
  /** By the canonical name of the source. */
  readonly events: ReadonlyMap<string, readonly LogEvent[]>;
  /** The time of the case, in microseconds since 1970. */
  readonly nowUs: bigint;
}

/** Endpoints by the name of their file without `.sql`. */
export type EndpointsByFile = ReadonlyMap<string, Endpoint>;

const ending = ".test.yaml";
/** A fixed time, so that a test without a time gives the same result every day. */
const defaultNow = "2026-01-01T00:00:00Z";

/**
 * Reads all tests of a folder. Throws one `TestFileError` with all problems of all files, and where there is no test
 * at all.
 */
export async function loadTests(
  folder: string,
  endpoints: EndpointsByFile,
  sources: SourceRegistry,
): Promise<readonly EndpointTest[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
  if (files.length === 0) throw new TestFileError(`There are no tests (NAME${ending}) in ${folder}`);
  const tests: EndpointTest[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const path = join(folder, file);
    const stem = file.slice(0, -ending.length);
    const endpoint = endpoints.get(stem);
    if (endpoint === undefined) problems.push(`${path}: there is no endpoint file ${stem}.sql beside it`);
    else await loadFile(folder, path, endpoint, sources, tests, problems);
  }
  if (problems.length > 0) throw new TestFileError(problems.join("\n"));
  return tests;
}

async function loadFile(
  folder: string,
  path: string,
  endpoint: Endpoint,
  sources: SourceRegistry,
  tests: EndpointTest[],
  problems: string[],
): Promise<void> {
  const text = await readFile(path, "utf8");
  const parameters = endpoint.contract.parameters.map(({ name }) => name);
  const parsed = parseTestFile(text, parameters, sources.tableNames());
  if ("problems" in parsed) {
    problems.push(...parsed.problems.map(({ offset, message }) => describeProblem(path, text, offset, message)));
    return;
  }
  const { file, offsetOf } = parsed;
  const read = createEventReader(folder);
  for (const [index, test] of file.cases.entries()) {
    const nowUs = readInstant(test.now ?? file.now ?? defaultNow) ?? 0n;
    const events = new Map<string, readonly LogEvent[]>();
    for (const [alias, content] of Object.entries({ ...file.given, ...test.given })) {
      const source = sources.findSource(alias)?.name ?? alias;
      const given = await read(source, content, nowUs);
      if ("events" in given && !events.has(source)) {
        events.set(source, given.events);
        continue;
      }
      const isOwn = test.given !== undefined && alias in test.given;
      const at = offsetOf([...(isOwn ? ["cases", String(index)] : []), "given", alias]);
      const texts = "events" in given ? [`the source ${source} is given events under two names`] : given.problems;
      const found = texts.map((message) => describeProblem(path, text, at, `given.${alias}: ${message}`));
      problems.push(...found.filter((problem) => !problems.includes(problem)));
    }
    tests.push({ path, endpoint, test, events, nowUs });
  }
}

/** A source's normalised events, or the reasons why ingest would refuse them. */
type GivenEvents = { readonly events: readonly LogEvent[] } | { readonly problems: readonly string[] };

/**
 * Reads the events that cases give to sources; repeated reads return the same list, so that its table can be shared.
 */
function createEventReader(folder: string) {
  const known = new Map<string, Promise<GivenEvents>>();
  return (source: string, content: Given[string], nowUs: bigint): Promise<GivenEvents> => {
    const key = JSON.stringify([source, content, String(nowUs)]);
    const reading = known.get(key) ?? readEvents(folder, source, content, nowUs);
    known.set(key, reading);
    return reading;
  };
}

/** An event without an id is `SOURCE-1`, `SOURCE-2`, ..., so that a test can name it. */
async function readEvents(folder: string, source: string, content: Given[string], nowUs: bigint): Promise<GivenEvents> {
  try {
    const isInline = typeof content !== "string";
    const bytes = isInline ? Buffer.from(JSON.stringify(content)) : await readFile(join(folder, content));
    const contentType = isInline ? "application/json" : "application/x-ndjson";
    const { events, rejected } = await parseEvents({
      bytes,
      contentType,
      contentEncoding: undefined,
      nowUs,
      maxBytes: defaultMaxBodyBytes,
    });
    if (rejected.length > 0) {
      return {
        problems: rejected.map(({ index, reason }) => `event ${index + 1} would not be stored: ${reason}`),
      };
    }
    return {
      events: events.map((event, index) =>
        event.hasGeneratedId ? { ...event, id: `${source}-${index + 1}`, hasGeneratedId: false } : event,
      ),
    };
  } catch (error) {
    return { problems: [messageOf(error)] };
  }
}
