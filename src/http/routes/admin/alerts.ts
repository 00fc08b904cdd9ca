import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Alert } from "../../../alerts/alert.ts";
import { showAlert } from "../../../alerts/alert-document.ts";
import { AlertDocument } from "../../../alerts/alert-form.ts";
import { type Notice, statusOf } from "../../../alerts/alert-state.ts";
import type { AlertStatus } from "../../../alerts/alerts.ts";
import { savingErrors } from "../../../openapi/error-responses.ts";
import { count, flag, inPath, listOf, mapOf, orNull, reference, text } from "../../../openapi/forms.ts";
import { describeRoutes } from "../../../openapi/route-description.ts";
import { refuseDocument } from "../../../shared/documents/document-form.ts";
import { listPageParameters, takePage } from "../../answer/list-page.ts";
import type { AppContext } from "../../app-context.ts";
import { createRouteAdder, type RequestOf } from "../../request/add-route.ts";
import { createCallSignal } from "../../request/call-signal.ts";
import { callerOf } from "../../request/route-access.ts";

type AlertDependencies = Required<Pick<AppContext, "alerts" | "audit" | "rates" | "shutdown">>;

const ShownAlert = Type.Unsafe<ReturnType<typeof showAlert>>({
  type: "object",
  description: "The fields that were sent, without secrets, and those of the reference's form",
  properties: { id: text, token: text, name: text, enabled: flag, inserted_at: text, updated_at: text },
  additionalProperties: true,
});
const Group = { labels: mapOf(text), value: orNull(text), status: text, since: text };
const AlertState = Type.Object({
  status: Type.Unsafe<string>({ type: "string", description: "ok, pending, firing, failing or resolved" }),
  groups: listOf(Group),
  failure: orNull(Type.Object({ reason: text, since: text })),
  last_run_at: orNull(text),
  next_run_at: orNull(text),
  silenced_until: orNull(text),
  waiting: count,
  dropped: count,
  last_error: orNull(text),
});
const Silence = Type.Object(
  {
    until: Type.Optional(Type.String({ title: "a time, as 2026-11-24T20:00:00Z" })),
    comment: Type.Optional(Type.String({ maxLength: 1_000, description: "The reason, for people" })),
  },
  { additionalProperties: false },
);
const time = Type.String({ title: "a time, as 2026-11-24T20:00:00Z" });
const TestRange = Type.Object({ from: time, to: time }, { additionalProperties: false });
const NoticeRow = { at: text, status: text, labels: mapOf(text), message: text, is_reminder: flag, row_count: count };
const AlertTest = Type.Object({ runs: count, notices: listOf(NoticeRow) });

export const alertSchemas = { AlertDocument, Alert: ShownAlert, AlertState, AlertTest };

const ofAlerts = { tag: "alerts", scope: "private" } as const;
const alert = reference("Alert", ShownAlert);
const document = reference("AlertDocument", AlertDocument);
const oneAlert = {
  ...ofAlerts,
  path: "/api/alerts/{id}",
  parameters: [inPath("id", "The id of an alert, which is its token too, or a name that it alone has")],
} as const;
const saving = { body: document, isCheckedByHandler: true } as const;
const change = { ...saving, summary: "Change an alert; omitted fields are unchanged" } as const;

export const alertRoutes = describeRoutes({
  listAlerts: {
    ...ofAlerts,
    path: "/api/alerts",
    summary: "List the alerts",
    parameters: listPageParameters,
    answer: Type.Array(alert),
  },
  createAlert: {
    ...ofAlerts,
    ...saving,
    method: "post",
    path: "/api/alerts",
    summary: "Create an alert",
    status: 201,
    answer: alert,
    errors: savingErrors,
  },
  getAlert: {
    ...oneAlert,
    summary: "Show an alert",
    answer: alert,
    errors: ["unknown_alert"],
  },
  replaceAlert: {
    ...oneAlert,
    ...change,
    method: "put",
    answer: alert,
    errors: [...savingErrors, "unknown_alert", "alert_read_only"],
  },
  changeAlert: {
    ...oneAlert,
    ...change,
    method: "patch",
    errors: [...savingErrors, "unknown_alert", "alert_read_only"],
  },
  deleteAlert: {
    ...oneAlert,
    method: "delete",
    summary: "Delete an alert, with the notices that wait",
    errors: ["unknown_alert", "alert_read_only"],
  },
  getAlertState: {
    ...oneAlert,
    path: "/api/alerts/{id}/state",
    summary: "Show the groups of an alert, its last and next run, and the notices that wait",
    answer: reference("AlertState", AlertState),
    errors: ["unknown_alert"],
  },
  silenceAlert: {
    ...oneAlert,
    method: "post",
    path: "/api/alerts/{id}/silence",
    summary: "Hold an alert's notices back until a time; without one, end its silence",
    body: Silence,
    refusal: "The alert was not silenced",
    answer: alert,
    errors: [...savingErrors, "unknown_alert"],
  },
  testAlert: {
    ...oneAlert,
    method: "post",
    path: "/api/alerts/{id}/test",
    summary: "List the notices that an alert would have sent between two times, over the events stored now",
    body: TestRange,
    refusal: "Nothing was tested",
    answer: reference("AlertTest", AlertTest),
    errors: [...savingErrors, "unknown_alert", "invalid_parameter", "rate_limited"],
  },
});

/**
 * `/api/alerts` (scope `private`): list, make, show, change, delete, silence and rehearse, in the reference's form and
 * in ours. Nothing that is answered holds a secret.
 */
export function addAlertRoutes(app: FastifyInstance, dependencies: AlertDependencies): void {
  const { alerts, audit } = dependencies;
  const addRoute = createRouteAdder(app);
  const note = (
    request: FastifyRequest,
    action: `alert.${"create" | "update" | "delete" | "silence"}`,
    { id, form }: Alert,
    details: Record<string, string> = {},
  ) => {
    audit.record({ action, actor: callerOf(request).tokenId, target: form.name, targetId: id, details });
  };

  addRoute(alertRoutes.listAlerts, (request, reply) => {
    return takePage(request, reply, alerts.alerts, ({ id }) => id).map(showAlert);
  });
  addRoute(alertRoutes.createAlert, async (request, reply) => {
    const alert = await alerts.save(request.body);
    note(request, "alert.create", alert);
    return reply.status(201).header("Location", `/api/alerts/${alert.id}`).send(showAlert(alert));
  });
  addRoute(alertRoutes.getAlert, ({ params }) => showAlert(alerts.find(params.id)));
  const change = async (request: RequestOf<typeof alertRoutes.changeAlert>) => {
    const alert = await alerts.save(request.body, request.params.id);
    note(request, "alert.update", alert);
    return alert;
  };
  addRoute(alertRoutes.replaceAlert, async (request) => showAlert(await change(request)));
  addRoute(alertRoutes.changeAlert, async (request, reply) => {
    await change(request);
    return reply.status(204).send();
  });
  addRoute(alertRoutes.deleteAlert, async (request, reply) => {
    note(request, "alert.delete", await alerts.remove(request.params.id));
    return reply.status(204).send();
  });
  addStateRoutes(app, dependencies, note);
}

function addStateRoutes(
  app: FastifyInstance,
  { alerts, rates, shutdown }: AlertDependencies,
  note: (request: FastifyRequest, action: "alert.silence", alert: Alert, details: Record<string, string>) => void,
): void {
  const addRoute = createRouteAdder(app);
  addRoute(alertRoutes.getAlertState, async ({ params }) => showState(await alerts.stateOf(params.id)));
  addRoute(alertRoutes.silenceAlert, async (request) => {
    const { until, comment } = request.body;
    const untilMs = until === undefined ? undefined : readTime("until", until);
    const alert = await alerts.silence(request.params.id, untilMs, comment);
    note(request, "alert.silence", alert, { until: until ?? "", comment: comment ?? "" });
    return showAlert(alert);
  });
  addRoute(alertRoutes.testAlert, async (request, reply) => {
    rates.take(callerOf(request).tokenId);
    const range = { fromMs: readTime("from", request.body.from), toMs: readTime("to", request.body.to) };
    const { runCount, notices } = await alerts.rehearse(request.params.id, range, createCallSignal(reply, shutdown));
    return { runs: runCount, notices: notices.map(showNotice) };
  });
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function readTime(field: string, value: string): number {
  const ms = timeForm.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw refuseDocument("The time cannot be read", { [field]: ["must be a time, as 2026-11-24T20:00:00Z"] });
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function showState({ alert, state, nextRunAtMs }: AlertStatus) {
  const { groups, failure, lastRunAtMs, waiting, droppedCount, deliveryError } = state;
  return {
    status: statusOf(state),
    groups: groups.map(({ labels, value = null, status, sinceMs }) => {
      return { labels, value, status, since: new Date(sinceMs).toISOString() };
    }),
    failure: failure === undefined ? null : { reason: failure.reason, since: new Date(failure.sinceMs).toISOString() },
    last_run_at: iso(lastRunAtMs),
    next_run_at: iso(nextRunAtMs),
    silenced_until: iso(alert.silencedUntilMs),
    waiting: waiting.length,
    dropped: droppedCount,
    last_error: deliveryError ?? null,
  };
}

function showNotice({ atMs, status, labels, message, isReminder, rowCount }: Notice) {
  const at = new Date(atMs).toISOString();
  return { at, status, labels, message, is_reminder: isReminder, row_count: rowCount };
}
