import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

interface MenuProps {
  readonly label: string;
  readonly icon?: IconName;
  /** Text of the button; only the icon unless given. */
  readonly text?: string;
  readonly side?: "left" | "right";
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel; Escape and a press elsewhere close it. */
export function Menu({ label, icon, text, side = "right", children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onPress = (event: Event) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => handleKey(event, box.current, close);
    const element = box.current;
    document.addEventListener("pointerdown", onPress);
    element?.addEventListener("keydown", onKey);
    element?.querySelector<HTMLElement>(".popover button, .popover input, .popover select, .popover a")?.focus();
    return () => {
      document.removeEventListener("pointerdown", onPress);
      element?.removeEventListener("keydown", onKey);
    };
  }, [isOpen]);
  return (
    <div class="menu" ref={box}>
      <button
        type="button"
        ref={button}
        class={text === undefined ? "button icon-only" : "button"}
        aria-label={text === undefined ? label : `${label}: ${text}`}
        title={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {icon !== undefined && <Icon name={icon} />}
        {text !== undefined && <span>{text}</span>}
        {text !== undefined && <Icon name="down" />}
      </button>
      {isOpen && <div class={side === "left" ? "popover left" : "popover"}>{children(close)}</div>}
    </div>
  );
}

function handleKey(event: KeyboardEvent, box: HTMLElement | null, close: () => void): void {
  if (event.key === "Escape") {
    event.stopPropagation();
    close();
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const items = [...(box?.querySelectorAll<HTMLElement>(".menu-item") ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  event.preventDefault();
  items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length]?.focus();
}
