import type { Child } from "hono/jsx";

/** A text to copy. It scrolls by itself, also by keyboard; `label` names it to screen readers. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <pre tabindex={0} aria-label={label}>
      {text}
    </pre>
  );
}

/** As `CodeBlock`, in lines that end between words where they are too long: a browser would break `--option` behind its hyphens. */
export function WrappedCode({ label, text }: { label: string; text: string }) {
  return (
    <pre class="wrapped" tabindex={0} aria-label={label}>
      {words(text)}
    </pre>
  );
}

/** The text with each word in an element of its own. What is copied stays the same. */
function words(text: string): Child[] {
  return text.split(/(\s+)/).map((part) => (/\S/.test(part) ? <span>{part}</span> : part));
}
