import type { ComputedColumn, Expr, FieldExpr, RecordFieldExpr } from "../../resolved.ts";
import { columnOf } from "../call/coerce.ts";
import { columnExpr } from "../expression/expr.ts";
import type { Resolution } from "../resolution.ts";
import type { Item } from "./select-list.ts";

/**
 * The list with columns in place of what `expression.*` takes several fields of: that is computed once, and so is one
 * value where it is random. `mayCompute`: can it be computed where the columns are to be?
 */
export function computeStars<Listed extends Item>(
  resolution: Resolution,
  items: readonly Listed[],
  mayCompute: (base: Expr) => boolean = () => true,
): { readonly items: readonly Listed[]; readonly computed: readonly ComputedColumn[] } {
  const uses = new Map<Expr, number>();
  for (const { expression } of items) {
    if (isField(expression)) uses.set(expression.base, (uses.get(expression.base) ?? 0) + 1);
  }
  const computed = new Map<Expr, ComputedColumn>();
  for (const [base, count] of uses) {
    if (count < 2 || isRead(base) || !mayCompute(base)) continue;
    computed.set(base, { column: columnOf(resolution, "struct", base), expression: base });
  }
  if (computed.size === 0) return { items, computed: [] };
  const listed = items.map((item) => {
    const { expression } = item;
    const made = isField(expression) ? computed.get(expression.base) : undefined;
    if (!isField(expression) || made === undefined) return item;
    return { ...item, expression: { ...expression, base: columnExpr(made.column, expression.base.span) } };
  });
  return { items: listed, computed: [...computed.values()] };
}

function isField(expression: Expr): expression is FieldExpr | RecordFieldExpr {
  return expression.kind === "Field" || expression.kind === "RecordField";
}

function isRead(base: Expr): boolean {
  return base.kind === "Column" || base.kind === "Variable" || (isField(base) && isRead(base.base));
}
