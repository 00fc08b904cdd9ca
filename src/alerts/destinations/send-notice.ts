import type { Backend } from "../../drains/backend.ts";
import type { DrainAnswer, SendRequest } from "../../drains/destinations/send-request.ts";
import type { AlertDestination, AlertPlan } from "../alert.ts";
import type { Notice } from "../alert-state.ts";
import { makeMail } from "./make-mail.ts";
import { makeRequest } from "./make-request.ts";
import { noMailServer, type SendMail } from "./send-mail.ts";

export interface NoticeWays {
  readonly send: SendRequest;
  /** Undefined where no server for mail is set. */
  readonly sendMail?: SendMail | undefined;
  /** Names this service. */
  readonly serviceId: string;
  readonly findBackend: (id: string) => Backend | undefined;
}

/** Sends a notice to a destination of its alert, undefined for one that the alert has no longer. */
export async function sendNotice(
  { send, sendMail, findBackend, serviceId }: NoticeWays,
  plan: AlertPlan,
  notice: Notice,
  destination: AlertDestination | undefined,
  at: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<DrainAnswer> {
  if (destination?.type === "email") {
    if (sendMail === undefined) return { kind: "failed", reason: noMailServer };
    return sendMail(makeMail(plan, notice, destination.to), at.signal);
  }
  const backend = destination?.type === "backend" ? findBackend(destination.id) : undefined;
  const parts = { backend, serviceId, nowMs: at.nowMs };
  const request = destination && makeRequest(plan, notice, destination, parts);
  if (request === undefined) return { kind: "refused", reason: "the destination was removed" };
  return send(request, at.signal);
}
