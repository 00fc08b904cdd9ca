/** Constants of runs, whose values the embedded engine is asked for. */
import { LRUCache } from "lru-cache";
import type { Expr } from "../../googlesql/resolved.ts";
import {
  type CompiledQuery,
  type Engine,
  EngineError,
  type ParameterValue,
  type RunRequest,
} from "../contract/query-engine.ts";
import { once } from "../lowering/once.ts";
import { readsClock } from "../lowering/run-constants.ts";
import { readCells } from "../values/parameter-value.ts";

/** Values of a run by the keys of parameters. */
export type RunValues = ReadonlyMap<string | number, ParameterValue>;

/** Runs a query in the embedded engine, and returns its rows as JSON. */
export type AskEmbedded = (query: CompiledQuery, values: readonly ParameterValue[]) => Promise<string>;

/** How the embedded engine is asked on behalf of a run. */
export function askOn(
  residual: Pick<Engine, "run">,
  { limits, signal }: Pick<RunRequest, "limits" | "signal">,
): AskEmbedded {
  return async (query, values) => {
    const { batches } = await residual.run({ query, values, encoding: "cells", limits, signal });
    let json = "";
    for await (const batch of batches) json += batch.json;
    return json;
  };
}

/** Sets of values whose constants are cached. */
const MAX_CACHED = 100;
const MAX_KEY_LENGTH = 2_000;

/** Constants that are computed together. */
export class AskedConstants {
  readonly expressions: readonly Expr[];
  readonly #query: () => CompiledQuery;
  readonly #readsClock: boolean;
  /** Null where one fails. */
  readonly #known = new LRUCache<string, { readonly found: readonly ParameterValue[] | null }>({ max: MAX_CACHED });

  /** `compile` compiles the query for their values. */
  constructor(expressions: readonly Expr[], compile: (constants: readonly Expr[]) => CompiledQuery) {
    this.expressions = expressions;
    this.#query = once(() => compile(expressions));
    this.#readsClock = expressions.some(readsClock);
  }

  /** The values; undefined where they are not known, because one fails or the engine does. */
  async compute(run: RunValues, ask: AskEmbedded): Promise<readonly ParameterValue[] | undefined> {
    const query = this.#query();
    const values = query.parameters.map(({ key }) => [run.get(key) ?? null]);
    const key = this.#readsClock ? undefined : JSON.stringify(values);
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known.found ?? undefined;
    let found: readonly ParameterValue[] | undefined;
    try {
      found = readCells(query.columns, await ask(query, values));
    } catch (error) {
      if (!(error instanceof EngineError) || error.code === "aborted" || error.code === "timeout") throw error;
      if (error.code !== "query_failed") return undefined;
    }
    if (key !== undefined && key.length <= MAX_KEY_LENGTH) this.#known.set(key, { found: found ?? null });
    return found;
  }
}
