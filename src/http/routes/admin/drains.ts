import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import type { DrainRule, Backend as SavedBackend } from "../../../drains/backend.ts";
import { BackendDocument, showBackend } from "../../../drains/backend-document.ts";
import type { RuleStatus } from "../../../drains/drains.ts";
import { RuleDocument, showRule } from "../../../drains/rule-document.ts";
import { savingErrors } from "../../../openapi/error-responses.ts";
import { count, inPath, inQuery, orNull, reference, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { groupBy } from "../../../shared/group-by.ts";
import { listPageParameters, takePage } from "../../answer/list-page.ts";
import type { AppContext } from "../../app-context.ts";
import { createRouteAdder, type RequestOf } from "../../request/add-route.ts";
import { urlParameters } from "../../request/request-parameters.ts";
import { callerOf } from "../../request/route-access.ts";

type DrainDependencies = Required<Pick<AppContext, "drains" | "audit">>;

const DeliveryStatus = Type.Object({
  rule_id: text,
  source: text,
  waiting: count,
  delivered: count,
  refused: count,
  dropped: count,
  removed: count,
  excluded: count,
  looped: count,
  failures: count,
  last_error: orNull(text),
  last_delivered_at: orNull(text),
});

const Backend = Type.Object({
  id: text,
  token: text,
  name: text,
  description: text,
  type: text,
  config: Type.Unsafe<object>({ type: "object", description: "Secrets are shown as ********" }),
  metadata: Type.Unsafe<object>({ type: "object" }),
  inserted_at: text,
  updated_at: text,
  status: Type.Array(DeliveryStatus),
});

const Rule = Type.Object({
  id: text,
  token: text,
  backend_id: text,
  source_id: text,
  source: text,
  lql_string: text,
  inserted_at: text,
});

export const drainSchemas = { BackendDocument, Backend, RuleDocument, Rule };
const ofDrains = { tag: "log drains", scope: "private" } as const;

const backend = reference("Backend", Backend);
const backendDocument = reference("BackendDocument", BackendDocument);
const oneBackend = {
  ...ofDrains,
  path: "/api/backends/{id}",
  parameters: [inPath("id", "The id of a backend")],
} as const;
const changeBackend = {
  summary: "Change a backend; omitted fields are unchanged",
  body: backendDocument,
  isCheckedByHandler: true,
  answer: backend,
  errors: [...savingErrors, "unknown_backend"],
} as const;

export const backendRoutes = describeRoutes({
  listBackends: {
    ...ofDrains,
    path: "/api/backends",
    summary: "List the backends, with the state of their deliveries",
    parameters: [inQuery("metadata[type]", "Only backends whose metadata has this type"), ...listPageParameters],
    answer: Type.Array(backend),
  },
  createBackend: {
    ...ofDrains,
    method: "post",
    path: "/api/backends",
    summary: "Create a backend",
    body: backendDocument,
    isCheckedByHandler: true,
    status: 201,
    answer: backend,
    errors: savingErrors,
  },
  getBackend: {
    ...oneBackend,
    summary: "Show a backend",
    answer: backend,
    errors: ["unknown_backend"],
  },
  replaceBackend: { ...oneBackend, ...changeBackend, method: "put" },
  changeBackend: { ...oneBackend, ...changeBackend, method: "patch" },
  testBackend: {
    ...oneBackend,
    method: "post",
    path: "/api/backends/{id}/test",
    summary: "Send a request without events to a backend",
    answer: Type.Object({ connected: Type.Boolean(), reason: Type.Optional(text) }),
    errors: ["unknown_backend"],
  },
  deleteBackend: {
    ...oneBackend,
    method: "delete",
    summary: "Delete a backend",
    errors: ["unknown_backend"],
  },
});

const rule = reference("Rule", Rule);
const ruleDocument = reference("RuleDocument", RuleDocument);
const oneRule = { ...ofDrains, path: "/api/rules/{id}", parameters: [inPath("id", "The id of a rule")] } as const;
const changeRule = {
  summary: "Change a rule; omitted fields are unchanged",
  body: ruleDocument,
  isCheckedByHandler: true,
  answer: rule,
  errors: [...savingErrors, "unknown_rule"],
} as const;

export const ruleRoutes = describeRoutes({
  listRules: {
    ...ofDrains,
    path: "/api/rules",
    summary: "List the rules",
    parameters: [inQuery("backend_id", "Only rules of this backend"), ...listPageParameters],
    answer: Type.Array(rule),
  },
  createRule: {
    ...ofDrains,
    method: "post",
    path: "/api/rules",
    summary: "Create a rule",
    body: ruleDocument,
    isCheckedByHandler: true,
    status: 201,
    answer: rule,
    errors: savingErrors,
  },
  getRule: { ...oneRule, summary: "Show a rule", answer: rule, errors: ["unknown_rule"] },
  replaceRule: { ...oneRule, ...changeRule, method: "put" },
  changeRule: { ...oneRule, ...changeRule, method: "patch" },
  deleteRule: { ...oneRule, method: "delete", summary: "Delete a rule", errors: ["unknown_rule"] },
});

/** `/api/backends` (scope `private`): list, make, show, change and delete. Nothing that is answered holds a secret. */
export function addBackendRoutes(app: FastifyInstance, { drains, audit }: DrainDependencies): void {
  const addRoute = createRouteAdder(app);
  const show = (backend: SavedBackend) => {
    return { ...showBackend(backend), status: drains.status(backend.id).map(showStatus) };
  };
  const note = (
    request: FastifyRequest,
    action: `backend.${"create" | "update" | "delete" | "test"}`,
    { id, name }: SavedBackend,
  ) => audit.record({ action, actor: callerOf(request).tokenId, target: name, targetId: id });

  addRoute(backendRoutes.listBackends, (request, reply) => {
    const wanted = urlParameters(request).get("metadata[type]")?.at(-1);
    const status = groupBy(drains.status(), ({ rule }) => rule.backendId);
    const found = drains.backends.filter(({ metadata }) => wanted === undefined || metadata.type === wanted);
    return takePage(request, reply, found, ({ id }) => id).map((each) => {
      return { ...showBackend(each), status: (status.get(each.id) ?? []).map(showStatus) };
    });
  });
  addRoute(backendRoutes.createBackend, async (request, reply) => {
    const backend = await drains.saveBackend(request.body);
    note(request, "backend.create", backend);
    return reply.status(201).header("Location", `/api/backends/${backend.id}`).send(show(backend));
  });
  addRoute(backendRoutes.getBackend, ({ params }) => show(drains.findBackend(params.id)));
  const change = async (request: RequestOf<typeof backendRoutes.changeBackend>, reply: FastifyReply) => {
    const backend = await drains.saveBackend(request.body, request.params.id);
    note(request, "backend.update", backend);
    return reply.send(show(backend));
  };
  addRoute(backendRoutes.replaceBackend, change);
  addRoute(backendRoutes.changeBackend, change);
  addRoute(backendRoutes.testBackend, async (request) => {
    note(request, "backend.test", drains.findBackend(request.params.id));
    return drains.testBackend(request.params.id);
  });
  addRoute(backendRoutes.deleteBackend, async (request, reply) => {
    note(request, "backend.delete", await drains.removeBackend(request.params.id));
    return reply.status(204).send();
  });
}

/** `/api/rules` (scope `private`): the same of rules. */
export function addRuleRoutes(app: FastifyInstance, { drains, audit }: DrainDependencies): void {
  const addRoute = createRouteAdder(app);
  const note = (request: FastifyRequest, action: `rule.${"create" | "update" | "delete"}`, rule: DrainRule) => {
    const details = { backend: rule.backendId };
    audit.record({ action, actor: callerOf(request).tokenId, target: rule.source, targetId: rule.id, details });
  };

  addRoute(ruleRoutes.listRules, (request, reply) => {
    const wanted = urlParameters(request).get("backend_id")?.at(-1);
    const found = drains.rules.filter(({ backendId }) => wanted === undefined || backendId === wanted);
    return takePage(request, reply, found, ({ id }) => id).map(showRule);
  });
  addRoute(ruleRoutes.createRule, async (request, reply) => {
    const rule = await drains.saveRule(request.body);
    note(request, "rule.create", rule);
    return reply.status(201).header("Location", `/api/rules/${rule.id}`).send(showRule(rule));
  });
  addRoute(ruleRoutes.getRule, ({ params }) => showRule(drains.findRule(params.id)));
  const change = async (request: RequestOf<typeof ruleRoutes.changeRule>, reply: FastifyReply) => {
    const rule = await drains.saveRule(request.body, request.params.id);
    note(request, "rule.update", rule);
    return reply.send(showRule(rule));
  };
  addRoute(ruleRoutes.replaceRule, change);
  addRoute(ruleRoutes.changeRule, change);
  addRoute(ruleRoutes.deleteRule, async (request, reply) => {
    note(request, "rule.delete", await drains.removeRule(request.params.id));
    return reply.status(204).send();
  });
}

function showStatus(status: RuleStatus): Static<typeof DeliveryStatus> {
  const { rule, backend: _, lastError, lastDeliveredAtMs, ...counts } = status;
  return {
    rule_id: rule.id,
    source: rule.source,
    ...counts,
    last_error: lastError ?? null,
    last_delivered_at: lastDeliveredAtMs === undefined ? null : new Date(lastDeliveredAtMs).toISOString(),
  };
}
