/** A text to copy. It scrolls by itself, also by keyboard; `label` names it to screen readers. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <pre tabindex={0} aria-label={label}>
      {text}
    </pre>
  );
}
