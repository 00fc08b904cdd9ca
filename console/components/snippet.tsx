import { copyText } from "../state/toasts.ts";
import { Icon } from "./icon.tsx";

/** Text to copy, such as a command. */
export function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="stack" style={{ gap: "6px" }}>
      <div class="row">
        <h3 class="grow">{title}</h3>
        <button
          type="button"
          class="button plain small"
          aria-label={`Copy ${title}`}
          onClick={() => void copyText(text, title)}
        >
          <Icon name="copy" /> Copy
        </button>
      </div>
      <pre class="code">{text}</pre>
    </div>
  );
}
