import type { IngestOutcome, ProtocolAnswer } from "./protocol.ts";

/** The answer of `/api/logs`: 422, with the positions, if some events were not stored. */
export function answerPlainly({ accepted, rejected, untimed, mistyped }: IngestOutcome): ProtocolAnswer {
  const remarks = { ...(untimed === 0 ? {} : { untimed }), ...(mistyped === undefined ? {} : { mistyped }) };
  if (rejected.length === 0) return { status: 200, body: { message: "Logged!", accepted, ...remarks } };
  const message = `${rejected.length} of ${accepted + rejected.length} events were not stored`;
  return { status: 422, body: { message, accepted, ...remarks, rejected } };
}
