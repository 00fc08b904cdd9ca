import type { Literal, TypeSyntax } from "../../../../src/googlesql/ast.ts";
import { printString } from "../../../../src/googlesql/string-literal.ts";
import { printIdentifier, printPath } from "./name.ts";
import type { PrintRules } from "./rules.ts";

export function printLiteral(literal: Literal): string {
  switch (literal.kind) {
    case "NullLiteral":
      return "NULL";
    case "BoolLiteral":
      return literal.value ? "TRUE" : "FALSE";
    case "IntLiteral":
    case "FloatLiteral":
      return literal.text;
    case "StringLiteral":
      return printString(literal.value);
    case "BytesLiteral":
      return printBytes(literal.value);
    case "MaxLiteral":
      return "MAX";
  }
}

function printBytes(value: Uint8Array): string {
  let text = 'b"';
  for (const byte of value) {
    if (byte === 34 || byte === 92) text += `\\${String.fromCharCode(byte)}`;
    else if (byte >= 32 && byte < 127) text += String.fromCharCode(byte);
    else text += `\\x${byte.toString(16).padStart(2, "0")}`;
  }
  return `${text}"`;
}

export function printType(rules: PrintRules, type: TypeSyntax): string {
  const collation = type.collation === undefined ? "" : ` COLLATE ${rules.expression(type.collation)}`;
  return `${printBareType(rules, type)}${collation}`;
}

function printBareType(rules: PrintRules, type: TypeSyntax): string {
  switch (type.kind) {
    case "ArrayTypeSyntax":
      return `ARRAY<${printType(rules, type.element)}>`;
    case "RangeTypeSyntax":
      return `RANGE<${printType(rules, type.element)}>`;
    case "StructTypeSyntax": {
      const fields = type.fields.map(
        (field) =>
          `${field.name === undefined ? "" : `${printIdentifier(field.name)} `}${printType(rules, field.type)}`,
      );
      return `STRUCT<${fields.join(", ")}>`;
    }
    case "NamedType": {
      const parameters = type.parameters.length === 0 ? "" : `(${type.parameters.map(printLiteral).join(", ")})`;
      return `${printPath(type.name)}${parameters}`;
    }
  }
}
