import { useEffect, useRef, useState } from "preact/hooks";
import type { EditorScope, OpenEditor } from "../editor/open-editor.ts";
import type { Language } from "../lib/query-text.ts";

interface QueryEditorProps {
  readonly language: Language;
  /** The endpoint's that is explored unless given. */
  readonly scope?: EditorScope;
  readonly isReadOnly?: boolean;
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
  /** Receives what is wrong with the text whenever it was looked at. */
  readonly onProblems?: (messages: readonly string[]) => void;
}

/** The editor is loaded so late at most, in milliseconds. */
const latestMs = 1_500;

/** Calls back once nothing more urgent is to be done. Answers what calls it off. */
function whenIdle(work: () => void): () => void {
  // Not every browser reports when it is idle.
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(work, latestMs);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: latestMs });
  return () => cancelIdleCallback(handle);
}

/**
 * The editor. It is loaded when the page has nothing more urgent to do, or when somebody goes to it; until then, a plain
 * field does the same without colours and completion.
 */
export function QueryEditor(props: QueryEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor | undefined>(undefined);
  // Texts that were typed and come back as properties: while somebody types on, they are older than what the editor has.
  const echoes = useRef(new Set<string>());
  const latest = useRef(props);
  latest.current = props;
  const { language, text, label, isReadOnly } = props;
  const [isWanted, setWanted] = useState(false);
  useEffect(() => whenIdle(() => setWanted(true)), []);
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    const show = ({ openEditor }: typeof import("../editor/open-editor.ts")) => {
      if (isGone || place.current === null) return;
      editor.current = openEditor(place.current, {
        language,
        scope: latest.current.scope ?? "explored",
        isReadOnly: latest.current.isReadOnly,
        text: latest.current.text,
        label,
        onChange: (changed) => {
          echoes.current.add(changed);
          latest.current.onChange(changed);
        },
        onRun: () => latest.current.onRun(),
        onProblems: (messages) => latest.current.onProblems?.(messages),
      });
    };
    // While the service does not answer, the plain field stays; going to it asks again.
    import("../editor/open-editor.ts").then(show, () => setWanted(false));
    return () => {
      isGone = true;
      editor.current?.close();
      editor.current = undefined;
    };
  }, [language, label, isReadOnly, isWanted]);
  useEffect(() => {
    const isEcho = echoes.current.has(text);
    if (!isEcho || text === editor.current?.text()) echoes.current.clear();
    if (!isEcho) editor.current?.setText(text);
  }, [text]);
  return (
    <div class="editor" ref={place}>
      <PlainField {...props} onFocus={() => setWanted(true)} />
    </div>
  );
}

/** The text without colours and completion. */
function PlainField(props: QueryEditorProps & { readonly onFocus: () => void }) {
  const { language, text } = props;
  return (
    <textarea
      aria-label={props.label}
      rows={language === "sql" ? Math.min(24, Math.max(3, text.split("\n").length)) : 1}
      readOnly={props.isReadOnly}
      spellcheck={false}
      value={text}
      onFocus={props.onFocus}
      onInput={(event) => props.onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        // Enter begins a new line in SQL, unless Control is held.
        if (event.key !== "Enter" || (language === "sql" && !event.ctrlKey && !event.metaKey)) return;
        event.preventDefault();
        props.onRun();
      }}
    />
  );
}
