import { useState } from "preact/hooks";

/** The work of a button or a form: whether it runs, and why it failed last. `run` throws nothing. */
export function useAction<Args extends readonly unknown[]>(act: (...args: Args) => Promise<unknown>) {
  const [error, setError] = useState<unknown>(undefined);
  const [isRunning, setRunning] = useState(false);
  const run = async (...args: Args) => {
    setRunning(true);
    try {
      await act(...args);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
    setRunning(false);
  };
  return { error, isRunning, run };
}

/** The draft that a form shows, and how its fields change it. */
export interface Fields<Draft> {
  readonly draft: Draft;
  readonly set: (part: Partial<Draft>) => void;
  /** The value and the change of the field of a part. */
  readonly bind: <Name extends keyof Draft>(
    name: Name,
  ) => { readonly value: Draft[Name]; readonly onChange: (value: Draft[Name]) => void };
}

/** A form: its fields, and their way to the service. */
export function useForm<Draft extends object>(first: Draft | (() => Draft), save: (draft: Draft) => Promise<unknown>) {
  const [draft, setDraft] = useState(first);
  const { error, run } = useAction(() => save(draft));
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const fields: Fields<Draft> = {
    draft,
    set,
    bind: (name) => ({ value: draft[name], onChange: (value) => setDraft({ ...draft, [name]: value }) }),
  };
  return { ...fields, fields, error, submit: run };
}
