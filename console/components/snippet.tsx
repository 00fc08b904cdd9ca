import { copyText } from "../state/toasts.ts";
import { Button } from "./button.tsx";

/** Text to copy, such as a command. */
export function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="stack" style={{ gap: "6px" }}>
      <div class="row">
        <h3 class="grow">{title}</h3>
        <Button
          class="plain small"
          icon="copy"
          text="Copy"
          aria-label={`Copy ${title}`}
          onClick={() => void copyText(text, title)}
        />
      </div>
      <pre class="code">{text}</pre>
    </div>
  );
}
