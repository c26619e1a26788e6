import type { Child } from "hono/jsx";

/** A column of a table. */
export interface Column {
  name: string;
  /** Numbers stand at the end of their column, so that they can be compared. */
  isNumber?: boolean;
  /** The link that sorts by this column. */
  href?: string;
  /** How the rows are sorted by this column now. */
  sorted?: "ascending" | "descending";
}

interface ThingsProps {
  /** Names the table to screen readers. */
  label: string;
  columns: readonly (Column | string)[];
  /** Cells by rows; the first cell names its row. */
  rows: readonly (readonly Child[])[];
}

/**
 * A table whose rows are things. On a telephone each row is a card, in which the names of the columns stand before the
 * values.
 */
export function Things({ label, columns, rows }: ThingsProps) {
  const all = columns.map((column): Column => (typeof column === "string" ? { name: column } : column));
  const numbers = all.map(({ isNumber }) => (isNumber === true ? "num" : undefined));
  return (
    <table class="things">
      <caption class="sr">{label}</caption>
      <thead>
        <tr>
          {all.map(({ name, href, sorted }, at) => (
            <th scope="col" class={numbers[at]} aria-sort={sorted}>
              {href === undefined ? name : <a href={href}>{name}</a>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([head, ...cells]) => (
          <tr>
            <th scope="row">{head}</th>
            {cells.map((cell, at) => (
              <td data-name={all[at + 1]?.name} class={numbers[at + 1]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
