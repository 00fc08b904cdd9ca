import { autocompletion, type CompletionContext, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter } from "@codemirror/lint";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Language } from "../lib/query-text.ts";
import { completeOwnerQuery, completeQuery } from "./complete.ts";
import { checkOwnerQuery, checkQuery } from "./diagnostics.ts";
import { lqlLanguage, sqlLanguage } from "./languages.ts";

interface EditorOptions {
  readonly language: Language;
  /** Whose tables the query reads: those of the endpoint that is explored, or every source. */
  readonly scope: EditorScope;
  readonly isReadOnly?: boolean | undefined;
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
  /** Receives what is wrong with the text whenever it was looked at. */
  readonly onProblems?: ((messages: readonly string[]) => void) | undefined;
}

export type EditorScope = "explored" | "all";

/** An editor on the page. */
export interface OpenEditor {
  text(): string;
  /** Takes the place of the text, where it is another one. */
  setText(text: string): void;
  close(): void;
}

/** Diagnostics are asked for when nobody has typed for so long. */
const lintDelayMs = 60;

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--success)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.operator, color: "var(--ink-soft)" },
  { tag: tags.comment, color: "var(--ink-faint)", fontStyle: "italic" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-content": { caretColor: "var(--ink)", padding: "5px 0" },
  ".cm-line": { padding: "0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-wash)" },
  ".cm-placeholder": { color: "var(--ink-faint)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.85", fontStyle: "normal", marginLeft: "8px" },
  ".cm-completionInfo": { maxWidth: "380px", padding: "8px 10px" },
  ".cm-diagnostic": { padding: "6px 10px" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--danger)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warning)" },
  ".cm-lintRange-warning": { backgroundImage: "none", borderBottom: "2px solid var(--series-warning)" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px solid var(--danger)" },
});

/** Extensions for typing: completion and checks. */
function writing({ language, scope, onProblems }: EditorOptions): Extension[] {
  const complete = (context: CompletionContext) =>
    scope === "all" ? completeOwnerQuery(context) : completeQuery(language, context);
  const check = (text: string) => (scope === "all" ? checkOwnerQuery(text) : checkQuery(language, text));
  return [
    autocompletion({ override: [complete], activateOnTyping: true }),
    linter(
      async (open) => {
        const problems = await check(open.state.doc.toString());
        onProblems?.(problems.map(({ message }) => message));
        return problems;
      },
      { delay: lintDelayMs },
    ),
  ];
}

/** Opens an editor in an element, in the place of what is in there. */
export function openEditor(parent: HTMLElement, options: EditorOptions): OpenEditor {
  const { language, isReadOnly = false, text, label, onChange, onRun } = options;
  const run = () => {
    onRun();
    return true;
  };
  // In LQL a line is a query: Enter runs it, and completion takes it first.
  const runKeys =
    language === "lql"
      ? [
          { key: "Enter", run },
          { key: "Mod-Enter", run },
        ]
      : [{ key: "Mod-Enter", run }];
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
  const hint = language === "lql" ? "Search: error, m.response.status_code:>=500, -m.request.method:GET" : "SELECT ...";
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        history(),
        bracketMatching(),
        highlightSpecialChars(),
        closeBrackets(),
        language === "sql" ? sqlLanguage() : lqlLanguage(),
        ...(isReadOnly ? [EditorState.readOnly.of(true)] : writing(options)),
        keymap.of(completionKeymap),
        Prec.low(keymap.of(runKeys)),
        keymap.of([...historyKeymap]),
        Prec.lowest(keymap.of(defaultKeymap)),
        syntaxHighlighting(colours),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        placeholder(hint),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  const former = [...parent.childNodes];
  const hadFocus = parent.contains(document.activeElement);
  for (const node of former) if (node instanceof HTMLElement) node.hidden = true;
  parent.append(view.dom);
  if (hadFocus) view.focus();
  return {
    text: () => view.state.doc.toString(),
    setText(changed) {
      const current = view.state.doc.toString();
      if (changed !== current) view.dispatch({ changes: { from: 0, to: current.length, insert: changed } });
    },
    close() {
      view.destroy();
      for (const node of former) if (node instanceof HTMLElement) node.hidden = false;
    },
  };
}
