import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { callApi } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import type { Language } from "../lib/query-text.ts";
import { currentTable, fields, scopeParameters, tables } from "../state/explore.ts";
import { session } from "../state/session.ts";

type Functions = Answers["listFunctions"]["functions"];

let functions: Promise<Functions> | undefined;

/** Asked for once; after a failure, once more. */
function readFunctions(): Promise<Functions> {
  functions ??= callApi("listFunctions", {})
    .then((answer) => answer.functions)
    .catch(() => {
      functions = undefined;
      return [];
    });
  return functions;
}

/** Completes the word at the cursor: tables and fields that the token may read, functions, parameters. */
export async function completeQuery(language: Language, context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[@A-Za-z_][\w.]*/);
  if (word === null && !context.explicit) return null;
  const from = word?.from ?? context.pos;
  if (language === "lql") return { from, options: lqlOptions(), validFor: /^[\w.]*$/ };
  const options = [...tableOptions(), ...fieldOptions(""), ...parameterOptions(), ...(await functionOptions())];
  return { from, options, validFor: /^[@\w.]*$/ };
}

/** The same for a query of an endpoint: every source may be read. */
export async function completeOwnerQuery(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[@A-Za-z_][\w.]*/);
  if (word === null && !context.explicit) return null;
  const text = context.state.doc.toString();
  const named = [...new Set(text.match(/@[A-Za-z_]\w*/g) ?? [])].filter((each) => each !== word?.text);
  const options: readonly Completion[] = [
    ...(session.value?.sources ?? []).map((label) => ({ label, type: "class", detail: "source", boost: 2 })),
    ...named.map((label) => ({ label, type: "variable", detail: "parameter" })),
    ...(await functionOptions()),
  ];
  return { from: word?.from ?? context.pos, options, validFor: /^[@\w.]*$/ };
}

function lqlOptions(): readonly Completion[] {
  const clauses: readonly Completion[] = [
    { label: "t:", detail: "time: t:last@1h", type: "keyword" },
    { label: "s:", detail: "select a field", type: "keyword" },
    { label: "c:count(*)", detail: "a chart", type: "keyword" },
  ];
  const named = tableOptions().map((option) => ({ ...option, label: `f:${option.label}` }));
  return [...clauses, ...named, ...fieldOptions(":")];
}

function tableOptions(): readonly Completion[] {
  const known = tables.value.kind === "loaded" ? tables.value.value : [];
  return known.map(({ name }) => ({ label: name, type: "class", detail: "table", boost: 2 }));
}

/** `suffix` follows a field's name. In LQL `m` stands for metadata. */
function fieldOptions(suffix: string): readonly Completion[] {
  return fields.value.map(({ path, type }) => {
    const label = suffix === "" ? path : path.replace(/^metadata\./, "m.");
    return {
      label,
      apply: label + suffix,
      type: "property",
      detail: type.toLowerCase(),
      boost: 1,
      info: currentTable.value?.name ?? "",
    };
  });
}

function parameterOptions(): readonly Completion[] {
  return scopeParameters.value.map(({ name, type, description }) => ({
    label: `@${name}`,
    type: "variable",
    detail: type,
    ...(description === null ? {} : { info: description }),
  }));
}

async function functionOptions(): Promise<readonly Completion[]> {
  return (await readFunctions()).map(({ name, signatures, summary, kind }) => ({
    label: name,
    apply: `${name}(`,
    type: "function",
    detail: kind === "scalar" ? "" : kind,
    info: () => describeFunction(name, signatures, summary),
  }));
}

function describeFunction(name: string, signatures: readonly string[], summary: string): Node {
  const box = document.createElement("div");
  const text = document.createElement("div");
  text.textContent = summary;
  const forms = document.createElement("pre");
  forms.className = "mono plain-text";
  forms.textContent = signatures.map((signature) => name + signature).join("\n");
  box.append(text, forms);
  return box;
}
