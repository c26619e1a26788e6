import type { Child } from "hono/jsx";

interface Column {
  name: string;
  /** Numbers stand at the end of their column. */
  isNumber?: boolean;
  /** The link that sorts by this column. */
  href?: string;
  /** How the rows are sorted by this column now. */
  sorted?: "ascending" | "descending";
}

interface ThingsProps {
  /** Names the table to screen readers. */
  label: string;
  columns: readonly Column[];
  /** Cells by rows; the first cell names its row. */
  rows: readonly (readonly Child[])[];
}

/** A table whose rows are things. It scrolls by itself where it is wider than the page. */
export function Things({ label, columns, rows }: ThingsProps) {
  const numbers = columns.map(({ isNumber }) => (isNumber === true ? "num" : undefined));
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={label}>
      <table class="things">
        <thead>
          <tr>
            {columns.map(({ name, href, sorted }, at) => (
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
                <td class={numbers[at + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
