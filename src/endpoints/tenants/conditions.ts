import type { TenantRule } from "../../googlesql/relation.ts";
import type { Expr } from "../../googlesql/resolved.ts";

/** A column, or a field below it by the names of records that are one object each. */
export interface Field {
  /** The column's id. */
  readonly column: number;
  readonly path: readonly string[];
}

/** A condition on rows: a field equals a tenant's name, or another field. */
export type Condition =
  | { readonly field: Field; readonly rule: TenantRule; readonly other?: undefined }
  | { readonly field: Field; readonly other: Field; readonly rule?: undefined };

/** The comparisons for equality of fields with parameters, texts and each other that a predicate joins by AND. */
export function toConditions(predicate: Expr): readonly Condition[] {
  const conditions: Condition[] = [];
  const open: (Expr | undefined)[] = [predicate];
  while (open.length > 0) {
    const next = open.pop();
    if (next?.kind !== "Call") continue;
    if (next.function === "$and") open.push(...next.arguments);
    if (next.function !== "$equal") continue;
    const [left, right] = next.arguments;
    if (left !== undefined && right !== undefined) conditions.push(...toComparison(left, right));
  }
  return conditions;
}

function toComparison(left: Expr, right: Expr): readonly Condition[] {
  const [a, b] = [toTextField(left), toTextField(right)];
  const [leftRule, rightRule] = [toRule(left), toRule(right)];
  if (a !== undefined && rightRule !== undefined) return [{ field: a, rule: rightRule }];
  if (b !== undefined && leftRule !== undefined) return [{ field: b, rule: leftRule }];
  return a !== undefined && b !== undefined ? [{ field: a, other: b }] : [];
}

/** The column or field that an expression is; undefined for anything that computes. */
export function toField(expression: Expr): Field | undefined {
  const path: string[] = [];
  let at = expression;
  while (at.kind === "RecordField") {
    path.unshift(...at.path);
    at = at.base;
  }
  return at.kind === "Column" ? { column: at.column.id, path } : undefined;
}

/** Texts that compare as they are: neither converted nor by a collation. */
function isPlainText({ type }: Expr): boolean {
  return type.kind === "STRING" && type.collation === undefined;
}

function toTextField(expression: Expr): Field | undefined {
  return isPlainText(expression) ? toField(expression) : undefined;
}

function toRule(expression: Expr): TenantRule | undefined {
  if (!isPlainText(expression)) return undefined;
  if (expression.kind === "Parameter") return { kind: "parameter", name: String(expression.key).toLowerCase() };
  if (expression.kind !== "Literal" || expression.value === null) return undefined;
  return { kind: "text", value: expression.value };
}

/** With what follows from fields that are the same: each has the conditions of the other. */
export function closeOver(conditions: readonly Condition[]): readonly Condition[] {
  const all = [...conditions];
  const known = new Set(all.map((condition) => JSON.stringify(condition)));
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const { field, other } of conditions) {
      if (other === undefined) continue;
      for (const { field: named, rule } of [...all]) {
        const twin = rule === undefined ? undefined : twinOf(named, field, other);
        if (twin === undefined || rule === undefined) continue;
        const found = { field: twin, rule };
        const key = JSON.stringify(found);
        if (known.has(key)) continue;
        known.add(key);
        all.push(found);
        isGrowing = true;
      }
    }
  }
  return all;
}

function twinOf(named: Field, a: Field, b: Field): Field | undefined {
  if (isSameField(named, a)) return b;
  return isSameField(named, b) ? a : undefined;
}

function isSameField(a: Field, b: Field): boolean {
  return a.column === b.column && a.path.length === b.path.length && a.path.every((name, i) => name === b.path[i]);
}
