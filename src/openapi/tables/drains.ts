import type { JsonSchema, Parameter } from "../open-api-document.ts";
import type { ManagementOperation } from "./management.ts";

const id = (description: string): Parameter => ({
  name: "id",
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
});
const filter = (name: string, description: string): Parameter => ({
  name,
  in: "query",
  description,
  schema: { type: "string" },
});
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** What is told of a backend and of a rule, apart from the words. */
interface Thing {
  readonly path: string;
  readonly name: "Backend" | "Rule";
  readonly one: string;
  readonly many: string;
  readonly filter: Parameter;
  readonly unknown: "unknown_backend" | "unknown_rule";
}

const things: readonly Thing[] = [
  {
    path: "/api/backends",
    name: "Backend",
    one: "a backend",
    many: "the backends, with how their deliveries go",
    filter: filter("metadata[type]", "Only backends whose metadata has this type"),
    unknown: "unknown_backend",
  },
  {
    path: "/api/rules",
    name: "Rule",
    one: "a rule",
    many: "the rules",
    filter: filter("backend_id", "Only rules of this backend"),
    unknown: "unknown_rule",
  },
];

/** The operations of log drains. */
export const drainOperations: readonly ManagementOperation[] = things.flatMap((thing): ManagementOperation[] => {
  const { path, name, one, many, unknown } = thing;
  const shared = { tag: "log drains", scope: "private" } as const;
  const single = { ...shared, path: `${path}/{id}`, parameters: [id(`The id of ${one}`)] };
  const saving = ["invalid_body", "validation_failed", "unsupported_media_type"] as const;
  const saved = { body: ref(`${name}Document`), answer: ref(name) };
  return [
    {
      ...shared,
      method: "get",
      path,
      id: `list${name}s`,
      summary: `List ${many}`,
      parameters: [thing.filter],
      status: 200,
      answer: { type: "array", items: ref(name) },
    },
    {
      ...shared,
      ...saved,
      method: "post",
      path,
      id: `create${name}`,
      summary: `Make ${one}`,
      status: 201,
      errors: saving,
    },
    {
      ...single,
      method: "get",
      id: `get${name}`,
      summary: `Show ${one}`,
      status: 200,
      answer: ref(name),
      errors: [unknown],
    },
    ...(["put", "patch"] as const).map(
      (method): ManagementOperation => ({
        ...single,
        ...saved,
        method,
        id: `${method === "put" ? "replace" : "change"}${name}`,
        summary: `Change ${one}; what is left out stays`,
        status: 200,
        errors: [...saving, unknown],
      }),
    ),
    { ...single, method: "delete", id: `delete${name}`, summary: `Delete ${one}`, status: 204, errors: [unknown] },
  ];
});
