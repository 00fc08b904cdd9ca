import { anyText } from "../bodies.ts";
import type { MediaTypes, Protocol, ProtocolBody } from "../protocol.ts";
import { SyslogFrames } from "./frames.ts";
import { readSyslogMessage } from "./read-message.ts";

const messageTypes: MediaTypes = {
  pattern: new RegExp(`${anyText.pattern.source}|^application/(logplex-1|syslog|x-syslog)$`),
  advice: "text/plain or application/logplex-1",
};

/** Messages of syslog in the body of a request, one a line or with their lengths in front. */
export const syslog: Protocol = { name: "syslog", mediaTypes: messageTypes, read: readMessages };

/**
 * Heroku's log drains, which are syslog: https://devcenter.heroku.com/articles/log-drains. The events' ids are derived
 * from the request's frame id, so that a retry is stored once.
 */
export const logplex: Protocol = {
  name: "logplex",
  mediaTypes: messageTypes,
  details: ["logplex-frame-id", "logplex-drain-token"],
  read: (body) => {
    const { "logplex-frame-id": frame, "logplex-drain-token": drain } = body.details ?? {};
    const { items } = readMessages(body);
    for (const [index, { value }] of items.entries()) {
      const event = value as { id?: string; metadata: { [field: string]: unknown } };
      if (frame !== undefined) event.id = `${frame}-${index}`;
      if (drain !== undefined) event.metadata.drain_token = drain;
    }
    return { items };
  },
};

function readMessages({ bytes, nowUs, count }: ProtocolBody) {
  const frames = new SyslogFrames(() => count.add());
  const messages = [...frames.push(bytes), ...frames.finish()];
  return { items: messages.map((message) => readSyslogMessage(message, nowUs)) };
}
