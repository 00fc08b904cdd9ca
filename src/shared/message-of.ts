/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const frameForm = /^ {4}at \S.*:\d+:\d+\)?$/;
const maxFrames = 5;

/** A defect for the log: its kind and where it happened, without its message, which may carry a caller's values. */
export function describeDefect(error: unknown): {
  readonly type: string;
  readonly code?: unknown;
  readonly stack?: string;
} {
  if (!(error instanceof Error)) return { type: typeof error };
  const frames = error.stack?.split("\n").filter((line) => frameForm.test(line));
  return {
    type: error.name,
    ...("code" in error ? { code: error.code } : {}),
    ...(frames === undefined ? {} : { stack: frames.join("\n") }),
  };
}

/** The same in one line, with the first frames. */
export function writeDefect(error: unknown): string {
  const { type, code, stack = "" } = describeDefect(error);
  const frames = stack.split("\n").slice(0, maxFrames);
  return [type, ...(code === undefined ? [] : [String(code)]), ...frames.map((frame) => frame.trim())]
    .filter((part) => part !== "")
    .join(" ");
}

/** The error code of the system, such as `ENOSPC`; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
