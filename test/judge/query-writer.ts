/** Queries that combine clauses with one another, out of a list of decisions. */
import { AggregateWriter } from "./aggregate-writer.ts";
import { Choices } from "./choices.ts";
import { ExpressionWriter, type Kind, type Ref, SCALARS, type Scope } from "./expression-writer.ts";
import { type From, FromWriter, merge, type QuerySource, type Relation } from "./from-writer.ts";

interface Query extends Relation {
  readonly text: string;
}

const MORE: readonly Kind[] = ["INT64", "INT64", "STRING", ...SCALARS, "ARRAY", "STRUCT"];
const isScalar = (kind: Kind) => kind !== "ARRAY" && kind !== "STRUCT";

/** The query that the decisions make. */
export function writeQuery(numbers: readonly number[]): string {
  return new QueryWriter(new Choices(numbers)).query(2).text;
}

class QueryWriter implements QuerySource {
  readonly #choices: Choices;
  readonly #expressions: ExpressionWriter;
  readonly #aggregates: AggregateWriter;
  readonly #from: FromWriter;
  #names = 0;
  ctes: readonly ({ readonly name: string } & Relation)[] = [];

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#expressions = new ExpressionWriter(choices, {
      scalar: (kind, outer, depth) => this.#scalarSubquery(kind, outer, depth),
      column: (kind, outer, depth) => this.#columnSubquery(kind, outer, depth),
    });
    this.#aggregates = new AggregateWriter(choices, this.#expressions);
    this.#from = new FromWriter(choices, this.#expressions, this);
  }

  name(prefix: string): string {
    this.#names++;
    return `${prefix}${this.#names}`;
  }

  derived(depth: number): Query {
    return this.query(depth);
  }

  /** A query with named columns: of the kinds that are asked for, or of any. */
  query(depth: number, kinds?: readonly Kind[]): Query {
    const wanted = kinds ?? this.#choices.times(this.#choices.pick([2, 1, 3]), () => this.#choices.pick(MORE));
    const plain = () => this.#select(depth, wanted, kinds === undefined);
    const forms: readonly (() => Query)[] = [
      plain,
      plain,
      plain,
      () => this.#grouped(depth, wanted),
      () => this.#grouped(depth, wanted),
      () => this.#piped(depth, wanted),
      ...(depth > 0 ? [() => this.#setOperation(depth, wanted), () => this.#with(depth, kinds)] : []),
    ];
    return this.#ordered(this.#choices.pick(forms)());
  }

  /** ORDER BY all columns, so that LIMIT takes rows of which it does not matter which. */
  #ordered(query: Query): Query {
    const scalars = query.columns.filter(({ kind }) => isScalar(kind));
    if (scalars.length === 0 || !this.#choices.chance(40)) return query;
    const start = this.#choices.below(scalars.length);
    const keys = [...scalars.slice(start), ...scalars.slice(0, start)].map(
      ({ text }) => text + this.#choices.pick(["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]),
    );
    const isTotal = scalars.length === query.columns.length;
    const limit = isTotal && this.#choices.chance(60) ? this.#limit() : "";
    return { ...query, text: `SELECT * FROM (${query.text}) ORDER BY ${keys.join(", ")}${limit}` };
  }

  #limit(): string {
    return ` LIMIT ${this.#choices.pick(["2", "1", "3", "0", "@n", "100"])}${this.#choices.pick(["", " OFFSET 1", " OFFSET 2", " OFFSET 100"])}`;
  }

  #where(scope: Scope, depth: number): string {
    return this.#choices.chance(45) ? ` WHERE ${this.#expressions.write("BOOL", scope, Math.min(depth, 1) + 1)}` : "";
  }

  #items(texts: readonly { readonly text: string; readonly kind: Kind }[]): {
    readonly list: string;
    readonly columns: readonly Ref[];
  } {
    const columns = texts.map(({ kind }) => ({ text: this.name("c"), kind }));
    return { list: texts.map(({ text }, index) => `${text} AS ${columns[index]?.text}`).join(", "), columns };
  }

  #select(depth: number, kinds: readonly Kind[], mayWiden: boolean): Query {
    const { text: from, scope } = this.#from.write(depth);
    const where = this.#where(scope, depth);
    const written = kinds.map((kind) =>
      kind === "INT64" && this.#choices.chance(25)
        ? this.#aggregates.window(scope, 1)
        : { text: this.#expressions.write(kind, scope, depth), kind },
    );
    const qualify = this.#choices.chance(15)
      ? ` QUALIFY ${this.#aggregates.window(scope, 1).text} ${this.#choices.pick(["<= 1", "> 1", "IS NULL"])}`
      : "";
    const isDistinct = kinds.every(isScalar) && this.#choices.chance(15);
    const keys = mayWiden && !isDistinct && this.#choices.chance(60) ? (scope.keys ?? []) : [];
    const { list, columns } = this.#items([...written, ...keys.map((text) => ({ text, kind: "INT64" as const }))]);
    return {
      text: `SELECT ${isDistinct ? "DISTINCT " : ""}${list} FROM ${from}${where}${qualify}`,
      columns,
      keys: keys.length === 0 ? undefined : columns.slice(kinds.length).map(({ text }) => text),
    };
  }

  /** Up to three keys, and how they are grouped. */
  #keys(scope: Scope): { readonly keys: readonly Ref[]; readonly clause: string } {
    const scalars = scope.refs.filter(({ kind }) => isScalar(kind) && kind !== "INEXACT");
    const count = scalars.length === 0 ? 0 : this.#choices.pick([1, 2, 0, 3]);
    const chosen = new Map(
      this.#choices
        .times(count, () => this.#choices.pick(scalars))
        .map((ref) => {
          const text = ref.kind === "INT64" && this.#choices.chance(20) ? `(${ref.text} + 1)` : ref.text;
          return [text, { text, kind: ref.kind }] as const;
        }),
    );
    const keys = [...chosen.values()];
    if (keys.length === 0) return { keys, clause: "" };
    const texts = keys.map(({ text }) => text);
    const [first, ...rest] = texts;
    const all = texts.join(", ");
    const clause = this.#choices.pick([
      all,
      all,
      `ROLLUP (${all})`,
      `CUBE (${all})`,
      `GROUPING SETS (${[...texts, "()"].join(", ")})`,
      `GROUPING SETS ((${all}), ${first})`,
      `GROUPING SETS (ROLLUP (${all})${rest.map((text) => `, ${text}`).join("")})`,
    ]);
    return { keys, clause: ` GROUP BY ${clause}` };
  }

  #grouped(depth: number, kinds: readonly Kind[]): Query {
    const { text: from, scope } = this.#from.write(depth);
    const where = this.#where(scope, depth);
    const { keys, clause } = this.#keys(scope);
    const written = kinds.map((kind) => {
      const own = keys.filter((key) => key.kind === kind);
      if (own.length > 0 && this.#choices.chance(60)) return this.#choices.pick(own);
      const [key] = keys;
      if (kind === "INT64" && key !== undefined && this.#choices.chance(10))
        return { text: `GROUPING(${key.text})`, kind };
      if (kind === "INT64" && this.#choices.chance(10)) return { text: "RANK() OVER (ORDER BY COUNT(*) DESC)", kind };
      return this.#aggregates.aggregate(kind, scope, Math.min(depth, 1));
    });
    const { list, columns } = this.#items(written);
    const having = this.#choices.chance(25)
      ? ` HAVING ${this.#aggregates.aggregate("INT64", scope, 1).text} ${this.#choices.pick([">= 1", "> 1", "= 2", "IS NULL"])}`
      : "";
    const qualify = this.#choices.chance(10) ? " QUALIFY RANK() OVER (ORDER BY COUNT(*)) = 1" : "";
    return { text: `SELECT ${list} FROM ${from}${where}${clause}${having}${qualify}`, columns, keys: undefined };
  }

  #setOperation(depth: number, kinds: readonly Kind[]): Query {
    const scalar = kinds.every(isScalar);
    const operator = this.#choices.pick(
      scalar
        ? ["UNION ALL", "UNION DISTINCT", "EXCEPT DISTINCT", "INTERSECT DISTINCT", "INTERSECT ALL", "EXCEPT ALL"]
        : ["UNION ALL"],
    );
    const sides = this.#choices.times(this.#choices.pick([2, 2, 3]), () => this.query(depth - 1, kinds));
    const [first] = sides;
    const columns = (first?.columns ?? []).map(({ text }, index) => {
      const found = sides.map((side) => side.columns[index]?.kind);
      return { text, kind: found.find((kind) => kind === "INEXACT") ?? found[0] ?? "INT64" };
    });
    return { text: sides.map(({ text }) => `(${text})`).join(` ${operator} `), columns, keys: undefined };
  }

  #with(depth: number, kinds: readonly Kind[] | undefined): Query {
    const name = this.name("w");
    const cte = this.query(depth - 1);
    const before = this.ctes;
    this.ctes = [...before, { name, columns: cte.columns, keys: cte.keys }];
    const query = this.query(depth - 1, kinds);
    this.ctes = before;
    const body = query.text.startsWith("WITH") ? `(${query.text})` : query.text;
    return { ...query, text: `WITH ${name} AS (${cte.text}) ${body}` };
  }

  #piped(depth: number, kinds: readonly Kind[]): Query {
    let { text, scope }: From = this.#from.write(depth);
    text = `FROM ${text}`;
    for (let steps = this.#choices.pick([1, 2, 0, 3]); steps > 0; steps--) {
      const step = this.#choices.pick([
        () => this.#pipeWhere(scope),
        () => this.#pipeExtend(scope),
        () => this.#pipeAggregate(scope),
        () => this.#pipeJoin(scope),
      ])();
      [text, scope] = [`${text} |> ${step.text}`, step.scope];
    }
    const { list, columns } = this.#items(
      kinds.map((kind) => ({ text: this.#expressions.write(kind, scope, 1), kind })),
    );
    const isDistinct = kinds.every(isScalar) && this.#choices.chance(20);
    const isLimited = kinds.every(isScalar) && this.#choices.chance(20);
    const order = isLimited ? ` |> ORDER BY ${columns.map((column) => column.text).join(", ")} |>${this.#limit()}` : "";
    return { text: `${text} |> SELECT ${list}${isDistinct ? " |> DISTINCT" : ""}${order}`, columns, keys: undefined };
  }

  #pipeWhere(scope: Scope): From {
    return { text: `WHERE ${this.#expressions.write("BOOL", scope, 1)}`, scope };
  }

  #pipeExtend(scope: Scope): From {
    const name = this.name("y");
    const { text, kind } = this.#choices.chance(50)
      ? this.#aggregates.window(scope, 0)
      : { text: this.#expressions.write("INT64", scope, 1), kind: "INT64" as const };
    return { text: `EXTEND ${text} AS ${name}`, scope: merge(scope, { refs: [{ text: name, kind }], keys: [] }) };
  }

  #pipeAggregate(scope: Scope): From {
    const scalars = scope.refs.filter(({ kind }) => isScalar(kind) && kind !== "INEXACT");
    const [key, value] = [this.name("g"), this.name("y")];
    const aggregate = this.#aggregates.aggregate(this.#choices.pick(["INT64", "STRING", "ARRAY", "FLOAT64"]), scope, 1);
    const refs: Ref[] = [{ text: value, kind: aggregate.kind }];
    if (scalars.length === 0)
      return { text: `AGGREGATE ${aggregate.text} AS ${value}`, scope: { refs, keys: undefined } };
    const by = this.#choices.pick(scalars);
    return {
      text: `AGGREGATE ${aggregate.text} AS ${value} GROUP BY ${by.text} AS ${key}`,
      scope: { refs: [{ text: key, kind: by.kind }, ...refs], keys: undefined },
    };
  }

  #pipeJoin(scope: Scope): From {
    const { text, scope: right } = this.#from.write(-1);
    if (/JOIN|,/.test(text)) return this.#pipeWhere(scope);
    const on = `${this.#expressions.leaf("INT64", scope)} = ${this.#expressions.leaf("INT64", right)}`;
    return {
      text: `${this.#choices.pick(["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"])} ${text} ON ${on}`,
      scope: merge(scope, right),
    };
  }

  /** One row: an aggregate, or now and then a query that may have several. */
  #scalarSubquery(kind: Kind, outer: Scope, depth: number): string {
    const { text, scope } = this.#from.write(Math.min(depth, 0));
    const all = { refs: [...scope.refs, ...scope.refs, ...outer.refs], keys: scope.keys };
    const where = this.#where(all, 0);
    if (this.#choices.chance(3)) return `SELECT ${this.#expressions.write(kind, all, 0)} FROM ${text}${where}`;
    return `SELECT ${this.#aggregates.aggregate(kind, all, 0).text} FROM ${text}${where}`;
  }

  #columnSubquery(kind: Kind, outer: Scope, depth: number): string {
    const { text, scope } = this.#from.write(Math.min(depth, 0));
    const all = { refs: [...scope.refs, ...outer.refs], keys: scope.keys };
    const where = this.#where(all, 0);
    const value = () => this.#expressions.write(kind, all, Math.min(depth, 1));
    const forms: readonly (() => string)[] = [
      () => `SELECT ${value()} FROM ${text}${where}`,
      () => `SELECT ${value()} FROM ${text}${where}`,
      () => `SELECT DISTINCT ${value()} FROM ${text}${where}`,
      () =>
        `SELECT ${this.#aggregates.aggregate(kind, { refs: scope.refs, keys: scope.keys }, 0).text} FROM ${text}${where} GROUP BY ${this.#keys(scope).keys[0]?.text ?? "()"}`,
    ];
    return this.#choices.pick(forms)();
  }
}
