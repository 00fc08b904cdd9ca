import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Endpoint } from "../../../endpoints/definition/definition.ts";
import type { EndpointRegistry } from "../../../endpoints/management/endpoint-registry.ts";
import { requireEndpoint } from "../../../endpoints/management/managed-endpoints.ts";
import { count, flag, inPath, listOf, orNull, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { createRouteAdder } from "../../request/add-route.ts";

/** How an endpoint's tests went. */
export interface TestRun {
  /** Milliseconds since 1970. */
  readonly ranAtMs: number;
  readonly version: number;
  readonly outcomes: readonly {
    readonly name: string;
    readonly isPassed: boolean;
    readonly ms: number;
    readonly difference: string | undefined;
  }[];
}

/** Runs the tests beside an endpoint's file; `run` throws `ServiceError` where they cannot be run. */
export interface TestRunner {
  hasTests(endpoint: Endpoint): boolean;
  last(endpoint: Endpoint): TestRun | undefined;
  run(endpoint: Endpoint): Promise<TestRun>;
}

/** The dependencies of the routes of endpoints' tests. */
export interface EndpointTestDependencies {
  readonly endpoints: Pick<EndpointRegistry, "find">;
  readonly tester: TestRunner;
}

const ShownRun = Type.Object({
  ran_at: text,
  version: count,
  passed: count,
  failed: count,
  tests: listOf({ name: text, is_passed: flag, ms: Type.Number(), difference: orNull(text) }),
});

const ofTests = {
  tag: "endpoint management",
  scope: "private",
  path: "/api/endpoints/{endpoint}/tests",
  parameters: [inPath("endpoint", "Id or name")],
  answer: Type.Object({
    has_tests: flag,
    last: orNull({ ...ShownRun, description: "Null until they ran, since the service started" } as typeof ShownRun),
  }),
} as const;

export const endpointTestRoutes = describeRoutes({
  getTests: {
    ...ofTests,
    summary: "Tell how the tests beside an endpoint's file went last",
    errors: ["unknown_endpoint"],
  },
  runTests: {
    ...ofTests,
    method: "post",
    summary: "Run the tests beside an endpoint's file, on an engine in memory",
    errors: ["unknown_endpoint", "validation_failed"],
  },
});

/** `GET /api/endpoints/{id-or-name}/tests`: how the endpoint's tests went last; `POST` runs them (scope `private`). */
export function addEndpointTestRoutes(app: FastifyInstance, dependencies: EndpointTestDependencies): void {
  const { endpoints, tester } = dependencies;
  const addRoute = createRouteAdder(app);
  const show = (endpoint: Endpoint, run: TestRun | undefined) => ({
    has_tests: tester.hasTests(endpoint),
    last: run === undefined ? null : showRun(run),
  });

  addRoute(endpointTestRoutes.getTests, ({ params }, reply) => {
    const endpoint = requireEndpoint(endpoints, params.endpoint);
    reply.header("Cache-Control", "no-store");
    return show(endpoint, tester.last(endpoint));
  });
  addRoute(endpointTestRoutes.runTests, async ({ params }, reply) => {
    const endpoint = requireEndpoint(endpoints, params.endpoint);
    reply.header("Cache-Control", "no-store");
    return show(endpoint, await tester.run(endpoint));
  });
}

function showRun({ ranAtMs, version, outcomes }: TestRun): Static<typeof ShownRun> {
  return {
    ran_at: new Date(ranAtMs).toISOString(),
    version,
    passed: outcomes.filter(({ isPassed }) => isPassed).length,
    failed: outcomes.filter(({ isPassed }) => !isPassed).length,
    tests: outcomes.map(({ name, isPassed, ms, difference }) => ({
      name,
      is_passed: isPassed,
      ms,
      difference: difference ?? null,
    })),
  };
}
