/** Expressions that succeed for one project's rows and fail for all others', generated from the catalogue itself. */
import { CATALOGUE } from "../../src/googlesql/catalogue/index.ts";
import {
  type Place,
  parseSignature,
  type Signature,
  type SignatureParameter,
} from "../../src/googlesql/catalogue/signature.ts";
import { GoogleSqlError } from "../../src/googlesql/diagnostic.ts";
import type { OracleBench, Outcome } from "./oracle-bench.ts";
import { type ArgumentKind, argumentTexts, operatorForms, ownTexts } from "./tables/oracle-arguments.ts";

/** The called function, and the form of the call. */
export interface OracleSubject {
  readonly name: string;
  readonly kind: "scalar" | "aggregate" | "window";
  readonly signatures: readonly Signature[];
  readonly print: (args: readonly string[]) => string;
  /** The form that returns NULL instead of failing, if there is one. */
  readonly printSafe: ((args: readonly string[]) => string) | undefined;
}

export interface OracleCase {
  readonly name: string;
  readonly kind: OracleSubject["kind"];
  /** Over a text column in which the caller's texts begin with `own` and all others with `SECRET`. */
  readonly expression: (column: string) => string;
  readonly safe: ((column: string) => string) | undefined;
}

/** The findings of an attack on a subject. */
export interface Findings {
  readonly cases: readonly OracleCase[];
  /** At least one call of it works for the caller's row. */
  readonly isCallable: boolean;
  /** No call of it is valid: this includes casts between types without a conversion. */
  readonly isRefused: boolean;
}

const dateParts = ["WEEK", "DAY", "HOUR", "YEAR", "MICROSECOND", "DATE", "NFC"];
/** Failures of arrays in others' rows: an empty one, or one NULL. */
const arrayFailures = ["array:", "array:NULL"];
const formatCasts = [
  "STRING DATE",
  "STRING TIMESTAMP",
  "STRING BYTES",
  "DATE STRING",
  "TIMESTAMP STRING",
  "INT64 STRING",
  "BYTES STRING",
];
/** Types that a template stands for, in the order in which they are tried. */
const templates: readonly ArgumentKind[] = ["INT64", "STRING", "FLOAT64", "DATE", "NUMERIC", "BYTES"];
const castKinds = Object.keys(argumentTexts) as readonly ArgumentKind[];

function functionSubject(
  name: string,
  kind: OracleSubject["kind"],
  signatures: readonly string[],
  order: boolean,
): OracleSubject {
  const over = kind === "window" ? ` OVER (${order ? "ORDER BY id" : ""})` : "";
  const own = operatorForms[name];
  const print =
    own === undefined
      ? (args: readonly string[]) => `${name}(${args.join(", ")})${over}`
      : (args: readonly string[]) => own(...args);
  const hasSafe = kind === "scalar" && own === undefined;
  return {
    name,
    kind,
    signatures: signatures.map(parseSignature),
    print,
    printSafe: hasSafe ? (args) => `SAFE.${print(args)}` : undefined,
  };
}

/** Everything that can be called: the functions and operators of the catalogue, and casts among all types. */
export function oracleSubjects(): readonly OracleSubject[] {
  const functions = CATALOGUE.definitions
    .filter(({ refused }) => refused === undefined)
    .map(({ name, kind, signatures, window }) =>
      functionSubject(name, kind, signatures, window?.requiresOrder ?? true),
    );
  const casts = castKinds.flatMap((from) =>
    castKinds
      .filter((to) => to !== from)
      .map((to): OracleSubject => {
        const print =
          (word: string) =>
          ([value]: readonly string[]) =>
            `${word}(${value} AS ${to})`;
        const signatures = [parseSignature(`(${from}) -> ${to}`)];
        return {
          name: `CAST ${from} AS ${to}`,
          kind: "scalar",
          signatures,
          print: print("CAST"),
          printSafe: print("SAFE_CAST"),
        };
      }),
  );
  return [...functions, ...casts, ...otherCasts()];
}

function otherCasts(): readonly OracleSubject[] {
  const subject = (name: string, from: string, to: string, more: string): OracleSubject => {
    const print =
      (word: string) =>
      ([value, other]: readonly string[]) => {
        return `${word}(${value} AS ${to}${more === "" ? "" : ` ${more} ${other}`})`;
      };
    const signatures = [parseSignature(`(${from}${more === "" ? "" : ", STRING"}) -> BOOL`)];
    return { name, kind: "scalar", signatures, print: print("CAST"), printSafe: print("SAFE_CAST") };
  };
  return [
    ...formatCasts.map((cast) => {
      const [from = "", to = ""] = cast.split(" ");
      return subject(`CAST ${from} AS ${to} by a format`, from, to, "FORMAT");
    }),
    subject("CAST ARRAY<STRING> AS ARRAY<INT64>", "ARRAY<STRING>", "ARRAY<INT64>", ""),
    subject("CAST ARRAY<FLOAT64> AS ARRAY<NUMERIC>", "ARRAY<FLOAT64>", "ARRAY<NUMERIC>", ""),
    {
      ...subject("CAST STRUCT<STRING> AS STRUCT<INT64>", "STRUCT<STRING>", "STRUCT<a INT64>", ""),
      // Of the struct itself an engine knows that it is not NULL.
      print: ([value]) => `(CAST(${value} AS STRUCT<a INT64>)).a`,
      printSafe: ([value]) => `(SAFE_CAST(${value} AS STRUCT<a INT64>)).a`,
    },
  ];
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/**
 * A text of the column: `good` in the caller's rows, `bad` in all others. DuckDB computes it over the column's
 * dictionary.
 */
function textOf(column: string, good: string, bad: string): string {
  const rewrite = (text: string) => quote(text.replaceAll("\\", "\\\\"));
  return `REGEXP_REPLACE(REGEXP_REPLACE(${column}, '^own.*$', ${rewrite(good)}), '^SECRET.*$', ${rewrite(bad)})`;
}

/** A value of the type out of a text; small integers by its length, which leaves it a dictionary. */
function fromText(
  kind: ArgumentKind,
  text: (value: (raw: string) => string) => string,
  raws: readonly string[],
): string {
  const isSmall = raws.every((raw) => /^\d$/.test(raw));
  if ((kind === "INT64" || kind === "FLOAT64") && isSmall) {
    const length = `LENGTH(${text((raw) => "x".repeat(Number(raw)))})`;
    return kind === "INT64" ? length : `CAST(${length} AS FLOAT64)`;
  }
  const plain = text((raw) => raw);
  switch (kind) {
    case "STRING":
      return plain;
    case "BYTES": {
      if (!raws.some((raw) => raw.startsWith("hex:"))) return `CAST(${plain} AS BYTES)`;
      return `FROM_HEX(${text((raw) => (raw.startsWith("hex:") ? raw.slice(4) : Buffer.from(raw).toString("hex")))})`;
    }
    case "BOOL":
      return `STARTS_WITH(${plain}, 't')`;
    case "JSON":
      return `PARSE_JSON(${plain})`;
    default:
      return `CAST(${plain} AS ${kind})`;
  }
}

/** An argument: a literal, or one that differs between the caller's rows and others'. */
type Argument = { readonly raw: string; readonly bad?: string; readonly column?: string };

function printPlace(place: Place, template: ArgumentKind, argument: Argument): string {
  switch (place.kind) {
    case "datepart":
      return argument.raw;
    case "literal": {
      const { raw } = argument;
      return kindOf(place, template) === "STRING" ? quote(raw) : raw;
    }
    case "array": {
      const { raw, bad, column } = argument;
      if (bad === undefined || !arrayFailures.includes(bad))
        return `[${printPlace(place.element, template, argument)}]`;
      const own = `[${printPlace(place.element, template, { raw })}]`;
      return `IF(STARTS_WITH(${column}, 'own'), ${own}, [${bad.slice("array:".length)}])`;
    }
    case "range": {
      const kind = place.element.kind === "type" ? kindOf(place.element, template) : "DATE";
      const start = printPlace({ kind: "type", type: { kind } }, template, argument);
      return `RANGE(${start}, CAST('2021-01-01' AS ${kind}))`;
    }
    case "structOf":
      return `STRUCT(${place.fields.map((field) => printPlace(field.place, template, argument)).join(", ")})`;
    case "struct":
      return `STRUCT(${printPlace({ kind: "template", name: "T" }, template, argument)} AS a)`;
    default: {
      const kind = kindOf(place, template);
      const { raw, bad, column } = argument;
      if (column === undefined || bad === undefined) return fromText(kind, (value) => quote(value(raw)), [raw]);
      return fromText(kind, (value) => textOf(column, value(raw), value(bad)), [raw, bad]);
    }
  }
}

function kindOf(place: Place, template: ArgumentKind): ArgumentKind {
  switch (place.kind) {
    case "type":
      return place.type.kind as ArgumentKind;
    case "array":
    case "range":
      return kindOf(place.element, template);
    case "literal":
      return kindOf(place.of, template);
    case "any":
      return "STRING";
    default:
      return template;
  }
}

function isFixed({ place }: SignatureParameter): boolean {
  return place.kind === "datepart" || place.kind === "literal";
}

/** The parameters with and without the optional ones, each shape once. */
function shapesOf({ parameters }: Signature): readonly (readonly SignatureParameter[])[] {
  const required = parameters.filter(({ isOptional, isRepeated }) => !isOptional && !isRepeated);
  return required.length === parameters.length ? [parameters] : [required, parameters];
}

/** Which of the texts of each parameter: the same for all first, then some of the other combinations. */
function* choices(counts: readonly number[]): Generator<readonly number[]> {
  const longest = Math.max(1, ...counts);
  for (let index = 0; index < longest; index++) yield counts.map((count) => index % Math.max(1, count));
  const total = counts.reduce((product, count) => product * Math.max(1, count), 1);
  const step = Math.max(1, Math.floor(total / 150));
  for (let number = 0; number < total; number += step) {
    let rest = number;
    yield counts.map((count) => {
      const choice = rest % Math.max(1, count);
      rest = Math.floor(rest / Math.max(1, count));
      return choice;
    });
  }
}

interface Attack {
  readonly bench: OracleBench;
  readonly subject: OracleSubject;
  readonly parameters: readonly SignatureParameter[];
  readonly template: ArgumentKind;
  readonly texts: readonly (readonly string[])[];
}

function printArguments({ parameters, template }: Attack, args: readonly Argument[]): readonly string[] {
  return parameters.map(({ place, name }, index) => {
    const printed = printPlace(place, template, args[index] ?? { raw: "" });
    return name === undefined ? printed : `${name} => ${printed}`;
  });
}

async function probe({ bench }: Attack, selected: string): Promise<{ own: Outcome; other: Outcome } | undefined> {
  try {
    return await bench.probe(`SELECT ${selected} FROM logs`);
  } catch (error) {
    if (error instanceof GoogleSqlError) return undefined;
    throw error;
  }
}

/** Literals that the call works with; why there are none otherwise. */
async function findWorking(attack: Attack): Promise<readonly string[] | "refused" | "failed"> {
  let refusals = 0;
  let isRefused = true;
  for (const choice of choices(attack.texts.map(({ length }) => length))) {
    const raws = choice.map((index, position) => attack.texts[position]?.[index] ?? "");
    const args = raws.map((raw) => ({ raw }));
    const found = await probe(attack, `(${attack.subject.print(printArguments(attack, args))}) IS NULL`);
    if (found !== undefined && !found.own.isError) return raws;
    isRefused &&= found === undefined;
    // The types do not fit, whatever the values.
    if (found === undefined && ++refusals > 12) break;
  }
  return isRefused ? "refused" : "failed";
}

/**
 * The expressions of which others' rows fail one or more; undefined where one cannot be written so, or fails for the
 * caller's row.
 */
async function findAmong(attack: Attack, expressions: readonly string[]): Promise<readonly string[]> {
  const all = expressions.map((expression) => `(${expression}) IS NULL`).join(", ");
  const found = await probe(attack, all);
  if (found !== undefined && !found.other.isError) return [];
  const [first] = expressions;
  if (first === undefined) return [];
  if (expressions.length === 1) return found !== undefined && !found.own.isError ? [first] : [];
  const half = expressions.length >> 1;
  const before = await findAmong(attack, expressions.slice(0, half));
  return before.length > 0 ? before : findAmong(attack, expressions.slice(half));
}

/** For each argument that may be computed, a text that it fails for, if there is one. */
async function findFailing(attack: Attack, raws: readonly string[]): Promise<readonly OracleCase[]> {
  const { subject, parameters, texts } = attack;
  const cases: OracleCase[] = [];
  for (const [position, parameter] of parameters.entries()) {
    if (isFixed(parameter)) continue;
    const bads = [...(texts[position] ?? []), ...(parameter.place.kind === "array" ? arrayFailures : [])];
    const forms = bads
      .filter((bad) => bad !== raws[position])
      .map(
        (bad) => (column: string) =>
          printArguments(
            attack,
            raws.map((raw, index) => (index === position ? { raw, bad, column } : { raw })),
          ),
      );
    const [failing] = await findAmong(
      attack,
      forms.map((form) => subject.print(form("tall"))),
    );
    const form = forms.find((each) => subject.print(each("tall")) === failing);
    if (form === undefined) continue;
    const { printSafe } = subject;
    cases.push({
      name: subject.print(form("t")),
      kind: subject.kind,
      expression: (column) => subject.print(form(column)),
      safe: printSafe === undefined ? undefined : (column) => printSafe(form(column)),
    });
  }
  return cases;
}

/** Attacks a subject in each of its signatures. */
export async function attackSubject(bench: OracleBench, subject: OracleSubject): Promise<Findings> {
  const cases: OracleCase[] = [];
  let isCallable = false;
  let isRefused = true;
  for (const signature of subject.signatures) {
    for (const parameters of shapesOf(signature)) {
      const isGeneric = parameters.some(({ place }) => /"(?:template|struct)"/.test(JSON.stringify(place)));
      for (const template of isGeneric ? templates : (["STRING"] as const)) {
        const texts = parameters.map(({ place }, position) => {
          const own = ownTexts[subject.name]?.[position];
          return own ?? (place.kind === "datepart" ? dateParts : argumentTexts[kindOf(place, template)]);
        });
        const attack: Attack = { bench, subject, parameters, template, texts };
        const raws = await findWorking(attack);
        isRefused &&= raws === "refused";
        if (typeof raws === "string") continue;
        isCallable = true;
        cases.push(...(await findFailing(attack, raws)));
        break;
      }
    }
  }
  return { cases, isCallable, isRefused };
}
