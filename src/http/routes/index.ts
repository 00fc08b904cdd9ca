import type { FastifyInstance } from "fastify";
import type { RouteDescription, ServiceDescription } from "../../openapi/route-description.ts";
import type { AppContext } from "../app-context.ts";
import type { CachedReplies } from "../cached-replies/cached-replies.ts";
import type { Metrics } from "../observe/metrics.ts";
import {
  type AccessTokenDependencies,
  accessTokenRoutes,
  accessTokenSchemas,
  addAccessTokenRoutes,
} from "./access-tokens.ts";
import { addCacheRoute, cacheRoutes } from "./cache.ts";
import { addCatalogueRoute, catalogueRoutes } from "./catalogue.ts";
import { addConsoleRoutes } from "./console.ts";
import { addDrainRoutes, backendRoutes, drainSchemas, ruleRoutes } from "./drains.ts";
import { addEndpointTestRoutes, type EndpointTestDependencies, endpointTestRoutes } from "./endpoint-tests.ts";
import {
  addEndpointVersionRoutes,
  type VersionDependencies,
  versionRoutes,
  versionSchemas,
} from "./endpoint-versions.ts";
import { addEndpointsRoutes, endpointRoutes, endpointSchemas } from "./endpoints.ts";
import { addExploreRoutes, exploreRoutes } from "./explore.ts";
import { addDeleteEventsRoute, deleteEventsRoutes } from "./forgetting/delete-events.ts";
import { addHealthRoute, healthRoutes } from "./health.ts";
import { addIngestRoutes, ingestRoutes, ingestSchemas } from "./ingest.ts";
import { addManagedEndpointRoutes, managedEndpointRoutes, managedEndpointSchemas } from "./managed-endpoints.ts";
import {
  addManagedSourceRoutes,
  type ManagedSourceDependencies,
  managedSourceRoutes,
  managedSourceSchemas,
} from "./managed-sources.ts";
import { addMetricsRoute, metricsRoutes } from "./metrics.ts";
import { addStoredEventRoutes, storedEventRoutes } from "./moving/stored-events.ts";
import { addOpenApiRoute, openApiRoutes } from "./openapi.ts";
import { addQueryRoutes, queryRoutes, querySchemas } from "./query.ts";
import { addReloadRoute, type ReloadRouteDependencies, reloadRoutes } from "./reload.ts";
import { addRunEndpointRoutes } from "./run-endpoint.ts";
import { addSessionRoute, sessionRoutes } from "./session.ts";
import { addOidcRoutes, oidcRoutes } from "./sign-in/oidc.ts";
import { addSignInRoutes, signInRoutes } from "./sign-in/sign-in.ts";
import { addSourcesRoutes, sourceRoutes, sourceSchemas } from "./sources.ts";
import { addStatisticsRoutes, statisticsRoutes } from "./statistics.ts";
import { addStoreRoutes, type StoreDependencies, storeRoutes } from "./store.ts";
import { addAlertRoutes, alertRoutes, alertSchemas } from "./surfaces/alerts.ts";
import { addBigQueryRoutes, bigQueryRoutes } from "./surfaces/bigquery.ts";
import { addKeyGrantRoute, keyGrantRoutes } from "./surfaces/key-grant.ts";
import { addLokiRoutes, lokiRoutes } from "./surfaces/loki.ts";
import { addMcpRoute, mcpRoutes } from "./surfaces/mcp.ts";
import { addTailRoute, tailRoutes } from "./tail.ts";
import { addViewRoutes, type ViewDependencies, viewRoutes } from "./views.ts";

/** The dependencies of the owners' routes. */
export type Management = Pick<AccessTokenDependencies, "tokens"> &
  Pick<VersionDependencies, "managed" | "store"> &
  Pick<EndpointTestDependencies, "tester"> &
  Pick<ManagedSourceDependencies, "managedSources"> &
  Pick<ReloadRouteDependencies, "reload"> &
  Pick<StoreDependencies, "metadata" | "metadataCopyPath" | "sizeBounds"> &
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

/** Some routes: how they are registered, and what the OpenAPI document tells of them. */
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

/** Every route of the service. */
const routeGroups: readonly RouteGroup[] = [
  // Calls of endpoints: their operations are made of each endpoint, so that no description of them stands here.
  { routes: {}, add: (app, { context, replies }) => addRunEndpointRoutes(app, context, replies) },
  { routes: exploreRoutes, add: (app, { context }) => addExploreRoutes(app, context) },
  { routes: tailRoutes, add: (app, { context }) => addTailRoute(app, context) },
  { routes: viewRoutes, add: managing(addViewRoutes) },
  { routes: mcpRoutes, add: (app, { context }) => addMcpRoute(app, context) },
  { routes: bigQueryRoutes, add: (app, { context }) => addBigQueryRoutes(app, context) },
  { routes: keyGrantRoutes, add: (app, { context }) => addKeyGrantRoute(app, context) },
  { routes: lokiRoutes, add: (app, { context }) => addLokiRoutes(app, context) },

  // Events come in: by the own form, and by those of other senders.
  { routes: ingestRoutes, schemas: ingestSchemas, add: (app, { context }) => addIngestRoutes(app, context) },

  // Endpoints, and queries of owners.
  { routes: endpointRoutes, schemas: endpointSchemas, add: (app, { context }) => addEndpointsRoutes(app, context) },
  { routes: managedEndpointRoutes, schemas: managedEndpointSchemas, add: managing(addManagedEndpointRoutes) },
  { routes: versionRoutes, schemas: versionSchemas, add: managing(addEndpointVersionRoutes) },
  { routes: endpointTestRoutes, add: managing(addEndpointTestRoutes) },
  { routes: queryRoutes, schemas: querySchemas, add: (app, { context }) => addQueryRoutes(app, context) },

  // Sources, and where their events are sent on to.
  { routes: sourceRoutes, schemas: sourceSchemas, add: (app, { context }) => addSourcesRoutes(app, context) },
  { routes: managedSourceRoutes, schemas: managedSourceSchemas, add: managing(addManagedSourceRoutes) },
  {
    routes: deleteEventsRoutes,
    add: managing((app, all) => {
      const { forgetting } = all;
      if (forgetting !== undefined) addDeleteEventsRoute(app, { ...all, forgetting });
    }),
  },
  { routes: { ...backendRoutes, ...ruleRoutes }, schemas: drainSchemas, add: addDrainRoutesIfAny },

  { routes: alertRoutes, schemas: alertSchemas, add: addAlertRoutesIfAny },

  // Who may do what, what was done, and what is stored.
  { routes: accessTokenRoutes, schemas: accessTokenSchemas, add: managing(addAccessTokenRoutes) },
  { routes: statisticsRoutes, add: (app, { context }) => addStatisticsRoutes(app, context) },
  { routes: cacheRoutes, add: (app, { context }) => addCacheRoute(app, context) },
  { routes: storeRoutes, add: managing((app, all) => addStoreRoutes(app, { ...all, engine: all.runner.engine })) },
  {
    routes: storedEventRoutes,
    add: managing((app, all) => addStoredEventRoutes(app, { ...all, engine: all.runner.engine })),
  },
  { routes: reloadRoutes, add: managing(addReloadRoute) },

  // The service itself.
  { routes: sessionRoutes, add: (app, { context }) => addSessionRoute(app, context) },
  { routes: signInRoutes, add: (app, { context }) => addSignInRoutes(app, context) },
  { routes: oidcRoutes, add: (app, { context }) => addOidcRoutes(app, context) },
  { routes: catalogueRoutes, add: addCatalogueRoute },
  { routes: healthRoutes, add: (app, { context }) => addHealthRoute(app, context) },
  { routes: metricsRoutes, add: (app, { context, metrics }) => addMetricsRoute(app, context, metrics) },
  { routes: openApiRoutes, add: (app, { context }) => addOpenApiRoute(app, context, describedService) },
  { routes: {}, add: (app, { context }) => addConsoleRoutes(app, context.consoleFolder) },
];

function addDrainRoutesIfAny(app: FastifyInstance, { context }: Parts): void {
  const { drains } = context;
  if (context.management !== undefined && drains !== undefined) addDrainRoutes(app, { ...context, drains });
}

function addAlertRoutesIfAny(app: FastifyInstance, { context }: Parts): void {
  const { alerts } = context;
  if (context.management !== undefined && alerts !== undefined) addAlertRoutes(app, { ...context, alerts });
}

/** The description of the service in the OpenAPI document, without its endpoints. */
export const describedService: ServiceDescription = {
  routes: routeGroups.flatMap(({ routes }) => Object.values(routes)),
  schemas: Object.assign({}, ...routeGroups.map(({ schemas }) => schemas ?? {})),
};

/** Registers every route. */
export function addRoutes(app: FastifyInstance, parts: Parts): void {
  for (const { add } of routeGroups) add(app, parts);
}
