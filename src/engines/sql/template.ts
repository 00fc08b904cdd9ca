/**
 * The template `sql`: text with holes, as nodes. The text of a call site is read once, as a skeleton of nodes with
 * holes in it; from then on each use only fills them. Finished SQL is never read.
 */
import { Fact, factsOfKind, INHERITED, inner, Sql } from "./node.ts";
import { type Dialect, type InnerShape, readTemplate, type Shape, shapeOf } from "./skeleton.ts";

/** Makes nodes of templates. */
export interface Templates {
  /** The nodes in their places between the template's own text, with the facts that they hand on. */
  sql(strings: TemplateStringsArray, ...parts: readonly Sql[]): Sql;
  /** The call of a function by its name. */
  callSql(name: string, args: readonly Sql[]): Sql;
}

/** Wraps a lone node, whose own facts a template must not have. */
function rootOf(shape: Shape, dialect: Dialect): Sql | InnerShape {
  const isLone = typeof shape === "number" || (shape instanceof Sql && (shape.facts & ~INHERITED) !== 0);
  return isLone ? shapeOf("sequence", "", [shape], dialect) : shape;
}

function isList({ kind, token, children }: Sql): boolean {
  return kind === "sequence" && (token === ", " || children.length === 0);
}

function withoutLists(nodes: readonly Sql[]): readonly Sql[] {
  const flat: Sql[] = [];
  for (const node of nodes) {
    if (isList(node)) flat.push(...node.children);
    else flat.push(node);
  }
  return flat;
}

/** The templates of a dialect. They throw for a text whose brackets or quotes do not close. */
export function createTemplates(dialect: Dialect): Templates {
  const skeletons = new WeakMap<TemplateStringsArray, Sql | InnerShape>();

  function fill(shape: InnerShape, parts: readonly Sql[]): Sql {
    const { kind, token, callee, isBracket, children, dynamic, facts } = shape;
    // Copied, which is faster than to push: most children are static.
    const filled = children.slice() as Sql[];
    let all = facts;
    let holdsList = false;
    for (let index = 0; index < dynamic.length; index++) {
      const at = dynamic[index] as number;
      const child = children[at] as number | InnerShape;
      const node = typeof child === "number" ? (parts[child] as Sql) : fill(child, parts);
      filled[at] = node;
      all |= node.facts;
      holdsList ||= isBracket && isList(node);
    }
    // A list in brackets of its own is what the brackets hold.
    const own = holdsList ? withoutLists(filled) : filled;
    if (callee !== undefined) return call(parts[callee] as Sql, own);
    return new Sql(kind, factsOfKind(kind, all & INHERITED), token, own);
  }

  function call({ kind, token }: Sql, args: readonly Sql[]): Sql {
    if (kind !== "name") throw new Error(`A ${kind} is called: ${token}`);
    return callSql(token, args);
  }

  function callSql(name: string, args: readonly Sql[]): Sql {
    return inner("call", name, args, dialect.callFacts(name));
  }

  return {
    sql(strings, ...parts) {
      let shape = skeletons.get(strings);
      if (shape === undefined) {
        shape = rootOf(readTemplate(strings, dialect), dialect);
        skeletons.set(strings, shape);
      }
      return shape instanceof Sql ? shape : fill(shape, parts);
    },
    callSql,
  };
}

/** Templates of what every engine writes alike: keywords around nodes. */
export const { sql } = createTemplates({
  callFacts: () => Fact.UNPROVEN,
  nameQuote: '"',
  hasBackslashes: false,
  lambda: "word",
});
