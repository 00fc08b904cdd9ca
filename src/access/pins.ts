import { ServiceError } from "../shared/errors.ts";

/**
 * The value that a token sets; or several, or all that begin with a text, of which each call names one. A list has two
 * values at least, and a prefix one character.
 */
export type Pin = string | readonly string[] | { readonly prefix: string };

/** By the names of parameters. */
export type Pins = Readonly<Record<string, Pin>>;

/** The longest list of a pin. */
export const maxPinValues = 1_000;

/** The pin of a parameter, if the token has one. */
export function pinOf(pins: Pins, name: string): Pin | undefined {
  return Object.hasOwn(pins, name) ? pins[name] : undefined;
}

/** True where the token itself sets the parameter: calls need not name it. */
export function isSet(pins: Pins, name: string): boolean {
  return typeof pinOf(pins, name) === "string";
}

/** The values that a pin names; undefined for a prefix. */
export function valuesOf(pin: Pin): readonly string[] | undefined {
  if (typeof pin === "string") return [pin];
  return "prefix" in pin ? undefined : pin;
}

function prefixOf(pin: Pin): string | undefined {
  return typeof pin === "object" && "prefix" in pin ? pin.prefix : undefined;
}

/** A list without repeats, or the value of a list of one. */
export function toPin(values: readonly string[]): Pin {
  const [only = "", ...others] = new Set(values);
  return others.length === 0 ? only : [only, ...others];
}

/** A pin as the command line takes it: `project=a`, `project=a project=b`, `project^=acme-`. */
export function formatPin(name: string, pin: Pin): string {
  const values = valuesOf(pin);
  return values?.map((value) => `${name}=${value}`).join(" ") ?? `${name}^=${prefixOf(pin)}`;
}

/** Parameters by name, with their types. */
export type DeclaredTypes = ReadonlyMap<string, string>;

/** True where an endpoint with these parameters can be called with the pins: it declares all of them, by fitting types. */
export function fitPins(pins: Pins, declared: DeclaredTypes): boolean {
  return Object.entries(pins).every(([name, pin]) => whyUnfit(name, pin, declared) === undefined);
}

/**
 * The parameters of a call after the token's pins. A pin to one value sets its parameter; of a list or a prefix the
 * call names one value, which then binds it just so, and without one it is `missing_parameter`, whatever default the
 * endpoint has. Other values, and several that differ, are refused by name, and so is an endpoint that does not declare
 * a pinned parameter, because nothing would limit the token there. `sent` holds every value of a name in the request,
 * in any position.
 */
export function applyPins(
  pins: Pins,
  declared: DeclaredTypes,
  sent: ReadonlyMap<string, readonly unknown[]>,
): ReadonlyMap<string, string> {
  const pinned = new Map<string, string>();
  for (const [name, pin] of Object.entries(pins)) {
    const values = (sent.get(name) ?? []).map(toText);
    const [chosen = typeof pin === "string" ? pin : undefined, ...others] = new Set(values);
    if (others.length > 0 || !values.every((value) => isAdmitted(pin, value))) {
      throw new ServiceError("pinned_parameter", `This token may not choose the parameter ${name}`, {
        parameter: name,
        hint: typeof pin === "string" ? `Leave ${name} out: the token sets it.` : describeChoice(name, pin),
      });
    }
    const unfit = whyUnfit(name, pin, declared);
    if (unfit !== undefined) {
      throw new ServiceError("pinned_parameter", `This token is bound by ${name}, which this endpoint ${unfit}`, {
        parameter: name,
        hint: "Use an endpoint that declares the parameter, or a token without the pin.",
      });
    }
    if (chosen === undefined) {
      const allowed = valuesOf(pin);
      throw new ServiceError("missing_parameter", `This token has several values of the parameter ${name}`, {
        ...{ parameter: name, hint: describeChoice(name, pin) },
        ...(allowed === undefined ? {} : { allowed }),
      });
    }
    pinned.set(name, chosen);
  }
  return pinned;
}

/** A list, an object or null is no text, whatever methods its keys name. */
function toText(sent: unknown): string | undefined {
  return typeof sent === "object" ? undefined : String(sent);
}

function isAdmitted(pin: Pin, value: string | undefined): boolean {
  const prefix = prefixOf(pin);
  if (value === undefined) return false;
  return prefix === undefined ? valuesOf(pin)?.includes(value) === true : value.startsWith(prefix);
}

/** True where every value of the other pin is one of this. */
export function includesPin(pin: Pin, other: Pin): boolean {
  const [prefix, others] = [prefixOf(pin), valuesOf(other)];
  if (others !== undefined) return others.every((value) => isAdmitted(pin, value));
  return prefix !== undefined && prefixOf(other)?.startsWith(prefix) === true;
}

/** Only of texts does a prefix say anything: numbers and times have several spellings. */
function whyUnfit(name: string, pin: Pin, declared: DeclaredTypes): string | undefined {
  const type = declared.get(name);
  if (type === undefined) return "does not take";
  return prefixOf(pin) !== undefined && type !== "string" ? `takes as ${type}: a prefix is one of texts` : undefined;
}

/** So many values of a pin are reported in a hint. */
const toldValues = 20;

/** How a call names one of the values, for people. */
export function describeChoice(name: string, pin: Pin): string {
  const values = valuesOf(pin);
  if (values === undefined) return `Send one ${name} that begins with ${prefixOf(pin)}.`;
  return `Send one ${name} of ${values.slice(0, toldValues).join(", ")}${values.length > toldValues ? ", ..." : "."}`;
}
