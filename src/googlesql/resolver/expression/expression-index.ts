import { expressionChildren } from "../../resolved/walk.ts";
import type { AnyExpr, Expr } from "../../resolved.ts";
import { isSameExpr, ownParts } from "./same-expression.ts";

/** Below so many entries comparing each is faster than hashing. */
const FEW = 8;

/** Finds what says the same as an expression among many, in time that does not grow with their number. */
export class ExpressionIndex<Entry extends { readonly expression: Expr }> {
  private readonly entries: Entry[] = [];
  private buckets: Map<number, Entry[]> | undefined;
  private hashes: Map<AnyExpr, number> | undefined;

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

  private hash(expression: AnyExpr): number {
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
  return values.reduce((sum, value) => mix(sum, hashAll(value)), hashText(name));
}

const hashAll = (expression: AnyExpr): number => hashExpr(expression, hashAll);

/** Equal for expressions that are the same by {@link isSameExpr}; different for most others. */
function hashExpr(expression: AnyExpr, hash: (below: AnyExpr) => number): number {
  const own = hashText(`${expression.kind} ${ownParts(expression)?.join()}`);
  return expressionChildren(expression).reduce((sum, below) => mix(sum, hash(below)), own);
}

function mix(a: number, b: number): number {
  return (Math.imul(a, 31) + b) | 0;
}

function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}
