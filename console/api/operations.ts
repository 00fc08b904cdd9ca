import type { DescribedRoutes } from "../../src/http/routes/index.ts";
import type { AnswerOf } from "../../src/openapi/route-description.ts";

/** The operations that the console calls, by their ids: method and path, which the compiler holds to the routes. */
export const operations = {
  listTables: ["get", "/api/endpoints/query/{endpoint}/tables"],
  checkQuery: ["get", "/api/endpoints/query/{endpoint}/parse"],
  countRows: ["get", "/api/endpoints/query/{endpoint}/overview"],
  showAround: ["get", "/api/endpoints/query/{endpoint}/around"],
  listViews: ["get", "/api/views"],
  saveView: ["post", "/api/views"],
  deleteView: ["delete", "/api/views/{id}"],
  runQuery: ["post", "/api/query"],
  parseQuery: ["post", "/api/query/parse"],
  listFunctions: ["get", "/api/catalogue"],
  sendEvents: ["post", "/api/logs"],
  listEndpoints: ["get", "/api/endpoints"],
  createEndpoint: ["post", "/api/endpoints"],
  getEndpoint: ["get", "/api/endpoints/{endpoint}"],
  changeEndpoint: ["patch", "/api/endpoints/{endpoint}"],
  deleteEndpoint: ["delete", "/api/endpoints/{endpoint}"],
  listVersions: ["get", "/api/endpoints/{endpoint}/versions"],
  diffVersions: ["get", "/api/endpoints/{endpoint}/versions/{version}/diff/{other}"],
  rollBack: ["post", "/api/endpoints/{endpoint}/versions/{version}/rollback"],
  getTests: ["get", "/api/endpoints/{endpoint}/tests"],
  runTests: ["post", "/api/endpoints/{endpoint}/tests"],
  listSources: ["get", "/api/sources"],
  createSource: ["post", "/api/sources"],
  getSource: ["get", "/api/sources/{source}"],
  changeSource: ["patch", "/api/sources/{source}"],
  deleteSource: ["delete", "/api/sources/{source}"],
  getSourceSchema: ["get", "/api/sources/{source}/schema"],
  listBackends: ["get", "/api/backends"],
  createBackend: ["post", "/api/backends"],
  getBackend: ["get", "/api/backends/{id}"],
  replaceBackend: ["put", "/api/backends/{id}"],
  deleteBackend: ["delete", "/api/backends/{id}"],
  testBackend: ["post", "/api/backends/{id}/test"],
  listRules: ["get", "/api/rules"],
  createRule: ["post", "/api/rules"],
  changeRule: ["patch", "/api/rules/{id}"],
  deleteRule: ["delete", "/api/rules/{id}"],
  listAlerts: ["get", "/api/alerts"],
  createAlert: ["post", "/api/alerts"],
  getAlert: ["get", "/api/alerts/{id}"],
  replaceAlert: ["put", "/api/alerts/{id}"],
  deleteAlert: ["delete", "/api/alerts/{id}"],
  getAlertState: ["get", "/api/alerts/{id}/state"],
  silenceAlert: ["post", "/api/alerts/{id}/silence"],
  testAlert: ["post", "/api/alerts/{id}/test"],
  listAccessTokens: ["get", "/api/access-tokens"],
  createAccessToken: ["post", "/api/access-tokens"],
  revokeAccessToken: ["delete", "/api/access-tokens/{id}"],
  rotateAccessToken: ["post", "/api/access-tokens/{id}/rotate"],
  countCalls: ["get", "/api/statistics/endpoints"],
  countIntake: ["get", "/api/statistics/sources"],
  getStore: ["get", "/api/store"],
  getSession: ["get", "/api/session"],
  getSignIn: ["get", "/api/sign-in"],
  signOut: ["post", "/api/sign-out"],
  getMetrics: ["get", "/metrics"],
} as const satisfies {
  readonly [Id in keyof DescribedRoutes]?: readonly [DescribedRoutes[Id]["method"], DescribedRoutes[Id]["path"]];
};

export type OperationName = keyof typeof operations;

/** The JSON that each operation answers; undefined for one that answers none. */
export type Answers = { readonly [Name in OperationName]: AnswerOf<DescribedRoutes[Name]> };

export type Endpoint = Answers["getEndpoint"];
export type Version = Answers["listVersions"][number];
