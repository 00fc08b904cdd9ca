import type { FastifyInstance } from "fastify";
import type { RouteDescription, ServiceDescription } from "../../openapi/route-description.ts";
import type { AppContext } from "../app-context.ts";
import type { CachedReplies } from "../cached-replies/cached-replies.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { ErrorForm } from "../plugins/errors.ts";
import {
  type AccessTokenDependencies,
  accessTokenRoutes,
  accessTokenSchemas,
  addAccessTokenRoutes,
} from "./admin/access-tokens.ts";
import { addAlertRoutes, alertRoutes, alertSchemas } from "./admin/alerts.ts";
import { addCacheRoute, cacheRoutes } from "./admin/cache.ts";
import { addDeleteEventsRoute, deleteEventsRoutes } from "./admin/delete-events.ts";
import { addBackendRoutes, addRuleRoutes, backendRoutes, drainSchemas, ruleRoutes } from "./admin/drains.ts";
import { addEndpointTestRoutes, type EndpointTestDependencies, endpointTestRoutes } from "./admin/endpoint-tests.ts";
import {
  addEndpointVersionRoutes,
  type VersionDependencies,
  versionRoutes,
  versionSchemas,
} from "./admin/endpoint-versions.ts";
import { addEndpointsRoutes, endpointRoutes, endpointSchemas } from "./admin/endpoints.ts";
import { addManagedEndpointRoutes, managedEndpointRoutes, managedEndpointSchemas } from "./admin/managed-endpoints.ts";
import {
  addManagedSourceRoutes,
  type ManagedSourceDependencies,
  managedSourceRoutes,
  managedSourceSchemas,
} from "./admin/managed-sources.ts";
import { addReloadRoute, type ReloadRouteDependencies, reloadRoutes } from "./admin/reload.ts";
import { addSourcesRoutes, sourceRoutes, sourceSchemas } from "./admin/sources.ts";
import { addStatisticsRoutes, statisticsRoutes } from "./admin/statistics.ts";
import { addStoreRoutes, type StoreDependencies, storeRoutes } from "./admin/store.ts";
import { addStoredEventRoutes, storedEventRoutes } from "./admin/stored-events.ts";
import { addIngestRoutes, ingestRoutes, ingestSchemas } from "./ingest/ingest.ts";
import { addCatalogueRoute, catalogueRoutes } from "./query/catalogue.ts";
import { addExploreRoutes, exploreRoutes } from "./query/explore.ts";
import { addQueryRoutes, queryRoutes, querySchemas } from "./query/query.ts";
import { addRunEndpointRoutes } from "./query/run-endpoint.ts";
import { addTailRoute, tailRoutes } from "./query/tail.ts";
import { addViewRoutes, type ViewDependencies, viewRoutes } from "./query/views.ts";
import { addConsoleRoutes } from "./service/console.ts";
import { addHealthRoute, healthRoutes } from "./service/health.ts";
import { addMetricsRoute, metricsRoutes } from "./service/metrics.ts";
import { addOpenApiRoute, openApiRoutes } from "./service/openapi.ts";
import { addOidcRoutes, oidcRoutes } from "./sign-in/oidc.ts";
import { addSessionRoute, sessionRoutes } from "./sign-in/session.ts";
import { addSignInRoutes, signInRoutes } from "./sign-in/sign-in.ts";
import { addBigQueryRoutes, bigQueryErrors, bigQueryRoutes } from "./surfaces/bigquery.ts";
import { addKeyGrantRoute, keyGrantRoutes } from "./surfaces/key-grant.ts";
import { addLokiRoutes, lokiErrors, lokiRoutes } from "./surfaces/loki.ts";
import { addMcpRoute, mcpRoutes } from "./surfaces/mcp.ts";

/** The dependencies of the owners' routes. */
export type Management = Pick<AccessTokenDependencies, "tokens"> &
  Pick<VersionDependencies, "managed" | "store"> &
  Pick<EndpointTestDependencies, "tester"> &
  Pick<ManagedSourceDependencies, "managedSources"> &
  Pick<ReloadRouteDependencies, "reload"> &
  Pick<StoreDependencies, "metadata" | "metadataCopyPath" | "findProblems" | "sizeBounds"> &
  Pick<ViewDependencies, "views">;

/** The context of all routes; without `management` there are no routes for owners. */
export interface ServedContext extends AppContext {
  readonly management?: Management;
}

/** The dependencies of all routes together. */
interface Parts {
  readonly context: ServedContext;
  readonly metrics: Metrics;
  readonly replies: CachedReplies;
}

/** Some routes: how they are registered, and what the OpenAPI document says of them. */
interface RouteGroup {
  readonly routes: Readonly<Record<string, RouteDescription>>;
  readonly schemas?: ServiceDescription["schemas"];
  readonly add: (app: FastifyInstance, parts: Parts) => void;
}

/** Those that are there where there is something to manage. */
const managing =
  (add: (app: FastifyInstance, dependencies: AppContext & Management) => void): RouteGroup["add"] =>
  (app, { context }) => {
    if (context.management !== undefined) add(app, { ...context, ...context.management });
  };

/** The same, for a part that the service may lack. */
const managingSome = <Part extends "forgetting" | "drains" | "alerts">(
  part: Part,
  add: (app: FastifyInstance, dependencies: Having<Part>) => void,
): RouteGroup["add"] =>
  managing((app, all) => {
    if (has(all, part)) add(app, all);
  });

type Having<Part extends keyof AppContext> = AppContext & Required<Pick<AppContext, Part>>;

function has<Part extends keyof AppContext>(context: AppContext, part: Part): context is Having<Part> {
  return context[part] !== undefined;
}

/** Every route of the service, by who calls it: one part for each folder. */
const routeGroups: readonly RouteGroup[] = [
  // query/: consumers read. Operations of calls are made of each endpoint, so that no description of them stands here.
  { routes: {}, add: (app, { context, replies }) => addRunEndpointRoutes(app, context, replies) },
  { routes: exploreRoutes, add: (app, { context }) => addExploreRoutes(app, context) },
  { routes: tailRoutes, add: (app, { context }) => addTailRoute(app, context) },
  { routes: viewRoutes, add: managing(addViewRoutes) },
  { routes: queryRoutes, schemas: querySchemas, add: (app, { context }) => addQueryRoutes(app, context) },
  { routes: catalogueRoutes, add: addCatalogueRoute },

  // surfaces/: the same reading, by tools that speak an API of their own.
  { routes: mcpRoutes, add: (app, { context }) => addMcpRoute(app, context) },
  { routes: bigQueryRoutes, add: (app, { context }) => addBigQueryRoutes(app, context) },
  { routes: keyGrantRoutes, add: (app, { context }) => addKeyGrantRoute(app, context) },
  { routes: lokiRoutes, add: (app, { context }) => addLokiRoutes(app, context) },

  // ingest/: senders store events, by the own form and by those of other services.
  { routes: ingestRoutes, schemas: ingestSchemas, add: (app, { context }) => addIngestRoutes(app, context) },

  // admin/: owners manage what there is.
  { routes: endpointRoutes, schemas: endpointSchemas, add: (app, { context }) => addEndpointsRoutes(app, context) },
  { routes: managedEndpointRoutes, schemas: managedEndpointSchemas, add: managing(addManagedEndpointRoutes) },
  { routes: versionRoutes, schemas: versionSchemas, add: managing(addEndpointVersionRoutes) },
  { routes: endpointTestRoutes, add: managing(addEndpointTestRoutes) },
  { routes: sourceRoutes, schemas: sourceSchemas, add: (app, { context }) => addSourcesRoutes(app, context) },
  { routes: managedSourceRoutes, schemas: managedSourceSchemas, add: managing(addManagedSourceRoutes) },
  { routes: deleteEventsRoutes, add: managingSome("forgetting", addDeleteEventsRoute) },
  { routes: backendRoutes, schemas: drainSchemas, add: managingSome("drains", addBackendRoutes) },
  { routes: ruleRoutes, add: managingSome("drains", addRuleRoutes) },
  { routes: alertRoutes, schemas: alertSchemas, add: managingSome("alerts", addAlertRoutes) },
  { routes: accessTokenRoutes, schemas: accessTokenSchemas, add: managing(addAccessTokenRoutes) },
  { routes: statisticsRoutes, add: (app, { context }) => addStatisticsRoutes(app, context) },
  { routes: cacheRoutes, add: (app, { context }) => addCacheRoute(app, context) },
  { routes: storeRoutes, add: managing((app, all) => addStoreRoutes(app, { ...all, engine: all.runner.engine })) },
  {
    routes: storedEventRoutes,
    add: managing((app, all) => addStoredEventRoutes(app, { ...all, engine: all.runner.engine })),
  },
  { routes: reloadRoutes, add: managing(addReloadRoute) },

  // sign-in/: people of the console.
  { routes: sessionRoutes, add: (app, { context }) => addSessionRoute(app, context) },
  { routes: signInRoutes, add: (app, { context }) => addSignInRoutes(app, context) },
  { routes: oidcRoutes, add: (app, { context }) => addOidcRoutes(app, context) },

  // service/: the service itself, for whoever operates or looks at it.
  { routes: healthRoutes, add: (app, { context }) => addHealthRoute(app, context) },
  { routes: metricsRoutes, add: (app, { context, metrics }) => addMetricsRoute(app, context, metrics) },
  { routes: openApiRoutes, add: (app, { context }) => addOpenApiRoute(app, context, describedService) },
  { routes: {}, add: (app, { context }) => addConsoleRoutes(app, context.consoleFolder) },
];

/** Every described route by its id, for callers that the compiler checks. */
export type DescribedRoutes = typeof exploreRoutes &
  typeof tailRoutes &
  typeof viewRoutes &
  typeof queryRoutes &
  typeof catalogueRoutes &
  typeof mcpRoutes &
  typeof bigQueryRoutes &
  typeof keyGrantRoutes &
  typeof lokiRoutes &
  typeof ingestRoutes &
  typeof endpointRoutes &
  typeof managedEndpointRoutes &
  typeof versionRoutes &
  typeof endpointTestRoutes &
  typeof sourceRoutes &
  typeof managedSourceRoutes &
  typeof deleteEventsRoutes &
  typeof backendRoutes &
  typeof ruleRoutes &
  typeof alertRoutes &
  typeof accessTokenRoutes &
  typeof statisticsRoutes &
  typeof cacheRoutes &
  typeof storeRoutes &
  typeof storedEventRoutes &
  typeof reloadRoutes &
  typeof sessionRoutes &
  typeof signInRoutes &
  typeof oidcRoutes &
  typeof healthRoutes &
  typeof metricsRoutes &
  typeof openApiRoutes;

/** The forms of errors of other APIs. */
export const errorForms: readonly ErrorForm[] = [bigQueryErrors, lokiErrors];

/** The description of the service in the OpenAPI document, without its endpoints. */
export const describedService: ServiceDescription = {
  routes: routeGroups.flatMap(({ routes }) => Object.values(routes)),
  schemas: Object.assign({}, ...routeGroups.map(({ schemas }) => schemas ?? {})),
};

/** Registers every route. */
export function addRoutes(app: FastifyInstance, parts: Parts): void {
  for (const { add } of routeGroups) add(app, parts);
}
