const reservedPrefix =
  /^(_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/i;

const maxBytes = 128;

/**
 * A field's name as a column can have it: each character outside [A-Za-z0-9_] becomes `_`, and one `_` goes in front
 * for each of: a dash in the name, another such character, a reserved prefix, a leading digit (without dash and
 * prefix). Existing clients query these names: `cf-ray` is `_cf_ray`, `a.b` is `_a_b`, `1x` is `_1x`. Names over 128
 * bytes are cut, and an empty one is `_`. A name that this made stays as it is when its event is imported elsewhere.
 */
export function cleanFieldName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) && !name.startsWith("_")) return name;
  if (name === "") return "_";
  const hasDash = name.includes("-");
  const hasOther = /[^A-Za-z0-9_-]/u.test(name);
  const hasPrefix = reservedPrefix.test(name);
  const hasDigit = /^[0-9]/.test(name) && !hasDash && !hasPrefix;
  const marks = [hasDash, hasOther, hasPrefix, hasDigit].filter(Boolean).length;
  const cleaned = "_".repeat(marks) + name.replaceAll(/[^A-Za-z0-9_]/gu, "_");
  const isCut = marks === 0 && name.startsWith("_") && name.length === maxBytes + 1;
  return cleaned.length > maxBytes && !isCut ? `_${cleaned.slice(0, maxBytes)}` : cleaned;
}
