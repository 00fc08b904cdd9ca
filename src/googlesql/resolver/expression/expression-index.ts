import type { Expr } from "../../resolved.ts";
import { isSameExpr } from "./same-expression.ts";

/** Below so many entries comparing each is faster than hashing. */
const FEW = 8;

/** Finds what says the same as an expression among many, in time that does not grow with their number. */
export class ExpressionIndex<Entry extends { readonly expression: Expr }> {
  private readonly entries: Entry[] = [];
  private buckets: Map<number, Entry[]> | undefined;
  private hashes: Map<Expr, number> | undefined;

  constructor(entries: Iterable<Entry> = []) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    if (this.buckets !== undefined) this.put(this.buckets, entry);
  }

  /** The first entry with this expression. */
  find(expression: Expr): Entry | undefined {
    if (this.entries.length <= FEW) return this.entries.find((entry) => isSameExpr(entry.expression, expression));
    if (this.buckets === undefined) {
      this.buckets = new Map();
      for (const entry of this.entries) this.put(this.buckets, entry);
    }
    return this.buckets.get(this.hash(expression))?.find((entry) => isSameExpr(entry.expression, expression));
  }

  private put(buckets: Map<number, Entry[]>, entry: Entry): void {
    const hash = this.hash(entry.expression);
    const bucket = buckets.get(hash);
    if (bucket === undefined) buckets.set(hash, [entry]);
    else bucket.push(entry);
  }

  private hash(expression: Expr): number {
    this.hashes ??= new Map();
    const known = this.hashes.get(expression);
    if (known !== undefined) return known;
    const hash = hashExpr(expression, (inner) => this.hash(inner));
    this.hashes.set(expression, hash);
    return hash;
  }
}

/** A number that is equal for calls of the same function with the same arguments. */
export function hashCall(name: string, values: readonly Expr[]): number {
  const hash = (expression: Expr): number => hashExpr(expression, hash);
  return values.reduce((sum, value) => mix(sum, hash(value)), hashText(name));
}

/** Equal for expressions that are the same by {@link isSameExpr}; different for most others. */
function hashExpr(expression: Expr, hash: (inner: Expr) => number): number {
  switch (expression.kind) {
    case "Literal":
      return mix(1, hashText(expression.value ?? ""));
    case "Parameter":
      return mix(2, hashText(String(expression.key)));
    case "Column":
      return mix(3, expression.column.id);
    case "Variable":
      return mix(4, expression.column.id);
    case "Field":
      return mix(mix(5, expression.index), hash(expression.base));
    case "RecordField":
      return mix(mix(6, hashText(expression.path.join("."))), hash(expression.base));
    case "Call":
      return expression.arguments.reduce<number>(
        (sum, argument) => mix(sum, argument === undefined ? 0 : hash(argument)),
        mix(7, hashText(expression.function)),
      );
    case "Cast":
      return mix(8, hash(expression.operand));
    case "MakeArray":
      return expression.elements.reduce((sum, element) => mix(sum, hash(element)), 9);
    case "MakeStruct":
      return expression.fields.reduce((sum, field) => mix(sum, hash(field)), 10);
    case "Case":
      return expression.branches.reduce((sum, branch) => mix(mix(sum, hash(branch.when)), hash(branch.then)), 11);
    case "DatePart":
      return mix(12, hashText(expression.part));
    default:
      return hashText(expression.kind);
  }
}

function mix(a: number, b: number): number {
  return (Math.imul(a, 31) + b) | 0;
}

function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}
