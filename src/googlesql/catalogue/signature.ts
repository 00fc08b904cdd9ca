/**
 * Signatures as the catalogue writes them, `(STRING, INT64, [INT64]) -> STRING`, read into data.
 */
import { SCALAR_TYPES, type SqlType } from "../types.ts";

export type Restriction = "COMPARABLE" | "ORDERABLE" | "GROUPABLE";

/** The type that a place of a signature takes or returns. */
export type Place =
  | { readonly kind: "type"; readonly type: SqlType }
  /** T, T1, T2, NUMBER: one type at each place of the name. */
  | { readonly kind: "template"; readonly name: string; readonly restriction?: Restriction }
  | { readonly kind: "array"; readonly element: Place }
  | { readonly kind: "range"; readonly element: Place }
  | { readonly kind: "structOf"; readonly fields: readonly { readonly name?: string; readonly place: Place }[] }
  | { readonly kind: "any" | "struct" | "datepart" }
  | { readonly kind: "literal"; readonly of: Place }
  | {
      readonly kind: "lambda";
      readonly parameters: readonly (Place & { readonly isOptional?: boolean })[];
      readonly result: Place;
    };

export interface SignatureParameter {
  readonly place: Place;
  /** Lower case; the argument is given as `name => value`. */
  readonly name: string | undefined;
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
  /** The type of a place that is one type: what most places are. */
  readonly type: SqlType | undefined;
  /** The template of a place that is no more than that. */
  readonly template: string | undefined;
  /** The restrictions on templates in the place. */
  readonly restrictions: readonly { readonly name: string; readonly restriction: Restriction }[];
}

/** Which argument stands at a place of a signature; undefined for one left out. */
export interface Placed {
  readonly parameter: SignatureParameter;
  readonly argument: number | undefined;
}

export interface Signature {
  readonly text: string;
  readonly parameters: readonly SignatureParameter[];
  readonly result: Place;
  readonly minArguments: number;
  /** Infinity when the last place repeats. */
  readonly maxArguments: number;
  /** Does a place take T, NUMBER or another type that the arguments determine? */
  readonly hasTemplates: boolean;
  /**
   * By the number of arguments: where they stand when none is named; undefined for a number that does not fit. Absent
   * when the last place repeats.
   */
  readonly placesOf: readonly (readonly Placed[] | undefined)[] | undefined;
}

/**
 * Reads one signature; throws an Error that names it when it is malformed (a fault of the catalogue, found by its
 * test).
 */
export function parseSignature(text: string): Signature {
  const { parameters, result } = new SignatureReader(text).read();
  const isRepeated = parameters.some((parameter) => parameter.isRepeated);
  return {
    text,
    parameters,
    result,
    minArguments: parameters.filter((parameter) => !parameter.isOptional && !parameter.isRepeated).length,
    maxArguments: isRepeated ? Number.POSITIVE_INFINITY : parameters.length,
    hasTemplates: parameters.some((parameter) => holdsTemplate(parameter.place)),
    placesOf: isRepeated ? undefined : placesByCount(parameters),
  };
}

const RESTRICTIONS: readonly string[] = ["COMPARABLE", "ORDERABLE", "GROUPABLE"];

function isRestriction(token: string | undefined): token is Restriction {
  return token !== undefined && RESTRICTIONS.includes(token);
}

/** Reads the tokens of a signature from left to right. */
class SignatureReader {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/[A-Za-z_][A-Za-z_0-9]*|=>|->|\.\.\.|[()[\]<>,]/g) ?? [];
  }

  read(): Pick<Signature, "parameters" | "result"> {
    const parameters = this.#readParameters();
    this.#expect("->");
    const result = this.#readPlace();
    if (this.#at !== this.#tokens.length) this.#fail();
    return { parameters, result };
  }

  #fail(): never {
    const rest = this.#tokens.slice(this.#at).join(" ") || "its end";
    throw new Error(`Malformed signature at ${rest}: ${this.#text}`);
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#take(token)) this.#fail();
  }

  #readParameters(): SignatureParameter[] {
    const parameters: SignatureParameter[] = [];
    this.#expect("(");
    if (this.#take(")")) return parameters;
    do parameters.push(this.#readParameter());
    while (this.#take(","));
    this.#expect(")");
    return parameters;
  }

  #readParameter(): SignatureParameter {
    const isOptional = this.#take("[");
    const name = this.#tokens[this.#at + 1] === "=>" ? this.#tokens[this.#at]?.toLowerCase() : undefined;
    if (name !== undefined) this.#at += 2;
    const place = this.#readPlace();
    const isRepeated = this.#take("...");
    if (isOptional) this.#expect("]");
    return {
      place,
      name,
      isOptional,
      isRepeated,
      type: place.kind === "type" ? place.type : undefined,
      template: place.kind === "template" ? place.name : undefined,
      restrictions: restrictionsOf(place),
    };
  }

  #readPlace(): Place {
    if (this.#tokens[this.#at] === "(") return this.#readLambda();
    const word = this.#tokens[this.#at++] ?? this.#fail();
    const type = SCALAR_TYPES[word];
    if (type !== undefined) return { kind: "type", type };
    if (/^T\d*$/.test(word)) return this.#readTemplate(word);
    switch (word) {
      case "NUMBER":
        return this.#readTemplate(word);
      case "LITERAL":
        return { kind: "literal", of: this.#readPlace() };
      case "ANY":
      case "RECORD":
        return { kind: "any" };
      case "DATEPART":
        return { kind: "datepart" };
      case "ARRAY":
        return { kind: "array", element: this.#readElement() };
      case "RANGE":
        return { kind: "range", element: this.#readElement() };
      case "STRUCT":
        return this.#take("<") ? this.#readStruct() : { kind: "struct" };
      default:
        return this.#fail();
    }
  }

  #readLambda(): Place {
    const parameters = this.#readParameters().map(({ place, isOptional }) => ({ ...place, isOptional }));
    this.#expect("->");
    return { kind: "lambda", parameters, result: this.#readPlace() };
  }

  #readTemplate(name: string): Place {
    const restriction = this.#tokens[this.#at];
    if (!isRestriction(restriction)) return { kind: "template", name };
    this.#at++;
    return { kind: "template", name, restriction };
  }

  #readElement(): Place {
    this.#expect("<");
    const element = this.#readPlace();
    this.#expect(">");
    return element;
  }

  #readStruct(): Place {
    const fields: { name?: string; place: Place }[] = [];
    do {
      const next = this.#tokens[this.#at + 1];
      const isNamed = next !== undefined && /^[A-Za-z_]/.test(next) && !isRestriction(next);
      const name = isNamed ? this.#tokens[this.#at++] : undefined;
      const place = this.#readPlace();
      fields.push(name === undefined ? { place } : { name, place });
    } while (this.#take(","));
    this.#expect(">");
    return { kind: "structOf", fields };
  }
}

function placesByCount(parameters: readonly SignatureParameter[]): readonly (readonly Placed[] | undefined)[] {
  const counts = Array.from({ length: parameters.length + 1 }, (_, count) => count);
  return counts.map((count) => {
    if (parameters.slice(count).some((parameter) => !parameter.isOptional)) return undefined;
    return parameters.map((parameter, i) => ({ parameter, argument: i < count ? i : undefined }));
  });
}

function restrictionsOf(place: Place): SignatureParameter["restrictions"] {
  switch (place.kind) {
    case "template":
      return place.restriction === undefined ? [] : [{ name: place.name, restriction: place.restriction }];
    case "array":
    case "range":
      return restrictionsOf(place.element);
    case "literal":
      return restrictionsOf(place.of);
    default:
      return [];
  }
}

function holdsTemplate(place: Place): boolean {
  switch (place.kind) {
    case "template":
      return true;
    case "array":
    case "range":
      return holdsTemplate(place.element);
    case "literal":
      return holdsTemplate(place.of);
    case "structOf":
      return place.fields.some((field) => holdsTemplate(field.place));
    default:
      return false;
  }
}
