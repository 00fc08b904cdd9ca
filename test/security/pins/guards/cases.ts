/** Calls whose answers another tenant's events must not change. */
import { type Form, forms, refusals } from "../forms.ts";
import { type Answer, type Draft, openSetups, ownTenant, type Setups } from "../setups.ts";

/** The result of a case: the answers of a store with the own tenant's events only, and of one with others' besides. */
interface Finding {
  readonly alone: Answer;
  readonly shared: Answer;
}

interface Cases {
  readonly names: readonly string[];
  /**
   * True where the answer, as if nothing had been planned before, shows something of others: it differs from that of
   * the store which holds the own tenant's events only.
   */
  findsLeak(name: string): Promise<boolean>;
  close(): Promise<void>;
}

interface Case {
  plan?(): string;
  ask(): Promise<Finding>;
}

export async function openCases(): Promise<Cases> {
  const setups = await openSetups();
  const cases = new Map<string, Case>();
  const both = [setups.alone, setups.shared];
  const parameters = ["project", "other"];
  const saveAll = (drafts: readonly Draft[]) => {
    for (const setup of both) setup.save(drafts);
  };
  const add = (name: string, endpoint: string, call: Parameters<Setups["alone"]["ask"]>[1]) =>
    cases.set(name, {
      plan: () => setups.shared.plan(endpoint, call),
      ask: async () => ({
        alone: await setups.alone.ask(endpoint, call),
        shared: await setups.shared.ask(endpoint, call),
      }),
    });
  for (const [index, { name, query, inner = [], sql }] of forms.entries()) {
    const rename = (text: string) => text.replaceAll("inner_", `inner${index}`);
    const drafts = [...inner, { name: `form${index}`, query, isSandboxed: sql !== undefined }];
    saveAll(drafts.map((draft) => ({ ...draft, name: rename(draft.name), query: rename(draft.query) })));
    add(name, `form${index}`, { sent: { ...(sql === undefined ? {} : { sql }), project: ownTenant } });
  }
  for (const [index, { name, query, sql, isNamed = false }] of stated.entries()) {
    saveAll([
      { name: `stated${index}`, query, isSandboxed: sql !== undefined, parameters, tenantParameter: "project" },
    ]);
    const sent: Record<string, string> = { other: "other", ...(sql === undefined ? {} : { sql }) };
    const own = { project: ownTenant };
    add(name, `stated${index}`, isNamed ? { sent: { ...sent, ...own } } : { sent, pins: own });
  }
  for (const [index, { name, query, sql }] of refusals.entries()) {
    saveAll([{ name: `refusal${index}`, query, isSandboxed: sql !== undefined, parameters }]);
    const sent: Record<string, string> = { other: "third", ...(sql === undefined ? {} : { sql }) };
    add(`${name}, refused`, `refusal${index}`, { pins: { project: ownTenant }, sent });
  }
  cases.set("an inner endpoint that is replaced while its reader stays", { ask: () => replaceInner(setups) });
  cases.set("a source that gets tenants while its reader stays", { ask: () => separateNotes(setups) });
  const readNewest = async (setup: Setups["alone"]): Promise<Answer> => ({
    rows: [await setup.readNewest("edge"), await setup.readNewest("jobs")],
    columns: [],
    through: "",
  });
  cases.set("the newest events", {
    ask: async () => ({ alone: await readNewest(setups.alone), shared: await readNewest(setups.shared) }),
  });
  const begin = () => {
    (globalThis as { turns?: number }).turns = 0;
    for (const setup of both) setup.forgetPlans();
  };
  // As they are without a mistake.
  const plans = new Map<string, string | undefined>();
  for (const [name, { plan }] of cases) {
    begin();
    plans.set(name, plan?.());
  }
  return {
    names: [...cases.keys()],
    async findsLeak(name) {
      const asked = cases.get(name);
      if (asked === undefined) throw new Error(`There is no case ${name}`);
      try {
        begin();
        const plan = asked.plan?.();
        // The engine is asked the same as without a mistake.
        if (plan !== undefined && plan === plans.get(name)) return false;
        const { alone, shared } = await asked.ask();
        return "rows" in shared && JSON.stringify(alone) !== JSON.stringify(shared);
      } catch {
        // A call that fails shows nothing.
        return false;
      }
    },
    close: () => setups.close(),
  };
}

/** Calls of endpoints whose header names the parameter: with a pin of it, or with its value only. */
const stated: readonly (Form & { readonly isNamed?: boolean })[] = [
  { name: "a pin of a query without a condition", query: "SELECT * FROM edge" },
  { name: "a pin of a query with a text", query: "SELECT id FROM edge WHERE project = 'other'" },
  {
    name: "a pin of a query over a record's tenant",
    query: "SELECT t.id, m.n FROM jobs AS t, UNNEST(t.metadata) AS m",
  },
  { name: "a pin of a guarded query", query: "SELECT * FROM edge WHERE project = @project" },
  { name: "a pin of a query over a source without tenants", query: "SELECT id FROM notes" },
  {
    name: "a pin of a consumer's query",
    query: "WITH x AS (SELECT * FROM edge) SELECT id FROM x",
    sql: "SELECT * FROM x",
  },
  {
    name: "a guarded read beside one of all",
    query: "SELECT (SELECT COUNT(*) FROM edge WHERE FALSE) AS none, e.* FROM edge AS e WHERE e.project = @project",
    isNamed: true,
  },
  ...["@other", "'other'"].flatMap((other) =>
    ["@project", "'own'"].map((own) => ({
      name: `reads as two tenants, ${other} and ${own}`,
      query: `SELECT e.* FROM (SELECT COUNT(*) AS n FROM edge WHERE project = ${other} AND FALSE) AS o CROSS JOIN edge AS e WHERE e.project = ${own}`,
      isNamed: true,
    })),
  ),
  { name: "a guarded read", query: "SELECT * FROM edge WHERE project = @project", isNamed: true },
];

/** The reader was planned when the endpoint that it reads compared nothing. */
async function replaceInner({ alone, shared }: Setups): Promise<Finding> {
  const ask = async (setup: Setups["alone"]): Promise<Answer> => {
    const project = { parameters: ["project"] };
    setup.save([{ name: "below", query: "SELECT id, project FROM edge", ...project }]);
    if (!setup.has("reader")) setup.save([{ name: "reader", query: "SELECT id FROM below", ...project }]);
    const call = { sent: { project: ownTenant } };
    await setup.ask("reader", call);
    const query = "SELECT id FROM edge WHERE FALSE UNION ALL SELECT id FROM db WHERE project = @project";
    setup.save([{ name: "below", query: `${query} UNION ALL SELECT id FROM edge`, ...project }]);
    return setup.ask("reader", call);
  };
  return { alone: await ask(alone), shared: await ask(shared) };
}

/** The reader was planned when the source belonged to everybody. */
async function separateNotes({ alone, shared }: Setups): Promise<Finding> {
  const ask = async (setup: Setups["alone"]): Promise<Answer> => {
    if (!setup.has("notes.reader")) {
      setup.save([
        { name: "notes.reader", query: "SELECT id FROM notes UNION ALL SELECT id FROM notes WHERE project = @project" },
      ]);
    }
    const call = { sent: { project: ownTenant } };
    await setup.ask("notes.reader", call);
    await setup.separateNotes(true);
    try {
      return await setup.ask("notes.reader", call);
    } finally {
      await setup.separateNotes(false);
    }
  };
  return { alone: await ask(alone), shared: await ask(shared) };
}
