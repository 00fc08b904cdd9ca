/** A call of everything in the catalogue, over columns of a table that is made for it. */

import type { TableLayout } from "../../../src/engines/schema/layout.ts";
import type { Place, Signature, SignatureParameter } from "../../../src/googlesql/catalogue/signature.ts";
import { GoogleSqlError } from "../../../src/googlesql/diagnostic.ts";
import { arrayOf, type SqlType } from "../../../src/googlesql/types.ts";
import { type OracleSubject, oracleSubjects } from "../../security/oracle-cases.ts";
import { type ArgumentKind, argumentTexts, ownTexts } from "../../security/tables/oracle-arguments.ts";
import { bindCall } from "../../support/engines/duckdb/compile/bind-call.ts";
import { compileText } from "../../support/engines/duckdb/compile/compile-text.ts";
import { type MemoryDatabase, openMemoryDatabase } from "../../support/engines/duckdb/driver/memory-database.ts";

/** Where the column of an argument is read, by the argument's position: `o.column`, or a sub-query that gives it. */
export type ReadColumn = (column: string, position: number) => string;

export interface PlacedCall {
  readonly name: string;
  readonly kind: OracleSubject["kind"];
  readonly print: (read: ReadColumn) => string;
}

/** The table of arguments: two equal rows with the columns that calls read, and `id`, which numbers them from 1. */
export const ARGUMENTS = "arguments";

interface ArgumentColumn {
  readonly name: string;
  readonly type: SqlType;
  /** GoogleSQL that computes the value. */
  readonly value: string;
}

const templates: readonly ArgumentKind[] = ["INT64", "STRING", "FLOAT64", "DATE", "NUMERIC", "BYTES"];
const dateParts = ["WEEK", "DAY", "HOUR", "YEAR", "MICROSECOND", "DATE", "NFC"];
/** How many texts of each argument are tried until a call of them is a query. */
const CHOICES = 14;

function printValue(kind: ArgumentKind, raw: string): string {
  if (kind === "JSON") return `PARSE_JSON(${JSON.stringify(raw)})`;
  if (raw.startsWith("hex:")) return `FROM_HEX('${raw.slice(4)}')`;
  return `SAFE_CAST(${JSON.stringify(raw)} AS ${kind})`;
}

/** Every column that some call reads, once. */
class Columns {
  readonly all = new Map<string, ArgumentColumn>([["id", { name: "id", type: { kind: "INT64" }, value: "1" }]]);

  nameOf(kind: ArgumentKind, raw: string, isArray: boolean): string {
    const value = isArray ? `[${printValue(kind, raw)}]` : printValue(kind, raw);
    const known = this.all.get(value);
    if (known !== undefined) return known.name;
    const name = `${isArray ? "a" : "c"}${this.all.size}`;
    this.all.set(value, { name, type: isArray ? arrayOf({ kind }) : { kind }, value });
    return name;
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

type PrintArgument = (read: ReadColumn, position: number) => string;

function argumentOf(columns: Columns, place: Place, template: ArgumentKind, raw: string): PrintArgument {
  const kind = kindOf(place, template);
  switch (place.kind) {
    case "datepart":
      return () => raw;
    case "literal":
      return () => (kind === "STRING" ? JSON.stringify(raw) : raw);
    case "range": {
      const bound = columns.nameOf(place.element.kind === "type" ? kind : "DATE", "2020-01-01", false);
      return (read, position) => `RANGE(${read(bound, position)}, NULL)`;
    }
    case "structOf": {
      const fields = place.fields.map((field) => argumentOf(columns, field.place, template, raw));
      return (read, position) => `STRUCT(${fields.map((field) => field(read, position)).join(", ")})`;
    }
    case "struct": {
      const field = columns.nameOf(template, raw, false);
      return (read, position) => `STRUCT(${read(field, position)} AS a)`;
    }
    default: {
      const isPlainArray = place.kind === "array" && ["type", "template"].includes(place.element.kind);
      if (place.kind === "array" && !isPlainArray) {
        const element = argumentOf(columns, place.element, template, raw);
        return (read, position) => `[${element(read, position)}]`;
      }
      const column = columns.nameOf(kind, raw, isPlainArray);
      return (read, position) => read(column, position);
    }
  }
}

function shapesOf({ parameters }: Signature): readonly (readonly SignatureParameter[])[] {
  const required = parameters.filter(({ isOptional, isRepeated }) => !isOptional && !isRepeated);
  return required.length === parameters.length ? [parameters] : [required, parameters];
}

/** Calls of one shape, one for each choice of argument texts; the first of them that is a query will do. */
function candidatesOf(
  columns: Columns,
  subject: OracleSubject,
  parameters: readonly SignatureParameter[],
): PlacedCall[] {
  const isGeneric = /"(?:template|struct)"/.test(JSON.stringify(parameters.map(({ place }) => place)));
  return (isGeneric ? templates : (["STRING"] as const)).flatMap((template) =>
    Array.from({ length: CHOICES }, (_, choice): PlacedCall => {
      const args = parameters.map(({ place, name }, position) => {
        const own = ownTexts[subject.name]?.[position];
        const texts = own ?? (place.kind === "datepart" ? dateParts : argumentTexts[kindOf(place, template)]);
        const print = argumentOf(columns, place, template, texts[choice % texts.length] ?? "");
        return { print, name };
      });
      const print = (read: ReadColumn) =>
        subject.print(
          args.map((argument, position) => {
            const printed = argument.print(read, position);
            return argument.name === undefined ? printed : `${argument.name} => ${printed}`;
          }),
        );
      return { name: `${subject.name}/${parameters.length}`, kind: subject.kind, print };
    }),
  );
}

export interface PlacedCalls {
  readonly calls: readonly PlacedCall[];
  /** The names of what no call was found for. */
  readonly uncalled: readonly string[];
  /** The rows of a query over the table, as cells. Throws `GoogleSqlError`, or what the engine throws. */
  run(text: string): Promise<readonly unknown[]>;
  close(): void;
}

function layoutOf(columns: Columns): TableLayout {
  const all = [...columns.all.values()];
  return {
    definition: { name: ARGUMENTS, columns: all.map(({ name, type }) => ({ name, type })) },
    table: ARGUMENTS,
    recordColumns: new Map(),
    leaves: new Map(all.map(({ name, type }) => [name, { type, variants: [{ column: name, type }] }])),
    presence: new Map(),
  };
}

/** Creates the table, and answers the columns whose text is no value of their type. */
async function createTable(database: MemoryDatabase, columns: Columns): Promise<ReadonlySet<string>> {
  const all = [...columns.all.values()];
  const { sql } = compileText(`SELECT ${all.map(({ value, name }) => `${value} AS ${name}`).join(", ")}`, []);
  const names = all.map(({ name }) => name).join(", ");
  await database.query(`CREATE TABLE ${ARGUMENTS} AS SELECT * FROM (${sql}) AS t(${names})`);
  const { rows } = await database.query(`SELECT * FROM ${ARGUMENTS}`);
  await database.query(`INSERT INTO ${ARGUMENTS} SELECT * REPLACE (2 AS id) FROM ${ARGUMENTS}`);
  return new Set(all.filter((_, index) => rows[0]?.[index] === null).map(({ name }) => name));
}

/**
 * Finds a call for each shape of each signature of every function, operator and cast, and a database to run them in.
 * Brief: one for each function, that is a query, whether or not it fails for its values.
 */
export async function openPlacedCalls({ isBrief }: { readonly isBrief: boolean }): Promise<PlacedCalls> {
  const columns = new Columns();
  const shapes = oracleSubjects().flatMap((subject) =>
    subject.signatures.flatMap((signature) =>
      shapesOf(signature).map((parameters) => ({ subject, candidates: candidatesOf(columns, subject, parameters) })),
    ),
  );
  const database = await openMemoryDatabase();
  const empty = await createTable(database, columns);
  const layouts = [layoutOf(columns)];
  const run: PlacedCalls["run"] = async (text) => {
    const compiled = compileText(text, layouts);
    const { sql, parameters } = await bindCall(database.all, compiled, []);
    return database.encode(sql, compiled.columns, "cells", parameters);
  };
  const compile = async (text: string) => {
    compileText(text, layouts);
  };
  const calls: PlacedCall[] = [];
  const called = new Set<string>();
  for (const { subject, candidates } of shapes) {
    if (isBrief && called.has(subject.name)) continue;
    const call = await firstQuery(isBrief ? compile : run, candidates, empty);
    if (call === undefined) continue;
    called.add(subject.name);
    calls.push(call);
  }
  const uncalled = oracleSubjects().filter(({ name }) => !called.has(name));
  return { calls, uncalled: uncalled.map(({ name }) => name), run, close: () => database.close() };
}

/** The call over one row of the table, without any sub-query. */
export function plainQuery({ print }: PlacedCall): string {
  return `SELECT ${print((column) => `o.${column}`)} FROM ${ARGUMENTS} AS o`;
}

/** The first that succeeds, else the first that is a query at all; none that reads an empty column. */
async function firstQuery(
  attempt: (text: string) => Promise<unknown>,
  candidates: readonly PlacedCall[],
  empty: ReadonlySet<string>,
): Promise<PlacedCall | undefined> {
  let query: PlacedCall | undefined;
  for (const candidate of candidates) {
    const read: string[] = [];
    candidate.print((column) => {
      read.push(column);
      return column;
    });
    if (read.some((column) => empty.has(column))) continue;
    try {
      await attempt(plainQuery(candidate));
      return candidate;
    } catch (error) {
      if (!(error instanceof GoogleSqlError)) query ??= candidate;
    }
  }
  return query;
}
