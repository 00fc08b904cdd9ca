/** An answer of either service. */
export interface Answer {
  readonly status: number;
  /** The value of a body that is JSON; the text of any other. */
  readonly body: unknown;
}

/** Labels that lines have here and nowhere else: where they are stored. */
const ownLabels = ["source"];
/** Parts of answers that tell how they were made, not what they are; and the encoding that was asked for. */
const leftOut = new Set(["stats", "encodingFlags", "warnings", "jsonPath"]);

/** The first difference of two answers, as a text that names its place; undefined where there is none. */
export function compareAnswers(theirs: Answer, ours: Answer): string | undefined {
  const classes = [theirs, ours].map(({ status }) => Math.floor(status / 100));
  // Loki tells some errors of a query as its own.
  if (theirs.status >= 400 && classes[1] === 4) return undefined;
  if (classes[0] !== classes[1]) return `status ${theirs.status}, here ${ours.status}: ${describe(ours.body)}`;
  return compareValues(inOrder(theirs.body), inOrder(withoutOwnLabels(ours.body)), "");
}

function withoutOwnLabels(value: unknown): unknown {
  if (Array.isArray(value)) {
    // Lists of labels, and of what is known about each.
    const kept = value.filter((each) => !ownLabels.includes(typeof each === "object" ? each?.label : each));
    return kept.map(withoutOwnLabels);
  }
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !ownLabels.includes(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutOwnLabels(each)]));
}

/** Lists that have no order in Loki are put into one: labels and their values, fields, and the labels of streams. */
function inOrder(body: unknown): unknown {
  if (!isObject(body)) return body;
  const sorted = ["data", "values", "fields", "detectedLabels"].map((name) => {
    const list = body[name];
    return [name, Array.isArray(list) ? list.map(sortNames).sort((a, b) => (text(a) < text(b) ? -1 : 1)) : list];
  });
  return { ...body, ...Object.fromEntries(sorted.filter(([, list]) => list !== undefined)) };
}

const text = (value: unknown) => JSON.stringify(value);
const sortNames = (value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

function compareValues(theirs: unknown, ours: unknown, place: string): string | undefined {
  if (theirs === undefined && Array.isArray(ours) && ours.length === 0) return undefined;
  if (isObject(theirs) && theirs.resultType === "scalar" && isObject(ours)) {
    // Loki 3.7 tells a time in the far future with a number that stands alone.
    const [[, a], [, b]] = [theirs.result, ours.result] as [[unknown, unknown], [unknown, unknown]];
    return compareValues(a, b, `${place}.result[1]`);
  }
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    for (const [index, each] of theirs.entries()) {
      const difference = compareValues(each, ours[index], `${place}[${index}]`);
      if (difference !== undefined) return difference;
    }
    return theirs.length === ours.length ? undefined : `${place} has ${theirs.length} items, here ${ours.length}`;
  }
  if (isObject(theirs) && isObject(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      if (leftOut.has(name)) continue;
      if (name === "__error_details__" && isTold(theirs[name]) && isTold(ours[name])) continue;
      const difference = compareValues(theirs[name], ours[name], `${place}.${name}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return isSame(theirs, ours) ? undefined : `${place} is ${describe(theirs)}, here ${describe(ours)}`;
}

/** Errors of templates are told in the words of those who run them. */
const isTold = (value: unknown) => typeof value === "string" && value !== "";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Texts are the same to the letter, unless both are numbers: sums of the same numbers in another order may differ. */
function isSame(theirs: unknown, ours: unknown): boolean {
  if (theirs === ours) return true;
  if (![theirs, ours].some((each) => typeof each === "string" && each.includes("."))) return false;
  const [a, b] = [numberIn(theirs), numberIn(ours)];
  return a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "string" && /^-?\d{1,15}(?:\.\d+)?(?:e[+-]\d+)?$/.test(value) ? Number(value) : undefined;
}

function describe(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
