/** Keeps what a function made of its last few hundred different texts: formats and the like, which most rows share. */
export function memoize<Value>(make: (text: string) => Value, maxSize = 500): (text: string) => Value {
  const known = new Map<string, Value>();
  let lastText: string | undefined;
  let lastValue: Value | undefined;
  return (text) => {
    if (text === lastText && lastValue !== undefined) return lastValue;
    let value = known.get(text);
    if (value === undefined) {
      value = make(text);
      if (known.size >= maxSize) known.clear();
      known.set(text, value);
    }
    lastText = text;
    lastValue = value;
    return value;
  };
}
