/** Hints at GoogleSQL's form of other databases' constructs, by the last tokens up to the one that is wrong. */

const LAST_TOKENS: readonly (readonly [RegExp, string])[] = [
  [/\bILIKE\b/, "LOWER(x) LIKE '...'"],
  [/\b(?:RLIKE|REGEXP|SIMILAR|GLOB)\b| ~$/, "REGEXP_CONTAINS(x, r'...')"],
  [/ %$| MOD \S+$/, "MOD(x, y)"],
  [/ DIV \S+$/, "DIV(x, y)"],
  [/\* \*$/, "POW(x, y)"],
  [/= =$/, "= alone"],
  [/ ->$/, "x.field or x['field'] for JSON, and JSON_VALUE(x, '$.field') for its text"],
  [/^\[ .* :$/, "ARRAY(SELECT x FROM UNNEST(array) AS x WITH OFFSET AS i WHERE i < 5 ORDER BY i)"],
  [/(?:\D|^) [$:]$/, "named parameters as @name"],
  [/\bTOP \d+$|\bFETCH$/, "LIMIT count at the end"],
  [/\bOFFSET \d+$|^LIMIT \S+ ,$/, "LIMIT count OFFSET number"],
  [/^LIMIT \S+ BY$|\bDISTINCT ON$/, "QUALIFY ROW_NUMBER() OVER (PARTITION BY x ORDER BY y) = 1"],
  [/\bFILTER \($/, "COUNTIF(condition), or IF(condition, x, NULL) as an argument"],
  [/\bWITHIN$/, "PERCENTILE_CONT(x, 0.5) OVER (), or APPROX_QUANTILES(x, 100)[OFFSET(50)]"],
  [/\bPREWHERE \S+$/, "WHERE"],
  [/\bMINUS SELECT$/, "EXCEPT DISTINCT"],
  [/\bVALUES$/, "FROM UNNEST([STRUCT(1 AS a, 'x' AS b), (2, 'y')])"],
  [/= (?:ANY|ALL|SOME)$/, "x IN UNNEST(array)"],
  [/\bSELECT UNNEST$/, "UNNEST in FROM"],
  [/^INTERVAL ['"].*['"] \S*$/, "INTERVAL 1 HOUR, with the part behind the number"],
  [/(?:\bAS|\bFROM|\bJOIN|\.) ['"]/, "names in backquotes: `name`"],
];

/** The end of the message at the last of the tokens; empty where no other database's construct is recognised. */
export function hintAt(tokens: readonly string[]): string {
  const text = tokens.join(" ").toUpperCase();
  const instead = LAST_TOKENS.find(([pattern]) => pattern.test(text))?.[1];
  return instead === undefined ? "" : `; GoogleSQL has ${instead}`;
}
