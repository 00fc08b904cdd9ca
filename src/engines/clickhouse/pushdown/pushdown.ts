/**
 * Divides a query: the server runs every sub-tree that it can express exactly, and the embedded engine the rest over
 * the rows that come back. Filters and columns that the server cannot compute wait above what it can, so that later
 * filters, sorting and limits are still its own wherever they do not read what waits.
 */

import { createMapping, type Mapping } from "../../../googlesql/resolved/map.ts";
import { someExpression } from "../../../googlesql/resolved/walk.ts";
import type { Column, CteDefinition, Expr, Scan } from "../../../googlesql/resolved.ts";
import { computesFailing } from "../../lowering/failing.ts";
import { findColumn } from "../../lowering/find-column.ts";
import { once } from "../../lowering/once.ts";
import { isRandomCall, partsOf } from "../../lowering/parts.ts";
import { chainOf } from "../../lowering/scan-chain.ts";
import type { Compilation } from "../compile/compilation.ts";
import type { SelectBuilder } from "../compile/render.ts";
import { joinBlocks } from "../compile/scan/joins.ts";
import {
  buildSource,
  buildStep,
  computedBinding,
  FilterBuilder,
  projectionSelect,
  separateLong,
} from "../compile/scan/scans.ts";
import { uniteBlocks } from "../compile/scan/set-operations.ts";
import { scopeOf, withColumns } from "../compile/select-builder.ts";
import { Refusal } from "../sql/refusal.ts";
import { MAX_COPIES, MAX_DEPTH, MAX_REASONS, MAX_STATEMENTS, TooComplex } from "./limits.ts";
import {
  hasLateRows,
  type LateStep,
  lateColumns,
  lateScan,
  type Part,
  type PushedPart,
  passesFilters,
  type Reason,
  type RecordAlias,
  reads,
  readsLate,
  readsTables,
} from "./part.ts";

/** A sub-tree that the server runs, in the tree that the embedded engine runs. */
export interface Remote {
  readonly scan: Scan & { readonly kind: "Table" };
  readonly builder: SelectBuilder;
}

export class Pushdown {
  readonly reasons: Reason[] = [];
  readonly remotes: Remote[] = [];
  /** Records that the server knows as columns of their fields only, with what they are. */
  readonly aliases = new Map<number, RecordAlias>();
  /** Definitions of CTEs that the embedded engine reads: each reads earlier ones only. */
  readonly definitions: CteDefinition[] = [];
  readonly #compilation: Compilation;
  /** Whether sub-trees that read no table are worth a trip to the server. */
  readonly #pushesConstants: boolean;
  readonly #definitions = new Map<number, CteDefinition>();
  /** The part that the embedded engine computes: sub-queries in it are divided as well. */
  readonly #mapping: Mapping;
  #depth = 0;
  #copyCount = 0;

  constructor(compilation: Compilation, pushesConstants: boolean) {
    this.#compilation = compilation;
    this.#pushesConstants = pushesConstants;
    // Of a sub-query that a branch holds, the server computes what cannot fail.
    const ofBranch = createMapping({
      scan: (scan) => (computesFailing(scan) ? undefined : this.toScan(this.divide(scan))),
    });
    this.#mapping = createMapping({
      scan: (scan) => (compilation.branchQueries.has(scan) ? ofBranch.scan(scan) : this.toScan(this.divide(scan))),
    });
  }

  /** The sub-tree, divided. Throws `TooComplex`. */
  divide(scan: Scan): Part {
    if (++this.#depth > MAX_DEPTH) throw new TooComplex(`Queries are nested deeper than ${MAX_DEPTH} levels`);
    const part = this.#divide(scan);
    this.#depth--;
    return part;
  }

  #divide(scan: Scan): Part {
    const { source, steps } = chainOf(scan);
    let part = this.#source(source);
    for (const step of steps) part = this.#step(step, part);
    return part;
  }

  /** The part as a tree of the embedded engine's, which reads the server's rows where the server takes over. */
  toScan(part: Part): Scan {
    if (part.kind === "residual") return part.scan;
    if (!this.#pushesConstants && !readsTables(part)) return part.scan;
    if (this.remotes.length >= MAX_STATEMENTS)
      throw new TooComplex(
        `The query takes more than ${MAX_STATEMENTS} statements of the server; read rows once, in WITH`,
      );
    const place = { text: "", span: { start: 0, end: 0 } };
    const table = { name: `server_${this.remotes.length + 1}`, columns: [] };
    const remote = { scan: { kind: "Table", table, columns: [], place } as const, builder: part.builder };
    this.remotes.push(remote);
    let scan: Scan = remote.scan;
    for (const step of part.late) scan = lateScan(step, scan, this.#mapping);
    return part.order.length === 0 ? scan : { kind: "OrderBy", input: scan, keys: part.order };
  }

  /** Takes note of why something is not the server's. */
  note(given: Reason): void {
    if (this.reasons.length >= MAX_REASONS) return;
    const isKnown = ({ reason, span }: Reason) => reason === given.reason && span?.start === given.span?.start;
    if (!this.reasons.some(isKnown)) this.reasons.push(given);
  }

  /** The SELECT unless it is refused, of which note is taken. */
  #accepted(builder: SelectBuilder): SelectBuilder | undefined {
    if (builder.refused === undefined) return builder;
    this.note(builder.refused);
    return undefined;
  }

  #pushed(scan: Scan, builder: SelectBuilder, readsTables: boolean): PushedPart {
    return { kind: "pushed", scan, builder, late: [], order: [], readsTables };
  }

  #source(scan: Scan): Part {
    switch (scan.kind) {
      case "Cte":
        return this.#cte(scan);
      case "SetOperation":
        return this.#setOperation(scan);
      case "Recursive": {
        this.note({ reason: "a recursive query", span: undefined });
        const anchor = { ...scan.anchor, scan: this.toScan(this.divide(scan.anchor.scan)) };
        const step = { ...scan.step, scan: this.toScan(this.divide(scan.step.scan)) };
        return { kind: "residual", scan: { ...scan, anchor, step } };
      }
      default: {
        const builder = this.#accepted(buildSource(this.#compilation, scan, undefined));
        if (builder !== undefined) return this.#pushed(scan, builder, scan.kind === "Table");
        return { kind: "residual", scan: this.#mapping.own(scan) };
      }
    }
  }

  /** One that is read once is a part of its reader. */
  #cte(scan: Scan & { kind: "Cte" }): Part {
    const { cte } = scan;
    const isOnce = this.#compilation.analysis.cteUses(cte) <= 1;
    const known = this.#definitions.get(cte.id);
    if (known !== undefined) return { kind: "residual", scan: { ...scan, cte: known } };
    if (cte.scan.kind === "Recursive" || cte.isRecursive) return this.#residualCte(scan);
    if (!isOnce && ++this.#copyCount > MAX_COPIES) {
      this.note({ reason: `the table ${cte.name}, which too many parts of the query read`, span: undefined });
      return this.#residualCte(scan);
    }
    const part = this.divide(cte.scan);
    if (part.kind === "residual" || (part.late.length > 0 && !isOnce)) return this.#residualCte(scan, part);
    if (!isOnce) {
      const builder = this.#accepted(buildSource(this.#compilation, scan, undefined));
      return builder === undefined ? this.#residualCte(scan, part) : this.#pushed(scan, builder, part.readsTables);
    }
    return asCte(scan, part, this.aliases);
  }

  #residualCte(scan: Scan & { kind: "Cte" }, part?: Part): Part {
    const { cte } = scan;
    const definition = { ...cte };
    this.#definitions.set(cte.id, definition);
    // The step of a recursion reads the definition that is being made.
    (definition as { scan: Scan }).scan = this.toScan(part ?? this.divide(cte.scan));
    this.definitions.push(definition);
    return { kind: "residual", scan: { ...scan, cte: definition } };
  }

  #setOperation(scan: Scan & { kind: "SetOperation" }): Part {
    const parts = scan.inputs.map((input) => this.divide(input.scan));
    const pushed = parts.filter((part) => part.kind === "pushed");
    if (pushed.length === parts.length && pushed.every((part) => part.late.length === 0)) {
      const builders = pushed.map((part) => part.builder);
      const builder = this.#accepted(uniteBlocks(this.#compilation, scan, builders));
      if (builder !== undefined) {
        const doesRead = pushed.some((part) => part.readsTables);
        return this.#pushed(scan, builder, doesRead);
      }
    }
    const inputs = scan.inputs.map((input, index) => ({
      ...input,
      scan: this.toScan(parts[index] ?? { kind: "residual", scan: input.scan }),
    }));
    return { kind: "residual", scan: { ...scan, inputs } };
  }

  #step(scan: Scan, part: Part): Part {
    if (scan.kind === "Join") return this.#join(scan, part);
    if (part.kind === "residual") return this.#above(scan, part);
    switch (scan.kind) {
      case "Filter":
        return this.#filter(scan, part);
      case "Project":
        return this.#project(scan, part);
      default:
        return this.#whole(scan, part);
    }
  }

  /** The step in the embedded engine. */
  #above(scan: Scan, part: Part): Part {
    const own = this.#mapping.own(scan);
    return { kind: "residual", scan: { ...own, input: this.toScan(part) } as Scan };
  }

  #filter(scan: Scan & { kind: "Filter" }, part: PushedPart): Part {
    const late = lateColumns(part);
    const waiting: Expr[] = [];
    const filter = once(() => new FilterBuilder(this.#compilation, part.builder));
    let { builder } = part;
    let isBehind = hasLateRows(part);
    for (const condition of partsOf(scan.predicate, "$and")) {
      const built = reads(condition, late) ? undefined : filter().print(condition);
      if (built instanceof Refusal) this.note(built);
      // What may fail is not computed for rows that an earlier condition would have taken away.
      if (built === undefined || built.isRefused || (isBehind && built.canFail)) {
        waiting.push(condition);
        isBehind = true;
      } else {
        filter().add(built);
        ({ builder } = filter());
      }
    }
    const steps: readonly LateStep[] = waiting.length === 0 ? [] : [{ kind: "Filter", predicates: waiting }];
    return { ...part, scan: { ...scan, input: part.scan }, builder, late: [...part.late, ...steps] };
  }

  #project(scan: Scan & { kind: "Project" }, part: PushedPart): Part {
    const late = new Set(lateColumns(part));
    const waiting: (typeof scan.computed)[number][] = [];
    const made = projectionSelect(this.#compilation, part.builder, scan.computed);
    const expressions = scan.computed.map(({ expression }) => expression);
    const separated = this.#accepted(separateLong(this.#compilation, made, expressions));
    if (separated === undefined) return this.#above(scan, part);
    const builder = withColumns(separated, []);
    const scope = scopeOf(builder);
    const isBehind = hasLateRows(part);
    for (const item of scan.computed) {
      const { column, expression } = item;
      if (this.#compilation.analysis.uses(column) === 0) continue;
      const binding = reads(expression, late) ? undefined : computedBinding(this.#compilation, expression, scope);
      if (binding instanceof Refusal) this.note(binding);
      // What may fail is not computed for rows that wait to be taken away.
      if (binding === undefined || binding instanceof Refusal || (isBehind && binding.sql().canFail)) {
        waiting.push(item);
        late.add(column.id);
      } else {
        builder.bindings.set(column.id, binding);
        if (binding.record !== undefined) {
          this.aliases.set(column.id, { column, definition: expression, isElement: false });
        }
      }
    }
    const steps: readonly LateStep[] = waiting.length === 0 ? [] : [{ kind: "Project", computed: waiting }];
    return { ...part, scan: { ...scan, input: part.scan }, builder, late: [...part.late, ...steps] };
  }

  /** A step that is the server's or not, as a whole. */
  #whole(scan: Scan, part: PushedPart): Part {
    const late = lateColumns(part);
    // One value of a random column is that of all rows which its row becomes.
    if (scan.kind === "Unnest" && hasRandom(part)) return this.#above(scan, part);
    const isLate = readsLate(scan, late) || (hasLateRows(part) && !passesFilters(scan));
    const builder = isLate ? undefined : this.#accepted(buildStep(this.#compilation, scan, part.builder));
    if (builder === undefined && scan.kind === "Unnest") {
      return { ...part, scan: { ...scan, input: part.scan }, late: [...part.late, { kind: "Unnest", scan }] };
    }
    if (builder === undefined) return this.#above(scan, part);
    const own = { ...scan, input: part.scan } as Scan;
    if (scan.kind === "Unnest") {
      for (const { array, element } of scan.arrays) {
        if (array.type.kind !== "ARRAY" || array.type.element.kind !== "RECORD") continue;
        this.aliases.set(element.id, { column: element, definition: array, isElement: true });
      }
      return { ...part, scan: own, builder };
    }
    if (scan.kind === "OrderBy") return { ...part, scan: own, builder, order: scan.keys };
    if (scan.kind === "Limit" || scan.kind === "Window") return { ...part, scan: own, builder };
    return { ...part, scan: own, builder, late: [], order: [] };
  }

  #join(scan: Scan & { kind: "Join" }, left: Part): Part {
    const right = this.divide(scan.right);
    const isPlain = scan.isLateral !== true && left.kind === "pushed" && right.kind === "pushed";
    if (isPlain && left.late.length === 0 && right.late.length === 0) {
      const builder = this.#accepted(joinBlocks(this.#compilation, scan, left.builder, right.builder));
      if (builder !== undefined) {
        const joined = { ...scan, left: left.scan, right: right.scan };
        return this.#pushed(joined, builder, left.readsTables || right.readsTables);
      }
    }
    const own = this.#mapping.own(scan);
    return { kind: "residual", scan: { ...own, left: this.toScan(left), right: this.toScan(right) } as Scan };
  }
}

/** Does a column that waits give another value each time? */
function hasRandom({ late }: PushedPart): boolean {
  return late.some(
    (step) =>
      step.kind === "Project" && step.computed.some((item) => someExpression(item.expression, isRandomCall, true)),
  );
}

/** The definition's own part, its columns readable under the scan's ids too. */
function asCte(scan: Scan & { kind: "Cte" }, part: PushedPart, aliases: Map<number, RecordAlias>): PushedPart {
  const late = lateColumns(part);
  const { builder } = part;
  const waiting: { column: Column; expression: Expr }[] = [];
  scan.columns.forEach((column, index) => {
    const output = scan.cte.output[index];
    if (output === undefined) return;
    if (late.has(output.id)) {
      const span = { start: 0, end: 0 };
      waiting.push({ column, expression: { kind: "Column", type: output.type, column: output, span } });
      return;
    }
    const found = findColumn(builder, output.id);
    if (found !== undefined) builder.bindings.set(column.id, found);
    const alias = aliases.get(output.id);
    if (alias !== undefined) aliases.set(column.id, { ...alias, column });
  });
  const steps: readonly LateStep[] = waiting.length === 0 ? [] : [{ kind: "Project", computed: waiting }];
  const outputs = new Map(scan.cte.output.map((output, index) => [output.id, scan.columns[index]]));
  const order = part.order.map((key) => ({ ...key, column: outputs.get(key.column.id) ?? key.column }));
  return { ...part, scan, late: [...part.late, ...steps], order };
}
