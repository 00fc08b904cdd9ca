import { describeChoice, isSet, type Pins, pinOf, valuesOf } from "../access/pins.ts";
import type { ParameterDefinition } from "../endpoints/definition/definition.ts";

/**
 * The parameters that a caller with these pins chooses, as they are for it: without those that its token sets, and
 * required, with the values that it may send, where its token has several.
 */
export function openParameters(parameters: readonly ParameterDefinition[], pins: Pins): readonly ParameterDefinition[] {
  return parameters.flatMap((parameter) => {
    const { name } = parameter;
    const pin = pinOf(pins, name);
    if (pin === undefined) return [parameter];
    if (isSet(pins, name)) return [];
    const values = valuesOf(pin);
    const allowed = values?.filter((value) => parameter.allowed?.includes(value) ?? true) ?? parameter.allowed;
    const { description } = parameter;
    return [
      {
        ...parameter,
        ...{ isRequired: true, default: null, allowed },
        ...(values === undefined
          ? { description: [...(description === undefined ? [] : [description]), describeChoice(name, pin)].join(" ") }
          : {}),
      },
    ];
  });
}
