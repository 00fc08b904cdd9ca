import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
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
      {action !== undefined && (
        <button type="submit" class="button primary">
          {action}
        </button>
      )}
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
  readonly onInput: (text: string) => void;
}

/** A text of a form under its label. */
export function TextField({ label, isCount = false, isRequired, isSecret, lines, ...props }: TextFieldProps) {
  const { placeholder, maxLength, value, onInput } = props;
  const id = useId();
  const shared = {
    id,
    class: "input",
    required: isRequired,
    placeholder,
    maxLength,
    value,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onInput(event.currentTarget.value),
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

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  /** Values, or values with the words for them. */
  readonly options: readonly (string | readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

/** A choice of a form under its label. */
export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const id = useId();
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <select id={id} class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
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
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A yes or no of a form. */
export function CheckField({ label, isChecked, onChange }: CheckFieldProps) {
  return (
    <label class="row">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
