import { WrappedCode } from "./code-block.tsx";

/** A text to paste, and where it belongs. */
export interface Paste {
  id: string;
  title: string;
  place: string;
  text: string;
}

/** Texts to paste, of which one is open. `name` tells one group from another on the page. */
export function Pastes({ name, of }: { name: string; of: readonly Paste[] }) {
  return (
    <div class="pastes">
      {of.map(({ id, title, place, text }, index) => (
        <details class="paste" id={id} name={name} open={index === 0}>
          <summary>{title}</summary>
          <p class="label">{place}</p>
          <WrappedCode label={`Example for ${title}`} text={text} />
        </details>
      ))}
    </div>
  );
}
