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

/** The draft that a form shows, changed part by part, and its way to the service. */
export function useForm<Draft extends object>(first: Draft | (() => Draft), save: (draft: Draft) => Promise<unknown>) {
  const [draft, setDraft] = useState(first);
  const { error, run } = useAction(() => save(draft));
  return { draft, set: (part: Partial<Draft>) => setDraft({ ...draft, ...part }), error, submit: run };
}
