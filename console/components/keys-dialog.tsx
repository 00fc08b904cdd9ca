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
  [["g", "e"], "Go to Explore; g and another page's first letter go there"],
];

/** Every key, in a window. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([names, meaning]) => (
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
