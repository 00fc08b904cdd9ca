/**
 * The catalogue: every function that a query may call. A function that stands in no table here cannot be called.
 */
import { parseSignature, type Signature } from "./signature.ts";
import { aggregateFunctions } from "./tables/aggregate.ts";
import { approximateFunctions } from "./tables/approximate.ts";
import { arrayFunctions } from "./tables/array.ts";
import { bitFunctions } from "./tables/bit.ts";
import { conditionalFunctions } from "./tables/conditional.ts";
import { conversionFunctions } from "./tables/conversion.ts";
import { dateFunctions } from "./tables/date.ts";
import { datetimeFunctions } from "./tables/datetime.ts";
import { hashFunctions } from "./tables/hash.ts";
import { hllFunctions } from "./tables/hll.ts";
import { intervalFunctions } from "./tables/interval.ts";
import { jsonFunctions } from "./tables/json.ts";
import { kllFunctions } from "./tables/kll.ts";
import { mathFunctions } from "./tables/math.ts";
import { netFunctions } from "./tables/net.ts";
import { OPERATORS } from "./tables/operators.ts";
import { rangeFunctions } from "./tables/range.ts";
import { refusedFunctions } from "./tables/refused.ts";
import { regexpFunctions } from "./tables/regexp.ts";
import { stringFunctions } from "./tables/string.ts";
import { timeFunctions } from "./tables/time.ts";
import { timestampFunctions } from "./tables/timestamp.ts";
import { windowFunctions } from "./tables/window.ts";
import { type FunctionDefinition, type FunctionFacts, NEVER_FAILS } from "./types.ts";

export interface CatalogueEntry {
  readonly definition: FunctionDefinition;
  readonly signatures: readonly Signature[];
  /** The positions at which some signature takes a date part. */
  readonly datePartPositions: ReadonlySet<number>;
}

export interface Catalogue {
  /** By name or alias, in any case; the entry's definition shows the canonical name. */
  find(name: string): CatalogueEntry | undefined;
  /** Canonical names and aliases that may be suggested: no operators, nothing that is refused. */
  names(): readonly string[];
  readonly definitions: readonly FunctionDefinition[];
}

/** Reads tables of rows into a catalogue. Throws when two rows have the same name or a signature is malformed. */
export function createCatalogue(tables: readonly (readonly FunctionDefinition[])[]): Catalogue {
  const entries = new Map<string, CatalogueEntry>();
  const definitions = tables.flat();
  const names: string[] = [];
  for (const definition of definitions) {
    const signatures = definition.signatures.map(parseSignature);
    const entry = { definition, signatures, datePartPositions: datePartPositions(signatures) };
    for (const name of [definition.name, ...(definition.aliases ?? [])]) {
      if (entries.has(name)) throw new Error(`The catalogue holds ${name} twice.`);
      entries.set(name, entry);
      if (!name.startsWith("$") && definition.refused === undefined) names.push(name);
    }
  }
  return {
    find: (name) => entries.get(name) ?? entries.get(name.toUpperCase()),
    names: () => names,
    definitions,
  };
}

function datePartPositions(signatures: readonly Signature[]): ReadonlySet<number> {
  const places = signatures.flatMap(({ parameters }) => [...parameters.entries()]);
  return new Set(places.flatMap(([position, { place }]) => (place.kind === "datepart" ? [position] : [])));
}

/** The published functions and operators of GoogleSQL. */
export const CATALOGUE: Catalogue = createCatalogue([
  aggregateFunctions,
  approximateFunctions,
  arrayFunctions,
  bitFunctions,
  conditionalFunctions,
  conversionFunctions,
  dateFunctions,
  datetimeFunctions,
  hashFunctions,
  hllFunctions,
  intervalFunctions,
  jsonFunctions,
  kllFunctions,
  mathFunctions,
  netFunctions,
  OPERATORS,
  rangeFunctions,
  refusedFunctions,
  regexpFunctions,
  stringFunctions,
  timeFunctions,
  timestampFunctions,
  windowFunctions,
]);

/** Functions that no text can call: only the resolver and the sandbox write them. */
const WRITTEN: Readonly<Record<string, FunctionFacts>> = { $count_star: NEVER_FAILS, $redact: NEVER_FAILS };

/** The facts of a function by the name that a resolved call has. Of an unknown one nothing good is known. */
export function functionFacts(name: string): FunctionFacts {
  return CATALOGUE.find(name)?.definition ?? WRITTEN[name] ?? {};
}
