import { basename } from "node:path";
import { parseCheckedYaml, type TextProblem } from "../../shared/documents/checked-yaml.ts";
import type { EndpointDefinition } from "./definition.ts";
import { EndpointHeader, splitHeader } from "./header.ts";
import { toDefinition } from "./to-definition.ts";

/** An endpoint file taken apart, or all that is wrong with its header. */
export type ParsedEndpointFile =
  | {
      readonly definition: EndpointDefinition;
      /** Where the query begins in the file. */
      readonly queryStart: number;
      readonly offsetOf: (path: readonly string[]) => number;
    }
  | { readonly problems: readonly TextProblem[] };

/** Reads an endpoint file: its header is checked here, its query is not yet read. */
export function parseEndpointFile(text: string, path: string): ParsedEndpointFile {
  const parts = splitHeader(text);
  if (parts === undefined) {
    const message =
      "an endpoint file begins with a header: /*--- on the first line, YAML, then ---*/ on a line of its own";
    return { problems: [{ message, offset: 0 }] };
  }
  const checked = parseCheckedYaml(parts.yaml, EndpointHeader);
  if (!checked.isValid) {
    return { problems: checked.problems.map(({ message, offset }) => ({ message, offset: offset + parts.yamlStart })) };
  }
  const offsetOf = (keys: readonly string[]) => checked.offsetOf(keys) + parts.yamlStart;
  const name = checked.value.name ?? basename(path).replace(/\.sql$/i, "");
  const { definition, problems } = toDefinition(checked.value, name, text.slice(parts.queryStart));
  const found = problems.map(({ path: keys, message }) => ({
    message: `${keys.join(".")}: ${message}`,
    offset: offsetOf(keys),
  }));
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) {
    const message = `name: the file's name ${JSON.stringify(name)} cannot be an endpoint's; give it a name here`;
    found.push({ message, offset: offsetOf(["name"]) });
  }
  return found.length > 0 ? { problems: found } : { definition, queryStart: parts.queryStart, offsetOf };
}
