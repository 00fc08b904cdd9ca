import { parseJson } from "../../../engines/contract/parse-json.ts";
import { BodyError } from "../../../engines/contract/query-engine.ts";
import { decodeText, isObject, parseJsonBody, present } from "../bodies.ts";
import type { Protocol, ProtocolBody } from "../protocol.ts";

/** Webhooks of GitHub, as JSON or as a form: https://docs.github.com/en/webhooks. A delivery's id is the event's. */
export const github: Protocol = {
  name: "github",
  mediaTypes: {
    pattern: /^(|application\/(json|x-www-form-urlencoded|[\w.+-]+\+json))$/,
    advice: "application/json or application/x-www-form-urlencoded",
  },
  details: ["x-github-event", "x-github-delivery", "x-github-hook-id"],
  read: (body) => {
    const payload = readPayload(body);
    const { "x-github-event": kind, "x-github-delivery": id, "x-github-hook-id": hook } = body.details ?? {};
    const { action, repository, project } = payload;
    const place = isObject(repository) ? repository.full_name : undefined;
    const what = [kind, action].filter((part) => typeof part === "string").join(".");
    const text = [what, place].filter((part) => typeof part === "string" && part !== "").join(" ");
    const metadata = present({ github_event: kind, github_delivery: id, github_hook_id: hook, ...payload });
    return {
      items: [
        present({
          id,
          event_message: text === "" ? undefined : text,
          project: typeof project === "string" ? project : undefined,
          metadata,
        }),
      ],
    };
  },
};

function readPayload({ bytes, mediaType }: ProtocolBody) {
  const payload = mediaType === "application/x-www-form-urlencoded" ? readForm(bytes) : parseJsonBody(bytes);
  if (!isObject(payload)) throw new BodyError("invalid_body", "The payload of a webhook must be a JSON object");
  return payload;
}

function readForm(bytes: Uint8Array): unknown {
  try {
    return parseJson(new URLSearchParams(decodeText(bytes)).get("payload") ?? "");
  } catch {
    throw new BodyError("invalid_body", "The form must have a payload that is JSON");
  }
}
