/** The JSON object of a text; undefined for none. Throws `Error` for anything else. */
export function readParameters(text: string): object | undefined {
  if (text.trim() === "") return undefined;
  const problem = 'The parameters are no JSON object, such as {"project": "default"}';
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error(problem);
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) throw new Error(problem);
  return read;
}

/** A parameter of an endpoint as its document has it: without the fields that the API shows as null. */
export function withoutNulls<T>(parameter: object): T {
  return Object.fromEntries(Object.entries(parameter).filter(([, value]) => value !== null)) as T;
}
