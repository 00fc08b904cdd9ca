import type { Column, Scan } from "../../googlesql/resolved.ts";

/**
 * Columns of a scan that together identify its rows, so that an order that ends with them is total. Undefined where
 * none are known.
 */
export function findUniqueKeys(scan: Scan): readonly Column[] | undefined {
  switch (scan.kind) {
    case "SingleRow":
      return [];
    case "Table": {
      // The store keeps one event of an id.
      const id = scan.columns.find(({ source }) => source === "id");
      return id === undefined ? undefined : [id.column];
    }
    case "Cte": {
      if (scan.cte.isRecursive) return undefined;
      const indexes = findUniqueKeys(scan.cte.scan)?.map((key) => scan.cte.output.findIndex(({ id }) => id === key.id));
      const keys = indexes?.map((index) => scan.columns[index]);
      return keys?.every((key) => key !== undefined) ? keys : undefined;
    }
    case "Filter":
    case "Project":
    case "Window":
    case "OrderBy":
    case "Limit":
    case "Sample":
    case "With":
      return findUniqueKeys(scan.input);
    case "Unnest":
      return scan.input !== undefined && scan.arrays.every(({ array }) => isOneElement(array.type))
        ? findUniqueKeys(scan.input)
        : withOffset(scan);
    case "Aggregate":
      return scan.groupingSets === undefined ? scan.groupBy.map(({ column }) => column) : undefined;
    case "Distinct":
      return scan.columns.map(({ column }) => column);
    case "SetOperation":
      return scan.isAll ? undefined : scan.columns;
    case "Join": {
      const left = findUniqueKeys(scan.left);
      const right = findUniqueKeys(scan.right);
      return left === undefined || right === undefined ? undefined : [...left, ...right];
    }
    case "Recursive":
      return undefined;
  }
}

type Unnest = Extract<Scan, { kind: "Unnest" }>;

/** An element's place distinguishes it from the others of its row. */
function withOffset({ input, offset }: Unnest): readonly Column[] | undefined {
  if (offset === undefined) return undefined;
  const keys = input === undefined ? [] : findUniqueKeys(input);
  return keys === undefined ? undefined : [...keys, offset];
}

/** A record that every event carried once: UNNEST of it is another name, and repeats no row. */
function isOneElement(type: Unnest["arrays"][number]["array"]["type"]): boolean {
  return type.kind === "ARRAY" && type.element.kind === "RECORD" && !type.element.isRepeated;
}
