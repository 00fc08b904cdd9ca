import type { Query, QueryBody } from "../../../googlesql/ast.ts";

/** The query with another outermost LIMIT; its OFFSET stays. */
export function withLimit(query: Query, rows: number): Query {
  const { span } = query;
  const count = { kind: "IntLiteral", text: String(rows), span } as const;
  if (query.pipes.length === 0) return { ...query, limit: { ...query.limit, count, span } };
  const last = query.pipes.at(-1);
  const others = last?.kind === "PipeLimit" ? query.pipes.slice(0, -1) : query.pipes;
  const offset = last?.kind === "PipeLimit" ? last.limit.offset : undefined;
  const limit = offset === undefined ? { count, span } : { count, offset, span };
  return { ...query, pipes: [...others, { kind: "PipeLimit", limit, span }] };
}

/**
 * The WITH table that the query reads by itself, for LQL texts that name none: the one in its outermost FROM, else
 * the only one there is. Undefined where there is neither.
 */
export function findDefaultTable(query: Query): string | undefined {
  const tables = query.with?.entries.map((entry) => entry.name.name) ?? [];
  const read = readTable(query.body);
  const match = tables.find((table) => table.toLowerCase() === read?.toLowerCase());
  return match ?? (tables.length === 1 ? tables[0] : undefined);
}

function readTable(body: QueryBody): string | undefined {
  switch (body.kind) {
    case "Query":
      return readTable(body.body);
    case "Select":
    case "FromQuery":
      return body.from?.kind === "TableReference" ? body.from.path.parts.map((part) => part.name).join(".") : undefined;
    case "SetOperation":
      return undefined;
  }
}
