import type { Child, JSX } from "hono/jsx";

interface FieldProps {
  id: string;
  label: string;
  /** Says what to enter, below the field. */
  hint?: Child;
  /** Why the input was refused; "" keeps the place for a script. */
  error?: Child;
  /** The attributes of the input. */
  input: JSX.IntrinsicElements["input"];
  /** A button beside the input. */
  beside?: Child;
}

/** A field with its label, its hint and its error, which belong to it for screen readers too. */
export function Field({ id, label, hint, error, input, beside }: FieldProps) {
  const isWrong = error !== undefined && error !== "";
  const described = [error === undefined ? [] : `${id}-error`, hint === undefined ? [] : `${id}-hint`].flat();
  const control = (
    <input
      id={id}
      aria-describedby={described.length === 0 ? undefined : described.join(" ")}
      aria-invalid={isWrong ? "true" : undefined}
      {...input}
    />
  );
  return (
    <div class={isWrong ? "field wrong" : "field"}>
      <label for={id}>{label}</label>
      {beside === undefined ? control : <div class="inline">{[control, beside]}</div>}
      {error !== undefined && (
        <span class="error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
