import { Dialog } from "./dialog.tsx";

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [["?"], "Show these keys"],
  [["/"], "Go to the query"],
  [["Enter"], "Run the search (LQL); open the selected row"],
  [["Ctrl", "Enter"], "Run the query (SQL)"],
  [["Ctrl", "Space"], "Complete what is typed"],
  [["↑", "↓"], "Select a row; j and k do the same"],
  [["PgUp", "PgDn"], "A page of rows up or down"],
  [["Esc"], "Close what is open"],
  [["Alt", "press"], "Exclude a value instead of filtering by it"],
];

interface KeysDialogProps {
  /** Those that the token may open, each with the key that goes there. */
  readonly pages: readonly { readonly key: string; readonly title: string }[];
  readonly onClose: () => void;
}

/** Every key, in a window. */
export function KeysDialog({ pages, onClose }: KeysDialogProps) {
  const all = [...keys, ...pages.map(({ key, title }) => [["g", key], `Go to ${title}`] as const)];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {all.map(([names, meaning]) => (
          <>
            <dt>
              {names.map((name, index) => (
                <>
                  {index > 0 && " "}
                  <kbd>{name}</kbd>
                </>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
