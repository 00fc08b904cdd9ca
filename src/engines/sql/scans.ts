/** The way from scans to SELECTs: an engine has a function for each kind of scan. */
import type { Scan } from "../../googlesql/resolved.ts";

type Of<Kind extends Scan["kind"]> = Extract<Scan, { readonly kind: Kind }>;

type Build<Compilation, Given, Select> = (compilation: Compilation, scan: Scan, given: Given) => Select;

/** The function of the table for the scan's kind. Throws for a kind that it does not list. */
export function byKind<Compilation, Given, Select>(
  table: { readonly [Kind in Scan["kind"]]?: (compilation: Compilation, scan: Of<Kind>, given: Given) => Select },
): Build<Compilation, Given, Select> {
  return (compilation, scan, given) => {
    const build = table[scan.kind] as Build<Compilation, Given, Select> | undefined;
    if (build === undefined) throw new Error(`A scan of kind ${scan.kind} cannot stand here`);
    return build(compilation, scan, given);
  };
}
