const classes: Readonly<Record<string, string>> = {
  ok: "badge success",
  resolved: "badge success",
  pending: "badge warning",
  firing: "badge danger",
  failing: "badge danger",
};

/** The status of an alert or of one of its groups, as a word with a colour. */
export function AlertStatus({ status, isEnabled }: { readonly status: string; readonly isEnabled: boolean }) {
  if (!isEnabled) return <span class="badge">paused</span>;
  return <span class={classes[status] ?? "badge"}>{status}</span>;
}
