import type { OutputStream } from "../context.ts";

/**
 * Control characters (except tab and line feed), and those that change the direction of text: a terminal would execute
 * sequences contained in an event. A carriage return counts unless it ends a line.
 */
const unsafe = /(?![\t\n\r])\p{Cc}|\p{Bidi_Control}|\r(?!\n)/gu;

/** The text with such characters as \u001b and the like, which means the same in JSON. */
export function escapeControls(text: string): string {
  return text.replaceAll(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const rawStreams = new WeakMap<object, OutputStream>();

/**
 * The stream, with everything written to it escaped. Output that our own code makes for terminals goes to its
 * `rawStream`.
 */
export function openSafeOutput(stream: OutputStream): OutputStream {
  const decoder = new TextDecoder();
  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    return Reflect.apply(stream.write, stream, [escapeControls(text), ...rest]);
  };
  const safe = new Proxy(stream, {
    get(target, key) {
      if (key === "write") return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  rawStreams.set(safe, stream);
  return safe;
}

/** For progress bars, colours and prompts, none of which contain unescaped text of others. */
export function rawStream(stream: OutputStream): OutputStream {
  return rawStreams.get(stream) ?? stream;
}
