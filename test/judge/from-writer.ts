/** FROM clauses: tables, log sources, sub-queries and arrays, joined in every way. */
import type { Choices } from "./choices.ts";
import { type ExpressionWriter, type Kind, NOTHING, type Ref, type Scope } from "./expression-writer.ts";

/** A query as others may read it. */
export interface Relation {
  readonly columns: readonly Ref[];
  readonly keys: readonly string[] | undefined;
}

/** Writes the sub-queries of FROM, and new names. */
export interface QuerySource {
  name(prefix: string): string;
  /** A query in parentheses, whose columns are named. */
  derived(depth: number): { readonly text: string } & Relation;
  readonly ctes: readonly ({ readonly name: string } & Relation)[];
}

export interface From {
  readonly text: string;
  readonly scope: Scope;
  /** It needs parentheses where it is the right side of a join. */
  readonly isJoin?: boolean;
}

const TABLE: readonly (readonly [string, Kind])[] = [
  ["k", "INT64"],
  ["id", "INT64"],
  ["s", "STRING"],
  ["f", "FLOAT64"],
  ["b", "BOOL"],
  ["ts", "TIMESTAMP"],
  ["arr", "ARRAY"],
];

export function merge(...scopes: readonly Scope[]): Scope {
  const keys = scopes.map((scope) => scope.keys);
  return {
    refs: scopes.flatMap(({ refs }) => refs),
    keys: keys.includes(undefined) ? undefined : keys.flatMap((own) => own ?? []),
  };
}

export class FromWriter {
  readonly #choices: Choices;
  readonly #expressions: ExpressionWriter;
  readonly #queries: QuerySource;

  constructor(choices: Choices, expressions: ExpressionWriter, queries: QuerySource) {
    this.#choices = choices;
    this.#expressions = expressions;
    this.#queries = queries;
  }

  /** With up to two joins. */
  write(depth: number): From {
    let from = this.#source(depth);
    for (let joins = this.#choices.pick([0, 1, 0, 1, 2]); joins > 0; joins--) {
      const arrays = from.scope.refs.filter(({ kind }) => kind === "ARRAY");
      const array = arrays.length > 0 && this.#choices.chance(25) ? this.#choices.pick(arrays) : undefined;
      from = array === undefined ? this.#join(from, depth, joins === 1) : this.#unnest(from, array.text, joins === 1);
    }
    return from;
  }

  #unnest({ text, scope }: From, array: string, isLast: boolean): From {
    const [element, offset] = [this.#queries.name("x"), this.#queries.name("o")];
    const join = this.#choices.pick([
      ` CROSS JOIN UNNEST(${array}) AS ${element} WITH OFFSET AS ${offset}`,
      ` LEFT JOIN UNNEST(${array}) AS ${element} WITH OFFSET AS ${offset}`,
      `${isLast ? "," : " CROSS JOIN"} UNNEST(${array}) AS ${element} WITH OFFSET AS ${offset}`,
      ` INNER JOIN UNNEST(${array}) AS ${element} WITH OFFSET AS ${offset} ON ${element} > 1`,
      ` LEFT JOIN UNNEST(${array}) AS ${element} WITH OFFSET AS ${offset} ON ${element} > 1`,
    ]);
    const own: Scope = {
      refs: [
        { text: element, kind: "INT64" },
        { text: offset, kind: "INT64" },
      ],
      keys: [offset],
    };
    return { text: text + join, scope: merge(scope, own) };
  }

  #join(left: From, depth: number, isLast: boolean): From {
    const right = this.#source(depth - 1);
    const scope = merge(left.scope, right.scope);
    const kind = this.#choices.pick([
      "JOIN",
      "LEFT JOIN",
      "FULL JOIN",
      "RIGHT JOIN",
      "CROSS JOIN",
      isLast ? "," : "CROSS JOIN",
    ]);
    const beside = right.isJoin === true ? `(${right.text})` : right.text;
    if (kind === "," || kind === "CROSS JOIN") return { text: `${left.text} ${kind} ${beside}`, scope };
    const names = ["k", "s"] as const;
    const common = names.filter((name) => [left, right].every((side) => hasOne(side, name)));
    if (isLast && common.length > 0 && this.#choices.chance(25)) {
      const using = this.#choices.pick(common);
      const merged: Ref = { text: using, kind: using === "k" ? "INT64" : "STRING" };
      return {
        text: `${left.text} ${kind} ${beside} USING (${using})`,
        scope: { refs: [merged, merged, ...scope.refs], keys: scope.keys },
      };
    }
    return { text: `${left.text} ${kind} ${beside} ON ${this.#condition(left.scope, right.scope, kind)}`, scope };
  }

  /** Mostly an equality of both sides, with conditions on one side beside it. */
  #condition(left: Scope, right: Scope, kind: string): string {
    const type = this.#choices.pick(["INT64", "STRING", "INT64"] as const);
    const equality = `${this.#expressions.leaf(type, left)} = ${this.#expressions.leaf(type, right)}`;
    const extra = () => this.#expressions.write("BOOL", this.#choices.pick([left, right, merge(left, right)]), 1);
    const forms: readonly (() => string)[] = [
      () => equality,
      () => `${equality} AND ${extra()}`,
      () => `${equality} AND ${extra()}`,
      ...(kind === "FULL JOIN" ? [] : [extra, () => `${equality} OR ${extra()}`]),
    ];
    return this.#choices.pick(forms)();
  }

  #source(depth: number): From {
    const { ctes } = this.#queries;
    const plain = () => this.#table(this.#choices.pick(["t", "u"]));
    const forms: readonly (() => From)[] = [
      plain,
      plain,
      () => this.#shaped(),
      () => this.#events(),
      ...(depth > 0 ? [() => this.#derived(depth), () => this.#derived(depth), () => this.#structs()] : []),
      ...(ctes.length > 0 ? [() => this.#cte(), () => this.#cte(), () => this.#cte()] : []),
    ];
    return this.#choices.pick(forms)();
  }

  #table(table: string): From {
    const alias = this.#queries.name("a");
    const refs = TABLE.map(([name, kind]) => ({ text: `${alias}.${name}`, kind }));
    return { text: `${table} AS ${alias}`, scope: { refs, keys: [`${alias}.id`] } };
  }

  /** A side of a join with a WHERE of its own, or with computed columns, which a missing row must not have. */
  #shaped(): From {
    const { text, scope } = this.#table(this.#choices.pick(["t", "u"]));
    const [alias, computed] = [this.#queries.name("a"), this.#queries.name("y")];
    const where = this.#choices.chance(60) ? ` WHERE ${this.#expressions.write("BOOL", scope, 1)}` : "";
    const isComputed = where === "" || this.#choices.chance(30);
    const kind = this.#choices.pick(["INT64", "STRING"] as const);
    const value = isComputed
      ? this.#choices.pick([() => this.#expressions.write(kind, scope, 1), () => this.#expressions.literal(kind)])()
      : "";
    const refs = TABLE.map(([name, of]) => ({ text: `${alias}.${name}`, kind: of }));
    const own: readonly Ref[] = isComputed ? [{ text: `${alias}.${computed}`, kind }] : [];
    return {
      text: `(SELECT *${isComputed ? `, ${value} AS ${computed}` : ""} FROM ${text}${where}) AS ${alias}`,
      scope: { refs: [...own, ...own, ...refs], keys: [`${alias}.id`] },
    };
  }

  /** A log source's fields, those of two sources with different fields, or those of one in the list of another. */
  #events(): From {
    const [source, event, request, item] = ["a", "m", "r", "l"].map((prefix) => this.#queries.name(prefix));
    const both = this.#choices.pick(["", "UNION ALL", "UNION ALL"]);
    const text =
      both === "" ? this.#choices.pick(["e1", "e2"]) : `(SELECT id, ts, m FROM e1 ${both} SELECT id, ts, m FROM e2)`;
    const joins = this.#choices.pick([
      "",
      ` LEFT JOIN UNNEST(${event}.r) AS ${request}`,
      ` CROSS JOIN UNNEST(${event}.r) AS ${request}`,
    ]);
    const list = this.#choices.pick([
      "",
      ` LEFT JOIN UNNEST(${event}.l) AS ${item}`,
      ` CROSS JOIN UNNEST(${event}.l) AS ${item}`,
    ]);
    const refs: readonly Ref[] = [
      { text: `${event}.n`, kind: "INT64" },
      { text: `${source}.id`, kind: "INT64" },
      { text: `${event}.w`, kind: "STRING" },
      { text: `${event}.v`, kind: "STRING" },
      { text: `${source}.ts`, kind: "TIMESTAMP" },
      { text: joins === "" ? `${event}.r[SAFE_OFFSET(0)].x` : `${request}.x`, kind: "INT64" },
      ...(list === "" ? [] : [{ text: `${item}.y`, kind: "INT64" } as const]),
    ];
    // A field that no event of a source has carried is a NULL of unknown type there: comparing it is another matter.
    const known = both === "" ? refs.filter(({ text: ref }) => isKnown(text, ref)) : refs;
    const isAlone = both === "" && list === "";
    const join = this.#choices.pick(["CROSS JOIN", "LEFT JOIN"]);
    return {
      isJoin: true,
      text: `${text} AS ${source} ${join} UNNEST(${source}.m) AS ${event}${joins}${list}`,
      scope: { refs: known, keys: isAlone ? [`${source}.id`] : undefined },
    };
  }

  #structs(): From {
    const [element, offset] = [this.#queries.name("x"), this.#queries.name("o")];
    const rows = this.#choices.pick(["(1, 'a'), (2, 'b')", "(2, 'b'), (2, NULL), (NULL, 'a')"]);
    return {
      text: `UNNEST(ARRAY<STRUCT<a INT64, b STRING>>[${rows}]) AS ${element} WITH OFFSET AS ${offset}`,
      scope: {
        refs: [
          { text: `${element}.a`, kind: "INT64" },
          { text: `${element}.b`, kind: "STRING" },
          { text: element, kind: "STRUCT" },
          { text: offset, kind: "INT64" },
        ],
        keys: [offset],
      },
    };
  }

  #derived(depth: number): From {
    const derived = this.#queries.derived(depth - 1);
    return this.#relation(`(${derived.text})`, derived);
  }

  #cte(): From {
    const cte = this.#choices.pick(this.#queries.ctes);
    return this.#relation(cte.name, cte);
  }

  #relation(text: string, { columns, keys }: Relation): From {
    const alias = this.#queries.name("a");
    return {
      text: `${text} AS ${alias}`,
      scope: {
        refs: columns.map((column) => ({ text: `${alias}.${column.text}`, kind: column.kind })),
        keys: keys?.map((key) => `${alias}.${key}`),
      },
    };
  }

  /** Without a table. */
  static readonly none: From = { text: "", scope: NOTHING };
}

function isKnown(table: string, ref: string): boolean {
  return table === "e1" ? !ref.endsWith(".v") : !/\.(?:w|y)$/.test(ref);
}

/** Does exactly one table of the side have the column? */
function hasOne({ scope }: From, name: string): boolean {
  return scope.refs.filter(({ text }) => text.endsWith(`.${name}`)).length === 1;
}
