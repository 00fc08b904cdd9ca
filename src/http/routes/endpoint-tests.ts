import type { FastifyInstance } from "fastify";
import type { Authenticator } from "../../access/authenticator.ts";
import type { Endpoint } from "../../endpoints/definition/definition.ts";
import type { EndpointRegistry } from "../../endpoints/management/endpoint-registry.ts";
import { unknownEndpoint } from "../../endpoints/management/managed-endpoints.ts";
import { requirePrivate } from "../request/require-private.ts";

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

/** What the routes of endpoints' tests work with. */
export interface EndpointTestDependencies {
  readonly authenticator: Authenticator;
  readonly endpoints: Pick<EndpointRegistry, "find">;
  readonly tester: TestRunner;
}

interface TestRoute {
  readonly Params: { readonly name: string };
}

/** `GET /api/endpoints/{id-or-name}/tests`: how the endpoint's tests went last; `POST` runs them (scope `private`). */
export function addEndpointTestRoutes(app: FastifyInstance, dependencies: EndpointTestDependencies): void {
  const { authenticator, endpoints, tester } = dependencies;
  const options = { onRequest: requirePrivate(authenticator) };
  const find = (name: string): Endpoint => {
    const endpoint = endpoints.find(name);
    if (endpoint === undefined) throw unknownEndpoint(name);
    return endpoint;
  };
  const show = (endpoint: Endpoint, run: TestRun | undefined) => ({
    has_tests: tester.hasTests(endpoint),
    last: run === undefined ? null : showRun(run),
  });

  app.get<TestRoute>("/api/endpoints/:name/tests", options, ({ params }, reply) => {
    const endpoint = find(params.name);
    reply.header("Cache-Control", "no-store");
    return show(endpoint, tester.last(endpoint));
  });
  app.post<TestRoute>("/api/endpoints/:name/tests", options, async ({ params }, reply) => {
    const endpoint = find(params.name);
    reply.header("Cache-Control", "no-store");
    return show(endpoint, await tester.run(endpoint));
  });
}

function showRun({ ranAtMs, version, outcomes }: TestRun): object {
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
