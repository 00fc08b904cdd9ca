/** Days after which a source's events are deleted, as the API has them; null for never. */
export type Retention =
  | number
  | { readonly default?: number; readonly tenants?: Readonly<Record<string, number>> }
  | null;

/** The retention in a few words. */
export function describeRetention(retention: Retention): string {
  if (typeof retention === "number") return `${retention} days`;
  const usual = retention?.default === undefined ? "forever" : `${retention.default} days`;
  const { length } = Object.keys(retention?.tenants ?? {});
  return length === 0 ? usual : `${usual}, ${length} ${length === 1 ? "tenant differs" : "tenants differ"}`;
}
