import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Button } from "./button.tsx";
import { Problems } from "./notices.tsx";

interface FormProps {
  readonly onSubmit: () => unknown;
  /** Why it was not saved. */
  readonly error?: unknown;
  /** The words of its button; it has one of its own unless given. */
  readonly action?: string;
  readonly children: ComponentChildren;
}

/** Fields one below the other, which are sent by Enter and by their button. */
export function Form({ onSubmit, error, action, children }: FormProps) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error !== undefined && <Problems error={error} />}
      {action !== undefined && <Button text={action} type="submit" class="primary" />}
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  /** A whole number from 1 on. */
  readonly isCount?: boolean;
  readonly isRequired?: boolean;
  /** Shown as dots. */
  readonly isSecret?: boolean;
  /** Several lines, if more than one. */
  readonly lines?: number;
  readonly placeholder?: string;
  /** Characters at most. */
  readonly maxLength?: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text of a form under its label. */
export function TextField({ label, isCount = false, isRequired, isSecret, lines, ...props }: TextFieldProps) {
  const { placeholder, maxLength, value, onChange } = props;
  const id = useId();
  const shared = {
    id,
    class: "input",
    required: isRequired,
    placeholder,
    maxLength,
    value,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  };
  return (
    <label class="field grow" for={id}>
      <span>{label}</span>
      {lines === undefined ? (
        <input
          {...shared}
          {...(isSecret === true ? { type: "password" as const } : { type: "text" as const })}
          autocomplete={isSecret === true ? "new-password" : "off"}
          inputMode={isCount ? "numeric" : "text"}
          pattern={isCount ? "[1-9][0-9]*" : undefined}
          title={isCount ? "A whole number from 1 on" : undefined}
        />
      ) : (
        <textarea {...shared} class="input mono" rows={lines} />
      )}
    </label>
  );
}

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** Values, or values with the words for them. */
  readonly options: readonly (Value | readonly [value: Value, label: string])[];
  readonly onChange: (value: Value) => void;
}

/** A choice of a form under its label. */
export function SelectField<Value extends string>({ label, value, options, onChange }: SelectFieldProps<Value>) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <select id={id} class="select" value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map((option) => {
          const [each, words] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={each} value={each}>
              {words}
            </option>
          );
        })}
      </select>
    </label>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A yes or no of a form. */
export function CheckField({ label, value, onChange }: CheckFieldProps) {
  return (
    <label class="row">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** A choice of names without a label to see. */
export function Choice({ label, names, value, onChange }: ChoiceProps) {
  return (
    <select class="select" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
