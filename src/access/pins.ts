import { ServiceError } from "../shared/errors.ts";
import type { Identity } from "./scope.ts";

/** A list, an object or null is no text, whatever methods its keys name. */
function isText(sent: unknown, text: string): boolean {
  return typeof sent !== "object" && String(sent) === text;
}

/**
 * The parameters of a call after the token's pins: a pin sets its parameter. A different value in the request is
 * refused by name, and so is an endpoint that does not declare a pinned parameter, because nothing would limit the
 * token there. `sent` holds every value of a name in the request, in any position.
 */
export function applyPins(
  identity: Identity,
  declared: ReadonlySet<string>,
  sent: ReadonlyMap<string, readonly unknown[]>,
): ReadonlyMap<string, string> {
  const pinned = new Map<string, string>();
  for (const [name, value] of Object.entries(identity.pins)) {
    const others = (sent.get(name) ?? []).filter((each) => !isText(each, value));
    if (others.length > 0) {
      throw new ServiceError("pinned_parameter", `This token may not choose the parameter ${name}`, {
        parameter: name,
        hint: `Leave ${name} out: the token sets it.`,
      });
    }
    if (!declared.has(name)) {
      throw new ServiceError("pinned_parameter", `This token is bound by ${name}, which this endpoint does not take`, {
        parameter: name,
        hint: "Use an endpoint that declares the parameter, or a token without the pin.",
      });
    }
    pinned.set(name, value);
  }
  return pinned;
}
