import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { ServiceError } from "../errors.ts";
import { findTextProblems } from "./schema-problems.ts";

/** The problems of a document that was sent, as texts by its fields. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>;

/** The error of a document that is not saved, with the first of its problems in the message. */
export function refuseDocument(refusal: string, fields: FieldProblems, more = ""): ServiceError {
  const [[field, [text = ""] = []] = ["", []]] = Object.entries(fields);
  return new ServiceError("validation_failed", `${refusal}: ${field}: ${text}${more}`, { fields });
}

/** The problems of a document's texts (`findTextProblems`), by its fields. */
export function describeTextProblems(document: object): FieldProblems {
  const problems: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { path, message } of findTextProblems(document)) {
    const [field = "", ...inner] = path;
    problems[field] = [...(problems[field] ?? []), inner.length === 0 ? message : `${inner.join(".")}: ${message}`];
  }
  return problems;
}

/** A document of the right form; or what is wrong with it, and its fields that are right. */
export type ReadForm<Document> =
  | { readonly document: Document }
  | { readonly problems: FieldProblems; readonly fields: Partial<Document> };

/** A schema as a check: made once, used for each document. */
export interface DocumentForm<Document> {
  /** Checks a document. Fields that are null count as left out. */
  read(sent: Readonly<Record<string, unknown>>): ReadForm<Document>;
}

/**
 * Compiles a schema of an object, on first use: a service that never gets such a document pays nothing. In messages, a
 * schema's `title` says what a value must be, as in "must be a list of scopes".
 */
export function createDocumentForm<Schema extends TSchema>(schema: Schema): DocumentForm<Static<Schema>> {
  let compiled: ReturnType<typeof Compile<Schema>> | undefined;
  return {
    read(sent) {
      compiled ??= Compile(schema);
      const document = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
      const ofTexts = describeTextProblems(document);
      const isFit = compiled.Check(document);
      if (isFit && Object.keys(ofTexts).length === 0) return { document };
      const ofForm = isFit ? {} : describeErrors(schema, errorsByField(compiled, document));
      const problems: FieldProblems = { ...ofTexts, ...ofForm };
      const right = Object.entries(document)
        .slice(0, maxFields)
        .filter(([name]) => !Object.hasOwn(problems, name));
      return { problems, fields: Object.fromEntries(right) as Partial<Static<Schema>> };
    },
  };
}

interface FormError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
}

/** So many fields of a document are looked at for problems. */
const maxFields = 100;

/** Field by field: the library stops at eight errors. */
function errorsByField(
  form: { Errors(value: unknown): readonly FormError[] },
  document: Readonly<Record<string, unknown>>,
): readonly FormError[] {
  const isMissing = ({ keyword, instancePath }: FormError) => keyword === "required" && instancePath === "";
  const missing = form
    .Errors({})
    .filter(isMissing)
    .map((error) => ({
      ...error,
      params: { requiredProperties: requiredBy(error).filter((name) => !Object.hasOwn(document, name)) },
    }));
  const wrong = Object.entries(document)
    .slice(0, maxFields)
    .flatMap(([name, value]) => form.Errors({ [name]: value }).filter((error) => !isMissing(error)));
  return [...wrong, ...missing];
}

function requiredBy({ params }: FormError): readonly string[] {
  return "requiredProperties" in params ? (params.requiredProperties as readonly string[]) : [];
}

/** The parts of a schema that messages use. */
interface SchemaNode {
  readonly title?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, unknown>>;
}

function describeErrors(schema: TSchema, errors: readonly FormError[]): FieldProblems {
  // Names of fields are the caller's: `__proto__` and `constructor` are some too.
  const problems = new Map<string, readonly string[]>();
  for (const error of errors.map(ofWholeUnion)) {
    const { keyword, schemaPath, instancePath } = error;
    // It is said of each unknown key too.
    if (keyword === "additionalProperties") continue;
    const at = partsOf(instancePath);
    const found: [path: readonly string[], message: string][] =
      keyword === "required"
        ? requiredBy(error).map((name) => [
            [...at, name],
            whyMissing(nodeAt(schema, `${schemaPath}/properties/${name}`)),
          ])
        : [
            [
              at,
              keyword === "boolean" ? unknownField(schema, schemaPath) : describe(nodeAt(schema, schemaPath), keyword),
            ],
          ];
    for (const [[field = "", ...inner], message] of found) {
      const text = inner.length === 0 ? message : `${inner.join(".").slice(0, 200)}: ${message}`;
      const name = field.slice(0, 200);
      const known = problems.get(name) ?? [];
      if (!known.includes(text)) problems.set(name, [...known, text]);
    }
  }
  return Object.fromEntries(problems);
}

/** An error in one of the forms that a value may have is one of the value: the first forms may be many errors. */
function ofWholeUnion(error: FormError): FormError {
  const end = error.schemaPath.indexOf("/anyOf/");
  if (end === -1) return error;
  const schemaPath = error.schemaPath.slice(0, end);
  const depth = schemaPath.match(/\/(?:properties|items|additionalProperties)\b/g)?.length ?? 0;
  const instancePath = error.instancePath
    .split("/")
    .slice(0, depth + 1)
    .join("/");
  return { keyword: "anyOf", schemaPath, instancePath, params: {} };
}

function describe({ title, type = "", enum: values, maxLength }: SchemaNode, keyword: string): string {
  if (keyword === "maxLength") return `must have ${maxLength} characters at most`;
  if (values !== undefined) return `must be one of ${values.join(", ")}`;
  return `must be ${title ?? nouns[type] ?? "of another form"}`;
}

function whyMissing({ title }: SchemaNode): string {
  return title === undefined ? "is missing" : `must be ${title}`;
}

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  array: "a list",
  object: "an object",
};

function unknownField(schema: TSchema, schemaPath: string): string {
  const { properties = {} } = nodeAt(schema, schemaPath.replace(/\/additionalProperties$/, ""));
  const names = Object.keys(properties);
  const known = names.length === 1 ? `the only one is ${names[0]}` : `fields are ${names.join(", ")}`;
  return `there is no such field; ${known}`;
}

/** The part of a schema that a pointer such as `#/properties/name` leads to. */
function nodeAt(schema: TSchema, pointer: string): SchemaNode {
  return partsOf(pointer).reduce<SchemaNode>(
    (node, part) => (node as Readonly<Record<string, SchemaNode>>)[part] ?? {},
    schema as SchemaNode,
  );
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
