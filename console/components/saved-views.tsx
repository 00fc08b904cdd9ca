import { useState } from "preact/hooks";
import { callApi } from "../api/client.ts";
import type { Answers } from "../api/operations.ts";
import { useLoad } from "../lib/use-load.ts";
import { followAddress, query, toParameters } from "../state/explore.ts";
import { navigate } from "../state/route.ts";
import { session } from "../state/session.ts";
import { attempt, say } from "../state/toasts.ts";
import { Button, IconButton } from "./button.tsx";
import { CheckField, Form } from "./fields.tsx";
import { Loaded } from "./loaded.tsx";
import { Menu } from "./menu.tsx";

type View = Answers["listViews"]["views"][number];

/** Views under names: saves what is shown, opens what was saved. */
export function SavedViews() {
  return (
    <Menu label="Saved views" icon="bookmark">
      {(close) => <ViewList onOpened={close} />}
    </Menu>
  );
}

function ViewList({ onOpened }: { readonly onOpened: () => void }) {
  const load = useLoad((signal) => callApi("listViews", { signal }), []);
  const remove = ({ id, name }: View) =>
    attempt(async () => {
      await callApi("deleteView", { path: { id } });
      say(`Deleted ${name}`);
      load.reload();
    });
  const isOwner = session.value?.may.manage === true;
  return (
    <div class="stack views">
      <SaveForm onSaved={load.reload} />
      <Loaded load={load}>
        {({ views }) =>
          views.length === 0 ? (
            <p class="faint">No views are saved yet. What a view shows is in its link too.</p>
          ) : (
            <ul>
              {views.map((view) => (
                <li key={view.id} class="row">
                  <button
                    type="button"
                    class="menu-item grow"
                    onClick={() => {
                      open(view);
                      onOpened();
                    }}
                  >
                    <span class="grow">
                      {view.name}
                      <span class="faint"> {view.endpoint.replace(/^source:/, "")}</span>
                    </span>
                    {view.is_shared && <span class="badge">shared</span>}
                  </button>
                  {(view.is_own || isOwner) && (
                    <IconButton icon="trash" label={`Delete the view ${view.name}`} onClick={() => void remove(view)} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

/** A view is a state of Explore; going back leads to what was shown before. */
function open({ state }: View): void {
  navigate("explore", new URLSearchParams(state));
  followAddress();
}

function SaveForm({ onSaved }: { readonly onSaved: () => void }) {
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const save = () =>
    attempt(async () => {
      const state = toParameters(query.value).toString();
      await callApi("saveView", {
        body: { name: name.trim(), endpoint: query.value.scope, state, is_shared: isShared },
      });
      setName("");
      say(`Saved ${name.trim()}`);
      onSaved();
    });
  return (
    <Form onSubmit={() => name.trim() !== "" && save()}>
      <div class="row">
        <input
          class="input grow"
          aria-label="Name of the view"
          placeholder="Name what is shown"
          maxLength={120}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" class="primary" text="Save" disabled={name.trim() === ""} />
      </div>
      {session.value?.may.manage === true && (
        <CheckField
          label={`For everybody who may run ${query.value.scope.replace(/^source:/, "")}`}
          value={isShared}
          onChange={setShared}
        />
      )}
    </Form>
  );
}
