import { ButtonLink } from "./button-link.tsx";

/** The ways to the other pages of a list, and which part of it is shown. Null: there is none. */
export function Pager({ shown, first, next }: { shown: string; first: string | null; next: string | null }) {
  return (
    <nav class="pager spread" aria-label="Pages of the list">
      <span class="muted small">{shown}</span>
      <span class="row">
        {first !== null && <ButtonLink href={first}>First page</ButtonLink>}
        {next !== null && (
          <ButtonLink rel="next" href={next}>
            Next page
          </ButtonLink>
        )}
      </span>
    </nav>
  );
}
