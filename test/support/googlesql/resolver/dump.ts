/** A resolved query as compact text, for tests and debugging. */
import type {
  AggregateCall,
  Column,
  Expr,
  OrderKey,
  ResolvedFrameBound,
  ResolvedQuery,
  Scan,
  WindowCall,
} from "../../../../src/googlesql/resolved.ts";
import { formatType } from "../../../../src/googlesql/types.ts";

type ScanOf<Kind extends Scan["kind"]> = Extract<Scan, { kind: Kind }>;

/** One line a scan, indented below what reads it; columns are `name#n`, numbered in the order of their appearance. */
export function dumpQuery(query: ResolvedQuery): string {
  const dumper = new Dumper();
  const lines = dumper.scan(query.scan, 0);
  const outputs = query.columns.map(({ name, column }) => `${name}=${dumper.column(column)}:${formatDumpType(column)}`);
  return [`select ${outputs.join(", ")}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

function formatDumpType(column: Column): string {
  return column.type.kind === "UNKNOWN" ? "UNKNOWN" : formatType(column.type);
}

class Dumper {
  private readonly numbers = new Map<number, number>();

  column(column: Column): string {
    const known = this.numbers.get(column.id);
    const number = known ?? this.numbers.size + 1;
    if (known === undefined) this.numbers.set(column.id, number);
    return `${column.name}#${number}`;
  }

  private columns(columns: readonly Column[]): string {
    return columns.map((column) => this.column(column)).join(", ");
  }

  /** Prints the scan; then, indented further, the scans that it reads, whose columns have the lower numbers. */
  scan(scan: Scan, depth: number): string[] {
    const inputs = this.inputs(scan, depth);
    return [`${"  ".repeat(depth)}${this.head(scan)}`, ...inputs];
  }

  private inputs(scan: Scan, depth: number): string[] {
    const below = (input: Scan): string[] => this.scan(input, depth + 1);
    const pad = "  ".repeat(depth + 1);
    switch (scan.kind) {
      case "SingleRow":
      case "Table":
      case "Cte":
        return [];
      case "Unnest":
        return scan.input === undefined ? [] : below(scan.input);
      case "Join":
        return [...below(scan.left), ...below(scan.right)];
      case "Recursive":
        return [...below(scan.anchor.scan), ...below(scan.step.scan)];
      case "SetOperation":
        return scan.inputs.flatMap((item) => {
          const lines = this.scan(item.scan, depth + 2);
          return [`${pad}(${this.columns(item.columns)})`, ...lines];
        });
      case "With": {
        const ctes = scan.ctes.flatMap((cte) => {
          const lines = this.scan(cte.scan, depth + 2);
          return [`${pad}${cte.isRecursive ? "recursive " : ""}${cte.name}(${this.columns(cte.output)}) =`, ...lines];
        });
        return [...ctes, ...below(scan.input)];
      }
      default:
        return below(scan.input);
    }
  }

  private head(scan: Scan): string {
    switch (scan.kind) {
      case "SingleRow":
        return "one row";
      case "Table":
        return `table ${scan.table.name}(${this.columns(scan.columns.map((item) => item.column))})`;
      case "Cte":
        return `cte ${scan.cte.name}(${this.columns(scan.columns)})`;
      case "Unnest":
        return this.unnest(scan);
      case "Join":
        return (
          `${scan.type.toLowerCase()} ` +
          `join${scan.isLateral === true ? " lateral" : ""}${this.optional(" on", scan.on)}`
        );
      case "Filter":
        return `filter ${this.expr(scan.predicate)}`;
      case "Project":
        return `compute ${this.computed(scan.computed)}`;
      case "Aggregate":
        return this.aggregation(scan);
      case "Window":
        return (
          "window " +
          `${scan.functions.map((item) => `${this.window(item.call)} as ${this.column(item.column)}`).join(", ")}`
        );
      case "Distinct":
        return (
          "distinct " +
          `${scan.columns.map((item) => `${this.column(item.input)} as ${this.column(item.column)}`).join(", ")}`
        );
      case "SetOperation":
        return `${scan.operator.toLowerCase()}${scan.isAll ? " all" : ""} ${this.columns(scan.columns)}`;
      case "OrderBy":
        return `order by ${this.keys(scan.keys)}`;
      case "Limit":
        return `limit${this.optional("", scan.count)}${this.optional(" offset", scan.offset)}`;
      case "Sample":
        return `sample ${scan.method.toLowerCase()} ${this.expr(scan.size)} ${scan.unit.toLowerCase()}`;
      case "With":
        return "with";
      case "Recursive":
        return this.recursion(scan);
    }
  }

  private unnest(scan: ScanOf<"Unnest">): string {
    const arrays = scan.arrays.map((item) => `${this.expr(item.array)} as ${this.column(item.element)}`).join(", ");
    const offset = scan.offset === undefined ? "" : ` offset ${this.column(scan.offset)}`;
    const on = this.optional(" on", scan.on);
    const mode = scan.mode === undefined ? "" : ` mode ${scan.mode}`;
    return `${scan.isOuter ? "outer " : ""}unnest ${arrays}${offset}${on}${mode}`;
  }

  private aggregation({ groupBy, aggregates, groupingSets }: ScanOf<"Aggregate">): string {
    const keys = groupBy.length === 0 ? "" : ` by ${this.computed(groupBy)}`;
    const calls = aggregates.map((item) => `${this.aggregate(item.call)} as ${this.column(item.column)}`).join(", ");
    const sets = groupingSets?.map((set) => `(${this.columns(set)})`).join(" ");
    return `aggregate [${calls}]${keys}${sets === undefined ? "" : ` sets ${sets}`}`;
  }

  private recursion({ isAll, columns, anchor, step }: ScanOf<"Recursive">): string {
    const heads = [anchor, step].map((part) => `(${this.columns(part.columns)})`);
    return `recursion${isAll ? " all" : ""} ${this.columns(columns)} = ${heads.join(" then ")}`;
  }

  private computed(items: ScanOf<"Project">["computed"]): string {
    return items.map((item) => `${this.expr(item.expression)} as ${this.column(item.column)}`).join(", ");
  }

  private optional(word: string, expression: Expr | undefined): string {
    return expression === undefined ? "" : `${word} ${this.expr(expression)}`;
  }

  private keys(keys: readonly OrderKey[]): string {
    return keys.map((key) => `${this.column(key.column)}${direction(key)}`).join(", ");
  }

  private sorted(items: AggregateCall["orderBy"]): string {
    return items.map((item) => `${this.expr(item.expression)}${direction(item)}`).join(", ");
  }

  private list(expressions: readonly (Expr | undefined)[]): string {
    return expressions.map((item) => (item === undefined ? "_" : this.expr(item))).join(", ");
  }

  private aggregate(call: AggregateCall): string {
    const parts = [`${call.isDistinct ? "distinct " : ""}${this.list(call.arguments)}`];
    if (call.nullHandling !== undefined) parts.push(`${call.nullHandling.toLowerCase()} nulls`);
    if (call.having !== undefined)
      parts.push(`having ${call.having.kind.toLowerCase()} ${this.expr(call.having.expression)}`);
    if (call.orderBy.length > 0) parts.push(`order by ${this.sorted(call.orderBy)}`);
    if (call.limit !== undefined) parts.push(`limit ${this.expr(call.limit)}`);
    if (call.filter !== undefined) parts.push(`where ${this.expr(call.filter)}`);
    return `${call.isSafe ? "SAFE." : ""}${call.function}(${parts.join(" ")})`;
  }

  private window(call: WindowCall): string {
    const parts: string[] = [];
    if (call.partitionBy.length > 0) parts.push(`partition by ${this.list(call.partitionBy)}`);
    if (call.orderBy.length > 0) parts.push(`order by ${this.sorted(call.orderBy)}`);
    if (call.frame !== undefined)
      parts.push(`${call.frame.unit.toLowerCase()} ${this.bound(call.frame.start)}..${this.bound(call.frame.end)}`);
    const having = call.having && ` having ${call.having.kind.toLowerCase()} ${this.expr(call.having.expression)}`;
    const nulls = call.nullHandling === undefined ? (having ?? "") : ` ${call.nullHandling.toLowerCase()} nulls`;
    return (
      `${call.function}(${call.isDistinct ? "distinct " : ""}${this.list(call.arguments)}${nulls}) over ` +
      `(${parts.join(" ")})`
    );
  }

  private bound(bound: ResolvedFrameBound): string {
    switch (bound.kind) {
      case "UnboundedPreceding":
        return "-inf";
      case "UnboundedFollowing":
        return "+inf";
      case "CurrentRow":
        return "0";
      case "Preceding":
        return `-${this.expr(bound.offset)}`;
      case "Following":
        return `+${this.expr(bound.offset)}`;
    }
  }

  expr(expression: Expr): string {
    switch (expression.kind) {
      case "Literal":
        return literal(expression);
      case "Parameter":
        return `@${expression.key}:${formatType(expression.type)}`;
      case "Column":
      case "Variable":
        return this.column(expression.column);
      case "Field":
        return `${this.expr(expression.base)}[${expression.index}]`;
      case "RecordField":
        return `${this.expr(expression.base)}->${expression.path.join("->")}`;
      case "Call":
        return `${expression.isSafe ? "SAFE." : ""}${expression.function}(${this.list(expression.arguments)})`;
      case "Case": {
        const branches = expression.branches.map(
          (branch) => `when ${this.expr(branch.when)} then ${this.expr(branch.then)}`,
        );
        return `case(${branches.join(" ")}${expression.else === undefined ? "" : ` else ${this.expr(expression.else)}`})`;
      }
      case "Cast": {
        const how = `${expression.isSafe ? "safe_" : ""}${expression.isImplicit ? "coerce" : "cast"}`;
        const format = expression.format === undefined ? "" : ` format ${this.expr(expression.format)}`;
        const zone = expression.timeZone === undefined ? "" : ` zone ${this.expr(expression.timeZone)}`;
        return `${how}(${this.expr(expression.operand)} as ${formatType(expression.type)}${format}${zone})`;
      }
      case "MakeArray":
        return `[${this.list(expression.elements)}]`;
      case "MakeStruct":
        return `{${this.list(expression.fields)}}`;
      case "Subquery": {
        const lines = this.scan(expression.scan, 0).map((line) => line.trim());
        const output = expression.output === undefined ? "" : `${this.column(expression.output)} from `;
        return `${expression.mode.toLowerCase()}(${output}${lines.join(" < ")})`;
      }
      case "InSubquery": {
        const lines = this.scan(expression.scan, 0).map((line) => line.trim());
        return (
          `(${this.expr(expression.operand)} ${expression.operator} (${this.column(expression.output)} from ` +
          `${lines.join(" < ")}))`
        );
      }
      case "Lambda":
        return `(${this.columns(expression.parameters)}) -> ${this.expr(expression.body)}`;
      case "Let": {
        const variables = expression.variables.map(
          (item) => `${this.column(item.column)} = ${this.expr(item.expression)}`,
        );
        return `let(${variables.join(", ")} in ${this.expr(expression.body)})`;
      }
      case "DatePart":
        return expression.weekday === undefined ? expression.part : `${expression.part}(${expression.weekday})`;
    }
  }
}

function literal({ type, value }: Expr & { readonly kind: "Literal" }): string {
  if (value === null) return type.kind === "UNKNOWN" ? "NULL" : `NULL:${formatType(type)}`;
  if (type.kind === "INT64" || type.kind === "BOOL") return value;
  return type.kind === "STRING" ? JSON.stringify(value) : `${formatType(type)}'${value}'`;
}

function direction(order: { readonly isDescending: boolean; readonly nullsFirst: boolean }): string {
  const isDefault = order.nullsFirst !== order.isDescending;
  return `${order.isDescending ? " desc" : ""}${isDefault ? "" : order.nullsFirst ? " nulls first" : " nulls last"}`;
}
