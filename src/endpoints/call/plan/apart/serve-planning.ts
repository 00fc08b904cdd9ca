/** The thread's side: plans one query after the other, and asks the service for each table and endpoint that it names. */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { Engine } from "../../../../engines/contract/query-engine.ts";
import type { TableDefinition } from "../../../../googlesql/relation.ts";
import type { SourceTables } from "../../../../sources/source-tables.ts";
import type { Endpoint } from "../../../definition/definition.ts";
import type { QueryTarget } from "../../../definition/query-target.ts";
import { type Around, aroundShape, type Overview, overviewShape } from "../../../explore/overview-query.ts";
import { type Patterns, patternsShape } from "../../../explore/patterns-query.ts";
import type { QueryShape } from "../../../explore/query-shape.ts";
import { toCallAccess } from "../../../tenants/call-access.ts";
import { createTenancyFinder } from "../../../tenants/tenancy.ts";
import { type CompiledEndpoint, compileConsumer, compileOwn } from "../compile-query.ts";
import type { EndpointLookup } from "../endpoint-tables.ts";
import { toFailure } from "./planning-failure.ts";
import type {
  AskedQuestion,
  DescribedTable,
  NumberedAnswer,
  NumberedObject,
  PlannedApart,
  PlanningData,
  PlanningOutcome,
  PlanningTask,
  Question,
  QuestionAnswer,
} from "./protocol.ts";

/** An engine's compiler over the layouts that came with their tables. Its plans hold data only. */
export type CompilerOver = (layoutOf: (table: TableDefinition) => object | undefined) => Pick<Engine, "compile">;

export function servePlanning(port: MessagePort, questions: MessagePort, data: PlanningData, open: CompilerOver): void {
  let number = 0;
  const server = new PlanningServer((question): QuestionAnswer => {
    number++;
    questions.postMessage({ number, question } satisfies AskedQuestion);
    // The service answers between its other turns; this thread has nothing else to do. It may be woken once more for an
    // answer that it has read already, when the service was held up between setting the flag and waking.
    while (Atomics.load(data.flag, 0) === 0) Atomics.wait(data.flag, 0, 0);
    Atomics.store(data.flag, 0, 0);
    const answer = receiveMessageOnPort(questions)?.message as NumberedAnswer | undefined;
    // Nothing that this thread holds can be relied upon any more: it is replaced.
    if (answer?.number !== number) throw new Error("An answer is not that of the question");
    if (answer.isFailed === true) throw new Error("The service could not answer a question");
    return answer.value;
  }, open);
  port.on("message", (task: PlanningTask) => {
    const outcome = server.plan(task);
    try {
      port.postMessage(outcome);
    } catch (error) {
      // A plan that is not data alone.
      port.postMessage({ failure: toFailure(error) } satisfies PlanningOutcome);
    }
  });
}

class PlanningServer {
  readonly #ask: (question: Question) => QuestionAnswer;
  readonly #compiler: Pick<Engine, "compile">;
  /** Objects sent by the service, by their numbers. */
  readonly #objects = new Map<number, object>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #layouts = new WeakMap<TableDefinition, object>();
  readonly #tables: SourceTables;
  readonly #endpoints: EndpointLookup;
  readonly #tenancies: ReturnType<typeof createTenancyFinder>;

  constructor(ask: (question: Question) => QuestionAnswer, open: CompilerOver) {
    this.#ask = ask;
    this.#compiler = open((table) => this.#layouts.get(table));
    this.#tables = {
      findTable: (name, tenant) =>
        this.#receiveTable(ask({ kind: "table", name, tenant }) as NumberedObject<DescribedTable>),
      tableNames: () => ask({ kind: "names", of: "tables" }) as readonly string[],
    };
    this.#endpoints = {
      findByName: (name) => this.#receive(ask({ kind: "endpoint", name }) as NumberedObject<Endpoint>),
      names: () => ask({ kind: "names", of: "endpoints" }) as readonly string[],
    };
    this.#tenancies = createTenancyFinder({ tables: this.#tables, endpoints: this.#endpoints });
  }

  plan(task: PlanningTask): PlanningOutcome {
    try {
      if (task.isFresh) this.#objects.clear();
      return { planned: this.#toPlanned(this.#compile(task)) };
    } catch (error) {
      return { failure: toFailure(error) };
    }
  }

  #compile({ consumer, shape, rowLimit, place, tenants, nowMs, ...task }: PlanningTask): CompiledEndpoint {
    const target = this.#receive<QueryTarget>(task.target);
    if (target === undefined) throw new Error("The thread lacks the target of a query");
    const readValue = (name: string) => this.#ask({ kind: "value", name }) as string | undefined;
    const access = toCallAccess(this.#tenancies.of(target), consumer !== undefined, { ...tenants, readValue });
    const dependencies = { engine: this.#compiler, tables: this.#tables, endpoints: this.#endpoints, nowMs };
    if (consumer === undefined) return compileOwn(dependencies, target, { access, rowLimit, place });
    const shaped = shape === undefined ? consumer : { ...consumer, shape: makeShape(shape) };
    return compileConsumer(dependencies, target, shaped, place, access);
  }

  #toPlanned({ query, found }: CompiledEndpoint): PlannedApart {
    const numberOf = (object: object | undefined) => (object === undefined ? 0 : (this.#numbers.get(object) ?? 0));
    const sources = found.sources.map(({ name, scope, definition }) => ({ name, scope, number: numberOf(definition) }));
    return { query, sources, endpoints: [...found.endpoints].map(([name, each]) => [name, numberOf(each)] as const) };
  }

  #receive<T extends object>({ number, object }: NumberedObject<T>): T | undefined {
    if (object !== undefined) {
      this.#objects.set(number, object);
      this.#numbers.set(object, number);
    }
    return this.#objects.get(number) as T | undefined;
  }

  #receiveTable({ number, object }: NumberedObject<DescribedTable>): TableDefinition | undefined {
    if (object?.layout !== undefined) this.#layouts.set(object.definition, object.layout);
    return this.#receive(object === undefined ? { number } : { number, object: object.definition });
  }
}

function makeShape([kind, options]: NonNullable<PlanningTask["shape"]>): QueryShape {
  switch (kind) {
    case "overview":
      return overviewShape(options as Overview);
    case "around":
      return aroundShape(options as Around);
    case "patterns":
      return patternsShape(options as Patterns);
  }
}
