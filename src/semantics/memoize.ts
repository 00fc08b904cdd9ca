/** Keeps what a function made of its last few hundred different texts: formats and the like, which most rows share. */
export function memoize<Value>(make: (text: string) => Value, maxKept = 500): (text: string) => Value {
  const kept = new Map<string, Value>();
  let lastText: string | undefined;
  let lastValue: Value | undefined;
  return (text) => {
    if (text === lastText && lastValue !== undefined) return lastValue;
    let value = kept.get(text);
    if (value === undefined) {
      value = make(text);
      if (kept.size >= maxKept) kept.clear();
      kept.set(text, value);
    }
    lastText = text;
    lastValue = value;
    return value;
  };
}
