/** The walker and the mapper of the tree. Neither recurses: a chain of operators may be as long as the query. */
import { Fact, type Sql, withChildren } from "./node.ts";

/** The work of a pass on the nodes that have a fact. */
export interface Mapping {
  /** The fact: nodes without it, and what is below them, stay as they are. */
  readonly fact: number;
  /** Called before the node's children are mapped. */
  readonly enter?: (node: Sql) => void;
  /** Returns the node's replacement; called once its children are mapped. */
  readonly leave: (node: Sql) => Sql;
}

interface Frame {
  readonly node: Sql;
  /** The child that is next. */
  at: number;
  /** Copied when a child changes. */
  children: Sql[] | undefined;
}

/** The tree with each node replaced, from the leaves up. Nodes of which nothing changes are the same objects. */
export function mapTree(root: Sql, { fact, enter, leave }: Mapping): Sql {
  if ((root.facts & fact) === 0) return root;
  const stack: Frame[] = [{ node: root, at: 0, children: undefined }];
  enter?.(root);
  for (;;) {
    const frame = stack[stack.length - 1] as Frame;
    const { node } = frame;
    if (frame.at < node.children.length) {
      const child = node.children[frame.at++] as Sql;
      if ((child.facts & fact) === 0) continue;
      enter?.(child);
      stack.push({ node: child, at: 0, children: undefined });
      continue;
    }
    const left = leave(frame.children === undefined ? node : withChildren(node, frame.children));
    stack.pop();
    const around = stack[stack.length - 1];
    if (around === undefined) return left;
    if (left === node) continue;
    around.children ??= [...around.node.children];
    around.children[around.at - 1] = left;
  }
}

/** Calls `visit` with each node that has the fact, in the order in which they are printed. */
export function walkTree(root: Sql, fact: number, visit: (node: Sql) => void): void {
  const stack: Sql[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ((node.facts & fact) === 0) continue;
    visit(node);
    for (let index = node.children.length - 1; index >= 0; index--) stack.push(node.children[index] as Sql);
  }
}

/** Has the tree more nodes than that? Takes no longer for a larger one. */
export function isLargerThan(root: Sql, nodes: number): boolean {
  const stack: Sql[] = [root];
  let left = nodes - 1;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    left -= node.children.length;
    if (left < 0) return true;
    for (const child of node.children) stack.push(child);
  }
  return false;
}

/** The tree with the instant in the place of all that reads the engine's clock. */
export function stopClock(root: Sql, instant: Sql): Sql {
  return mapTree(root, { fact: Fact.CLOCK, leave: (node) => (node.kind === "clock" ? instant : node) });
}
