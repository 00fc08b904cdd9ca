import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Before its words. */
  readonly icon?: IconName;
  /** Its words, unless it has children. */
  readonly text?: string;
}

/** A button with words; `class` says how it looks: primary, danger, plain, small. */
export function Button({ icon, text, class: look, type = "button", children = text, ...props }: ButtonProps) {
  return (
    <button {...props} type={type} class={look === undefined ? "button" : `button ${look}`}>
      {icon !== undefined && <Icon name={icon} />}
      {icon !== undefined && " "}
      {children}
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** Read aloud in place of a text. */
  readonly label: string;
}

/** A button that shows an icon alone, such as one beside each line of a table. */
export function IconButton({ icon, label, class: look = "plain small", ...props }: IconButtonProps) {
  return (
    <button {...props} type="button" class={`button ${look} icon-only`} aria-label={label}>
      <Icon name={icon} />
    </button>
  );
}
