import { SQLDialect, sql } from "@codemirror/lang-sql";
import { StreamLanguage, type StreamParser } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

const keywords =
  "select from where group by order limit offset having qualify with as and or not in like between is null true false case when then else end join cross inner left right full outer on using unnest union all distinct except intersect asc desc nulls first last cast safe_cast extract interval over partition rows range exists pivot unpivot window struct array date time datetime timestamp extend aggregate set drop rename call";

/** GoogleSQL as far as colours go: what is right, the service says. */
export function sqlLanguage(): Extension {
  const dialect = SQLDialect.define({
    keywords,
    types: "string int64 float64 numeric bignumeric bool bytes date datetime time timestamp json interval",
    identifierQuotes: "`",
    doubleQuotedStrings: true,
    backslashEscapes: true,
    hashComments: true,
  });
  return sql({ dialect, upperCaseKeywords: true });
}

const lql: StreamParser<undefined> = {
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return "string";
    if (stream.match(/^(?:OR)(?=\s|$)/)) return "keyword";
    if (stream.match(/^(?:f|from|s|select|c|chart|t|timestamp)(?=:)/)) return "keyword";
    if (stream.match(/^[A-Za-z0-9_.]+(?=:)/)) return "propertyName";
    if (stream.match(/^:(?:@>~|@>|>=|<=|>|<|~)?|^[-~()]/)) return "operator";
    if (stream.match(/^-?\d+(?:\.\d+)?(?=\s|$|\.\.)/)) return "number";
    if (stream.match(/^(?:NULL|true|false)(?=\s|$)/)) return "null";
    stream.match(/^[^\s":()]+/) || stream.next();
    return null;
  },
};

export function lqlLanguage(): Extension {
  return StreamLanguage.define(lql);
}
