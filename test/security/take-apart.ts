/** A saved query whose WITH tables are endpoints of their own, `part.NAME`, which it reads. */
export interface TakenApart {
  readonly text: string;
  /** Name and query of each. */
  readonly parts: ReadonlyMap<string, string>;
}

/** Takes the WITH tables out of a saved query that is laid out as `endpoints/logs.all.sql` is. */
export function takeApart(saved: string): TakenApart {
  const parts = new Map<string, string>();
  let text = saved;
  for (const [whole, name = "", query = ""] of saved.matchAll(/^ {2}(\w+) AS \(\n([\s\S]*?)\n {2}\)/gm)) {
    parts.set(`part.${name}`, query);
    text = text.replace(whole, `  ${name} AS (SELECT * FROM \`part.${name}\`)`);
  }
  return { text, parts };
}
