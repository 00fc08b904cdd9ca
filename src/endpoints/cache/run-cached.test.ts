import { expect, it } from "vitest";
import { GoogleSqlError } from "../../googlesql/diagnostic.ts";
import type { ServiceError } from "../../shared/errors.ts";
import { noPins } from "../call/prepare/query-call.ts";
import { draftEndpoint } from "../definition/draft-endpoint.ts";
import { toDefinition } from "../definition/to-definition.ts";
import { runCached } from "./run-cached.ts";

const header = { id: "00000000-0000-4000-8000-00000000000a", cache_seconds: 60 };
const target = draftEndpoint(toDefinition(header, "cached", "SELECT 1 AS one").definition);

it("a cached answer's endpoint that broke tells its owner alone why", async () => {
  const refusalOf = async (isOwner?: boolean): Promise<ServiceError> => {
    const plan = () => {
      const problem = { code: "unknown_column", message: "of another tenant", span: { start: 0, end: 1 } } as const;
      throw new GoogleSqlError("SELECT 1 AS one", [problem]);
    };
    const dependencies = { runner: { planner: { plan, tenantParameters: () => [] }, now: () => 0, budget: {} } };
    const call = {
      ...{
        target,
        parameters: new Map(),
        pinned: noPins,
        redactsPii: false,
        openSignal: () => new AbortController().signal,
      },
      ...(isOwner === undefined ? {} : { isOwner }),
    };
    try {
      await runCached(dependencies as never, call as never, {});
    } catch (error) {
      return error as ServiceError;
    }
    throw new Error("was answered");
  };
  const message = "The endpoint cached does not work any more";
  expect(await refusalOf(true)).toMatchObject({ code: "endpoint_broken", message: `${message}: of another tenant` });
  expect(await refusalOf(false)).toMatchObject({ code: "endpoint_broken", message });
  expect(await refusalOf()).toMatchObject({ code: "endpoint_broken", message });
  expect(JSON.stringify((await refusalOf(false)).details)).not.toContain("another");
});
