import { type Answer, type SecurityService, secret } from "./security-service.ts";

/** One attempt to reach more than the endpoint offers. */
export interface Attempt {
  readonly name: string;
  readonly sql: string;
}

type Judge<T> = (attempt: T, answer: Answer) => string | undefined;

/** Sends one. An answer with the other project's data is always wrong; `judge` reports other failures. */
export async function tryOne<T extends Attempt>(
  service: SecurityService,
  attempt: T,
  judge: Judge<T>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: Answer; readonly failure: string | undefined }> {
  const answer = await service.ask({ sql: attempt.sql }, headers);
  const leak = answer.text.includes(secret) && !attempt.sql.includes(secret) ? "the other project's data" : undefined;
  const failure = leak ?? judge(attempt, answer);
  await service.settle();
  const shown = `${attempt.name}: ${failure}: ${answer.status} ${answer.text.slice(0, 200)}`;
  return { answer, failure: failure === undefined ? undefined : shown };
}

/** Sends them one after another and collects failures, so that one run reports every attempt that succeeded. */
export async function tryAll<T extends Attempt>(
  service: SecurityService,
  attempts: readonly T[],
  judge: Judge<T>,
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const attempt of attempts) {
    const { failure } = await tryOne(service, attempt, judge);
    if (failure !== undefined) failures.push(failure);
  }
  return failures;
}
