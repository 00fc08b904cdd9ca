import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./components/button.tsx";
import { Dialog } from "./components/dialog.tsx";
import { Icon, type IconName } from "./components/icon.tsx";
import { Empty, Spinner } from "./components/notices.tsx";
import { formatPin } from "./lib/pins.ts";
import { AccessPage } from "./pages/access.tsx";
import { AlertsPage } from "./pages/alerts.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { DrainsPage } from "./pages/drains.tsx";
import { EndpointsPage } from "./pages/endpoints.tsx";
import { ExplorePage } from "./pages/explore.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { SourcesPage } from "./pages/sources.tsx";
import { StorePage } from "./pages/store.tsx";
import { hasUsage, UsagePage } from "./pages/usage.tsx";
import { isServiceGone } from "./state/connection.ts";
import { theme } from "./state/preferences.ts";
import { linkTo, route } from "./state/route.ts";
import { retrySession, type Session, session, sessionState, signOut } from "./state/session.ts";
import { toasts } from "./state/toasts.ts";

interface Page {
  readonly path: string;
  /** Goes there, after `g`. */
  readonly key: string;
  readonly title: string;
  readonly icon: IconName;
  /** Who has it. */
  readonly isOpen: (session: Session) => boolean;
  readonly content: ComponentType;
}

const pages: readonly Page[] = [
  { path: "explore", key: "e", title: "Explore", icon: "search", isOpen: ({ may }) => may.query, content: ExplorePage },
  {
    path: "endpoints",
    key: "n",
    title: "Endpoints",
    icon: "endpoint",
    isOpen: ({ may }) => may.manage,
    content: EndpointsPage,
  },
  {
    path: "usage",
    key: "u",
    title: "Usage",
    icon: "usage",
    isOpen: ({ endpoints }) => hasUsage(endpoints),
    content: UsagePage,
  },
  {
    path: "sources",
    key: "s",
    title: "Sources",
    icon: "source",
    isOpen: ({ may }) => may.manage,
    content: SourcesPage,
  },
  { path: "alerts", key: "l", title: "Alerts", icon: "warning", isOpen: ({ may }) => may.manage, content: AlertsPage },
  { path: "drains", key: "r", title: "Drains", icon: "send", isOpen: ({ may }) => may.manage, content: DrainsPage },
  { path: "access", key: "a", title: "Access", icon: "access", isOpen: ({ may }) => may.manage, content: AccessPage },
  { path: "audit", key: "d", title: "Audit", icon: "audit", isOpen: ({ may }) => may.manage, content: AuditPage },
  { path: "store", key: "t", title: "Store", icon: "store", isOpen: ({ may }) => may.manage, content: StorePage },
];

/** The page that the address asks for, among those that the token may open. */
export function Shell() {
  const { value: state } = sessionState;
  switch (state.kind) {
    case "signed-out":
      return <SignInPage {...state} />;
    case "loading":
      return (
        <main class="sign-in">
          <Spinner label="Signing in" />
        </main>
      );
    case "failed":
      return (
        <main class="sign-in">
          <Empty title="The service cannot be reached">
            <p>{state.message}</p>
            <Button class="primary" text="Try again" onClick={() => void retrySession()} />
          </Empty>
        </main>
      );
    case "signed-in":
      return <SignedIn session={state.session} />;
  }
}

function SignedIn({ session: signedIn }: { readonly session: Session }) {
  const [showsKeys, setShowsKeys] = useState(false);
  const open = pages.filter(({ isOpen }) => isOpen(signedIn));
  const [name = ""] = route.value.path.split("/");
  const page = open.find(({ path }) => path === name) ?? open[0];
  useEffect(() => {
    document.title = page === undefined ? "Logweir" : `${page.title} · Logweir`;
  }, [page]);
  useEffect(() => listenForKeys(open, () => setShowsKeys(true)), [open.length]);
  return (
    <div class="shell">
      <Navigation pages={open} current={page} onKeys={() => setShowsKeys(true)} />
      <main class="main">
        <Outage />
        {page === undefined ? (
          <Empty title="Nothing here for this token">
            <p>It may run no endpoint. Ask who gave it to you for one that may.</p>
          </Empty>
        ) : (
          <page.content key={page.path} />
        )}
      </main>
      {showsKeys && <KeysDialog pages={open} onClose={() => setShowsKeys(false)} />}
      <div class="toasts" role="status">
        {toasts.value.map(({ id, text }) => (
          <div key={id} class="toast">
            {text}
          </div>
        ))}
      </div>
    </div>
  );
}

interface NavigationProps {
  readonly pages: readonly Page[];
  readonly current: Page | undefined;
  readonly onKeys: () => void;
}

function Navigation({ pages: open, current, onKeys }: NavigationProps) {
  const pins = Object.entries(session.value?.token.pins ?? {});
  const person = session.value?.person;
  return (
    <nav class="nav" aria-label="Pages">
      <div class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" fill="var(--accent)" />
          <path d="M7 10h18M7 16h12M7 22h15" stroke="var(--accent-ink)" stroke-width="3" stroke-linecap="round" />
        </svg>
        <span class="label">Logweir</span>
      </div>
      {open.map(({ path, title, icon }) => (
        <a key={path} href={linkTo(path)} aria-current={path === current?.path ? "page" : undefined} title={title}>
          <Icon name={icon} />
          <span class="label">{title}</span>
        </a>
      ))}
      <div class="grow" />
      {person != null && <div class="who">{person.name}</div>}
      {pins.length > 0 && <div class="who">{pins.map(([name, pin]) => `${name}: ${formatPin(pin)}`).join(", ")}</div>}
      <NavButton icon="help" label="Keys" onClick={onKeys} />
      <NavButton icon="theme" label={themeLabel()} onClick={switchTheme} />
      {person?.way !== "proxy" && <NavButton icon="signout" label="Sign out" onClick={() => signOut()} />}
    </nav>
  );
}

function NavButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button type="button" class="nav-button" title={label} onClick={onClick}>
      <Icon name={icon} />
      <span class="label">{label}</span>
    </button>
  );
}

function themeLabel(): string {
  return { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[theme.value];
}

function switchTheme(): void {
  theme.value = theme.value === "system" ? "dark" : theme.value === "dark" ? "light" : "system";
}

/** `?` shows the keys, `/` goes to the search, `g` and a page's letter to the page. */
function listenForKeys(open: readonly Page[], showKeys: () => void): () => void {
  let isGoing = false;
  const onKey = (event: KeyboardEvent) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined;
    const isTyping = target?.closest("input, textarea, select, [contenteditable]") !== null && target !== undefined;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isGoing) {
      const page = open.find(({ key }) => key === event.key);
      if (page !== undefined) location.hash = linkTo(page.path);
    } else if (event.key === "?") showKeys();
    else if (event.key === "/") {
      event.preventDefault();
      document.querySelector<HTMLElement>(".editor .cm-content, .editor textarea:not([hidden])")?.focus();
    }
    isGoing = event.key === "g" && !isGoing;
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/** Says that the service does not answer, for as long as it does not. */
function Outage() {
  return (
    <div role="alert">
      {isServiceGone.value && (
        <div class="outage">
          <Spinner label="Looking for the service" />
          <span>The service is not responding. This page keeps what it shows and reconnects by itself.</span>
        </div>
      )}
    </div>
  );
}

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
function KeysDialog({ pages, onClose }: KeysDialogProps) {
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
