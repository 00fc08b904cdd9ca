import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { IngestFailure, IngestOutcome, ProtocolAnswer } from "../protocol.ts";
import { isProtobufType } from "./read-request.ts";

/**
 * The answer in the format of the request, as OTLP 1.10 defines it: 200 even if some items were not stored
 * (`partial_success`); a message without a count when all were stored but there is a warning.
 */
export function answerAs(rejectedField: string): (outcome: IngestOutcome) => ProtocolAnswer {
  return ({ rejected, untimed, mediaType }) => {
    const message = describe(rejected, untimed);
    if (!isProtobufType(mediaType)) {
      const partial = {
        ...(rejected.length === 0 ? {} : { [rejectedField]: String(rejected.length) }),
        errorMessage: message,
      };
      return { status: 200, body: message === "" ? {} : { partialSuccess: partial } };
    }
    const writer = new BinaryWriter();
    if (message !== "") {
      writer.tag(1, WireType.LengthDelimited).fork();
      if (rejected.length > 0) writer.tag(1, WireType.Varint).int64(rejected.length);
      writer.tag(2, WireType.LengthDelimited).string(message).join();
    }
    return { status: 200, headers: protobufHeaders, body: writer.finish() };
  };
}

const protobufHeaders = { "Content-Type": "application/x-protobuf" };
/** Reasons that an answer lists. */
const maxReasons = 10;

function describe(rejected: IngestOutcome["rejected"], untimed: number): string {
  const reasons = rejected.slice(0, maxReasons).map(({ index, reason }) => `item ${index}: ${reason}`);
  if (rejected.length > maxReasons) reasons.push(`and ${rejected.length - maxReasons} more`);
  if (untimed > 0) reasons.push(`${untimed} with a time that cannot be read, kept as _timestamp`);
  return reasons.join("; ");
}

/** Codes of google.rpc.Code. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  409: 9,
  413: 3,
  415: 3,
  429: 8,
  503: 14,
};
const unknownError = 2;

/** An error as google.rpc.Status in the format of the request. Exporters retry only after 429, 502, 503 or 504. */
export function answerFailure({ status: sent, message, mediaType }: IngestFailure): ProtocolAnswer {
  // A full disk has room again later.
  const status = sent === 507 ? 503 : sent;
  const code = rpcCodes[status] ?? unknownError;
  if (!isProtobufType(mediaType)) return { status, body: { code, message } };
  const writer = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(code)
    .tag(2, WireType.LengthDelimited)
    .string(message);
  return { status, headers: protobufHeaders, body: writer.finish() };
}
