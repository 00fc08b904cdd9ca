import type { EventBody, LogEvent, ReadEvents, RejectedEvent } from "../../engines/contract/query-engine.ts";
import type { ErrorCode } from "../../shared/error-catalogue.ts";
import type { EventCount } from "../event-count.ts";

/** A request's body, with its content encoding decoded. */
export interface ProtocolBody extends Omit<EventBody, "contentType" | "protocol" | "maxEvents"> {
  /** In lower case, without parameters; empty where the request names none. */
  readonly mediaType: string;
  /** Notified of each event as it is read. */
  readonly count: EventCount;
}

/**
 * One event as it was sent, with the time that its protocol gives it; its own `timestamp` counts where that is
 * undefined.
 */
export class TimedEvent {
  readonly value: unknown;
  readonly timestampUs: bigint | undefined;

  constructor(value: unknown, timestampUs: bigint | undefined) {
    this.value = value;
    this.timestampUs = timestampUs;
  }
}

/** Stands in for an event that cannot be read. */
export class BadEvent {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The content of a body, before events are normalised. */
export interface RawEvents {
  /** In their order: objects of the form that `/api/logs` takes, `TimedEvent` around them, or `BadEvent`. */
  readonly items: readonly unknown[];
  /** Describes each event in the answer, in their order; undefined for one that is not stored. */
  readonly describe?: (events: readonly (LogEvent | undefined)[]) => NonNullable<ReadEvents["receipt"]>;
}

/** Reads a body. Pure; throws `BodyError` where it cannot be read as a whole. */
export type ProtocolReader = (body: ProtocolBody) => RawEvents;

/** The data for an answer once events are on disk. */
export interface IngestOutcome {
  readonly accepted: number;
  readonly rejected: readonly RejectedEvent[];
  /** Events whose timestamp could not be read. */
  readonly untimed: number;
  /** Values that did not fit the type of their declared field; absent where there are none. */
  readonly mistyped?: number | undefined;
  readonly receipt: ReadEvents["receipt"];
  /** The media type of the request. */
  readonly mediaType: string;
  /** From the request's arrival, in milliseconds. */
  readonly tookMs: number;
}

/** An error that a sender gets. */
export interface IngestFailure {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  /** Place of the event at fault in the body, from 0, where there is one. */
  readonly index?: number;
  readonly mediaType: string;
}

export interface ProtocolAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text, bytes, or what becomes JSON; undefined for no body at all. */
  readonly body?: string | Uint8Array | object;
}

/** The media types of a body that a protocol reads; the empty type stands for a request that names none. */
export interface MediaTypes {
  readonly pattern: RegExp;
  /** The types that a sender of another type is advised to use. */
  readonly advice: string;
}

/** A protocol: how its bodies are read, and how its senders are answered. */
export interface Protocol {
  /** As `EventBody.protocol` names it. */
  readonly name: string;
  /** A body of any other type is refused as `unsupported_media_type` before it is read. */
  readonly mediaTypes: MediaTypes;
  readonly read: ProtocolReader;
  /** True where the answer cannot determine which events were not stored: then one bad event refuses the body. */
  readonly isAtomic?: true;
  /**
   * Request headers, in lower case, and parameters of the URL (with a `?` before the name) and its path that `read`
   * looks at.
   */
  readonly details?: readonly string[];
  /** The answers of `/api/logs` unless given. */
  readonly answer?: (outcome: IngestOutcome) => ProtocolAnswer;
  readonly answerFailure?: (failure: IngestFailure) => ProtocolAnswer;
}
