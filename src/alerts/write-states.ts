/** Stores states of alerts by their ids. */
export interface StateDocuments {
  states(): Promise<ReadonlyMap<string, string>>;
  readState(id: string): Promise<string | undefined>;
  /** Resolves with the ids of alerts that there are still. */
  putStates(states: ReadonlyMap<string, string>): Promise<ReadonlySet<string>>;
}

/** Stores states in few writes. */
export interface StateWriter {
  /** Resolves once the state is stored, with false where there is no such alert any longer. */
  put(id: string, state: string): Promise<boolean>;
  /** Stores what waits. */
  flush(): void;
}

interface Waiting {
  readonly id: string;
  readonly state: string;
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** States of one write. */
const maxTogether = 100;

/**
 * Stores states at once, or together while more are expected: each write to a file holds up all requests until it is on
 * the disk. An alert has one state at a time on its way.
 */
export function createStateWriter(
  documents: Pick<StateDocuments, "putStates">,
  isMoreExpected: () => boolean,
): StateWriter {
  let waiting: Waiting[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const taken = waiting;
    waiting = [];
    documents.putStates(new Map(taken.map(({ id, state }) => [id, state]))).then(
      (left) => {
        for (const { id, resolve } of taken) resolve(left.has(id));
      },
      (error: unknown) => {
        for (const { reject } of taken) reject(error);
      },
    );
  };
  return {
    put: (id, state) =>
      new Promise((resolve, reject) => {
        waiting.push({ id, state, resolve, reject });
        if (waiting.length >= maxTogether || !isMoreExpected()) flush();
      }),
    flush,
  };
}
