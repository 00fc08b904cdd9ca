import { useEffect, useRef } from "preact/hooks";
import type { OpenEditor } from "../editor/open-editor.ts";
import type { Language } from "../lib/query-text.ts";

interface QueryEditorProps {
  readonly language: Language;
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

/** The editor, which is loaded when it is first shown; until then, a plain field does the same without colours and completion. */
export function QueryEditor(props: QueryEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const { language, text, label } = props;
  useEffect(() => {
    let isGone = false;
    void import("../editor/open-editor.ts").then(({ openEditor }) => {
      if (isGone || place.current === null) return;
      editor.current = openEditor(place.current, {
        language,
        text: latest.current.text,
        label,
        onChange: (changed) => latest.current.onChange(changed),
        onRun: () => latest.current.onRun(),
      });
    });
    return () => {
      isGone = true;
      editor.current?.close();
      editor.current = undefined;
    };
  }, [language, label]);
  useEffect(() => editor.current?.setText(text), [text]);
  return (
    <div class="editor" ref={place}>
      <textarea
        aria-label={label}
        rows={language === "sql" ? 3 : 1}
        spellcheck={false}
        value={text}
        onInput={(event) => props.onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || (language === "sql" && !event.ctrlKey && !event.metaKey)) return;
          event.preventDefault();
          props.onRun();
        }}
      />
    </div>
  );
}
