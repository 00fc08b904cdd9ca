/** The branches of a file: every place at which its course depends on a condition, and what a mistake there would be. */
import { parseAst } from "vitest/node";

/** An expression, and what could stand there by mistake. */
export interface Site {
  readonly start: number;
  readonly end: number;
  /** Tells it apart in its file: the function and the expression. */
  readonly key: string;
  /** The texts that could stand there. */
  readonly mistakes: readonly string[];
}

/** Turns of the room's loops in one case, after which a mistake counts as one that does not end. */
const mostTurns = 100_000;
const countTurn = `if ((globalThis.turns = (globalThis.turns ?? 0) + 1) > ${mostTurns}) throw new Error("A loop does not end");`;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/**
 * Conditions become true and false, operands of `&&`, `||` and `??` go missing, cases of a switch match nothing, lists
 * become empty, and `filter` keeps everything.
 */
export function findSites(text: string): readonly Site[] {
  const sites: Site[] = [];
  const add = (node: Node, owner: string, mistakes: readonly string[]) => {
    const code = text.slice(node.start, node.end).replaceAll(/\s+/g, " ");
    sites.push({ start: node.start, end: node.end, key: `${owner}: ${code}`, mistakes });
  };
  const visit = (node: Node, owner: string, isWhole: boolean): void => {
    const inner = nameOf(node) ?? owner;
    // What is wrong with a whole condition is said of it once.
    if (!isWhole) add(node, inner, mistakesAt(node, text));
    const condition = conditionOf(node);
    if (condition !== undefined)
      add(condition, inner, condition.type === "Literal" ? ["undefined"] : ["true", "false"]);
    for (const child of childrenOf(node)) {
      visit(child, inner, child === condition && child.type !== "LogicalExpression");
    }
  };
  visit(parseAst(text, { lang: "ts" }) as unknown as Node, "", false);
  return merge(sites.filter(({ mistakes }) => mistakes.length > 0));
}

/** A condition may have mistakes of its own and those of a logical expression; equal keys are numbered. */
function merge(sites: readonly Site[]): readonly Site[] {
  const merged = new Map<string, Site>();
  for (const site of sites) {
    const key = `${site.start}:${site.end}`;
    merged.set(key, { ...site, mistakes: [...(merged.get(key)?.mistakes ?? []), ...site.mistakes] });
  }
  const counts = new Map<string, number>();
  return [...merged.values()].map((site) => {
    const count = (counts.get(site.key) ?? 0) + 1;
    counts.set(site.key, count);
    return count === 1 ? site : { ...site, key: `${site.key} (${count})` };
  });
}

function conditionOf(node: Node): Node | undefined {
  const isBranch = ["IfStatement", "ConditionalExpression", "SwitchCase", "WhileStatement"].includes(node.type);
  return isBranch && isNode(node.test) ? node.test : undefined;
}

function mistakesAt(node: Node, text: string): readonly string[] {
  const textOf = (value: unknown): string => (isNode(value) ? text.slice(value.start, value.end) : "");
  switch (node.type) {
    case "LogicalExpression":
      return [textOf(node.left), textOf(node.right)];
    case "BinaryExpression":
      return ["===", "!=="].includes(String(node.operator)) ? ["true", "false"] : [];
    case "ArrayExpression":
      return (node.elements as readonly unknown[]).length > 0 ? ["[]"] : [];
    case "CallExpression": {
      const { callee } = node as unknown as { readonly callee: Node };
      const name = isNode(callee.property) ? callee.property.name : undefined;
      return name === "filter" ? [textOf(callee.object)] : [];
    }
    default:
      return [];
  }
}

function nameOf(node: Node): string | undefined {
  const isNamed = ["FunctionDeclaration", "ClassDeclaration", "MethodDefinition"].includes(node.type);
  const id = isNamed ? (node.id ?? node.key) : undefined;
  return isNode(id) ? String(id.name) : undefined;
}

function childrenOf(node: Node): readonly Node[] {
  // Types decide nothing when the code runs.
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter(
      (each): each is Node => isNode(each) && !/^TS(?!As|NonNull)/.test(each.type),
    ),
  );
}

/** Offsets at which the bodies of loops begin. */
function findLoops(text: string): readonly number[] {
  const starts: number[] = [];
  const visit = (node: Node): void => {
    if (/^(?:For|While)/.test(node.type) && isNode(node.body) && node.body.type === "BlockStatement") {
      starts.push(node.body.start + 1);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(text, { lang: "ts" }) as unknown as Node);
  return starts;
}

/** The file with every mistake in it, each of which is made while `globalThis.mistake` is its key. */
export function instrument(file: string, text: string): string {
  const sites = [...findSites(text)].sort((a, b) => a.start - b.start || b.end - a.end);
  const loops = [...findLoops(text)].sort((a, b) => a - b);
  const plain = (from: number, to: number): string => {
    let code = "";
    let at = from;
    for (const start of loops.filter((each) => each > from && each <= to)) {
      code += text.slice(at, start) + countTurn;
      at = start;
    }
    return code + text.slice(at, to);
  };
  const render = (from: number, to: number, own: readonly Site[]): string => {
    let code = "";
    let at = from;
    for (const site of own) {
      if (site.start < at) continue;
      const inner = own.filter((each) => each !== site && each.start >= site.start && each.end <= site.end);
      const cases = site.mistakes.map(
        (mistake, index) =>
          `globalThis.mistake === ${JSON.stringify(`${file} ${site.key} #${index}`)} ? (${mistake}) : `,
      );
      code += `${plain(at, site.start)}(${cases.join("")}(${render(site.start, site.end, inner)}))`;
      at = site.end;
    }
    return code + plain(at, to);
  };
  return render(0, text.length, sites);
}
