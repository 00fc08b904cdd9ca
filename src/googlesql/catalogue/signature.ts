/**
 * Signatures as the catalogue writes them, `(STRING, INT64, [INT64]) -> STRING`, read into data.
 */
import {
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  INTERVAL,
  JSON_TYPE,
  NUMERIC,
  type SqlType,
  STRING,
  TIME,
  TIMESTAMP,
} from "../types.ts";

export type Restriction = "COMPARABLE" | "ORDERABLE" | "GROUPABLE";

/** What a place of a signature takes or gives. */
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
  /** What the place asks of templates in it. */
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
  /** Does a place take T, NUMBER or another type that the arguments tell? */
  readonly hasTemplates: boolean;
  /** By the number of arguments: where they stand when none is named; undefined for a number that does not fit. Absent when the last place repeats. */
  readonly placesOf: readonly (readonly Placed[] | undefined)[] | undefined;
}

const SCALARS: Readonly<Record<string, SqlType>> = {
  INT64,
  FLOAT64,
  NUMERIC,
  BIGNUMERIC,
  BOOL,
  STRING,
  BYTES,
  DATE,
  TIME,
  DATETIME,
  TIMESTAMP,
  INTERVAL,
  JSON: JSON_TYPE,
};

/** Reads one signature; throws an Error that names it when it is malformed (a fault of the catalogue, found by its test). */
export function parseSignature(text: string): Signature {
  const tokens = text.match(/[A-Za-z_][A-Za-z_0-9]*|=>|->|\.\.\.|[()[\]<>,]/g) ?? [];
  let at = 0;
  const fail = (): never => {
    throw new Error(`Malformed signature at ${tokens.slice(at).join(" ") || "its end"}: ${text}`);
  };
  const take = (token: string): boolean => {
    if (tokens[at] !== token) return false;
    at++;
    return true;
  };
  const expect = (token: string): void => {
    if (!take(token)) fail();
  };

  const readPlace = (): Place => {
    if (tokens[at] === "(") {
      const parameters = readParameters().map((parameter) => ({
        ...parameter.place,
        isOptional: parameter.isOptional,
      }));
      expect("->");
      return { kind: "lambda", parameters, result: readPlace() };
    }
    const word = tokens[at++] ?? fail();
    const scalar = SCALARS[word];
    if (scalar !== undefined) return { kind: "type", type: scalar };
    if (word === "LITERAL") return { kind: "literal", of: readPlace() };
    if (word === "ANY" || word === "RECORD") return { kind: "any" };
    if (word === "DATEPART") return { kind: "datepart" };
    if (word === "ARRAY" || word === "RANGE") {
      expect("<");
      const element = readPlace();
      expect(">");
      return { kind: word === "ARRAY" ? "array" : "range", element };
    }
    if (word === "STRUCT") return take("<") ? readStruct() : { kind: "struct" };
    if (/^T\d*$/.test(word) || word === "NUMBER") {
      const restriction = tokens[at];
      if (restriction === "COMPARABLE" || restriction === "ORDERABLE" || restriction === "GROUPABLE") {
        at++;
        return { kind: "template", name: word, restriction };
      }
      return { kind: "template", name: word };
    }
    return fail();
  };

  const readStruct = (): Place => {
    const fields: { name?: string; place: Place }[] = [];
    do {
      const next = tokens[at + 1];
      const isNamed = next !== undefined && /^[A-Za-z_]/.test(next) && !/^(COMPARABLE|ORDERABLE|GROUPABLE)$/.test(next);
      const name = isNamed ? tokens[at++] : undefined;
      const place = readPlace();
      fields.push(name === undefined ? { place } : { name, place });
    } while (take(","));
    expect(">");
    return { kind: "structOf", fields };
  };

  const readParameters = (): SignatureParameter[] => {
    const parameters: SignatureParameter[] = [];
    expect("(");
    if (take(")")) return parameters;
    do {
      const isOptional = take("[");
      const name = tokens[at + 1] === "=>" ? tokens[at]?.toLowerCase() : undefined;
      if (name !== undefined) at += 2;
      const place = readPlace();
      const isRepeated = take("...");
      if (isOptional) expect("]");
      parameters.push({
        place,
        name,
        isOptional,
        isRepeated,
        type: place.kind === "type" ? place.type : undefined,
        template: place.kind === "template" ? place.name : undefined,
        restrictions: restrictionsOf(place),
      });
    } while (take(","));
    expect(")");
    return parameters;
  };

  const parameters = readParameters();
  expect("->");
  const result = readPlace();
  if (at !== tokens.length) fail();
  return {
    text,
    parameters,
    result,
    minArguments: parameters.filter((parameter) => !parameter.isOptional && !parameter.isRepeated).length,
    maxArguments: parameters.some((parameter) => parameter.isRepeated) ? Number.POSITIVE_INFINITY : parameters.length,
    hasTemplates: parameters.some((parameter) => holdsTemplate(parameter.place)),
    placesOf: parameters.some((parameter) => parameter.isRepeated) ? undefined : placesByCount(parameters),
  };
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
