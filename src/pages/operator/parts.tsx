import type { Child, PropsWithChildren } from "hono/jsx";

/** A column of a table. */
export interface Column {
  name: string;
  /** The link that sorts by it. */
  href?: string;
  sort?: "ascending" | "descending";
  /** Numbers stand at the end of their cells, so that they can be compared. */
  isNumber?: boolean;
}

/**
 * A table of things, whose first cells name them. On a telephone each row is a card, in which the names of the columns stand
 * before the values.
 */
export function Table({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: readonly (Column | string)[];
  rows: readonly (readonly Child[])[];
}) {
  const all = columns.map((column): Column => (typeof column === "string" ? { name: column } : column));
  return (
    <table class="things cards">
      <caption class="sr">{label}</caption>
      <thead>
        <tr>
          {all.map(({ name, href, sort, isNumber }) => (
            <th scope="col" aria-sort={sort} class={isNumber ? "num" : undefined}>
              {href === undefined ? name : <a href={href}>{name}</a>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others]) => (
          <tr>
            <th scope="row">{first}</th>
            {others.map((cell, index) => {
              const { name, isNumber } = all[index + 1] ?? { name: "" };
              return (
                <td data-name={name} class={isNumber ? "num" : undefined}>
                  {cell}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Stands where a list would stand: why there is none, and what to do. */
export function Empty({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Leads to the other pages of a list. */
export function Pager({ first, next }: { first: string | null; next: string | null }) {
  if (first === null && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      {first === null ? (
        <span />
      ) : (
        <a class="button" href={first}>
          First page
        </a>
      )}
      {next === null ? null : (
        <a class="button" rel="next" href={next}>
          Next page
        </a>
      )}
    </nav>
  );
}
