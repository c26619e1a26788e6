import { safeLine } from "./safe-text.ts";
import type { Painter, Style } from "./style.ts";
import { cutTo, padTo, widthOf } from "./width.ts";

/** One column of a table of rows. */
export interface Column<Row> {
  title: string;
  /** The text of a cell; it may be a stranger's. */
  of: (row: Row) => string | number | null | undefined;
  style?: Style;
  /** Takes the room that is left; the others are as wide as their widest cell. */
  flexible?: boolean;
}

const GAP = "  ";
/** The columns that a cell which is not flexible takes at most. */
const MAX_FIXED_COLUMNS = 40;
const MIN_FLEXIBLE_COLUMNS = 12;

interface Sized<Row> extends Column<Row> {
  width: number;
}

function sizesOf<Row>(columns: readonly Column<Row>[], cells: readonly string[][], total: number) {
  const widest = columns.map(({ title }, at) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? "")), widthOf(title)),
  );
  const sized: Sized<Row>[] = columns.map((column, at) => ({
    ...column,
    width: column.flexible === true ? 0 : Math.min(widest[at] ?? 0, MAX_FIXED_COLUMNS),
  }));
  const fixed = sized.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
  const flexible = sized.filter((column) => column.flexible === true);
  const share = Math.floor(Math.max(0, total - fixed) / Math.max(1, flexible.length));
  for (const [at, column] of sized.entries()) {
    if (column.flexible !== true) continue;
    column.width = Math.min(widest[at] ?? 0, Math.max(MIN_FLEXIBLE_COLUMNS, share));
  }
  return sized;
}

/** The lines of a table, `total` columns wide at most as far as its fixed columns allow. Cells are made safe and cut. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { total, paint }: { total: number; paint: Painter },
): string[] {
  const cells = rows.map((row) =>
    columns.map(({ of }) => cutTo(safeLine(String(of(row) ?? "")), Math.max(total, MIN_FLEXIBLE_COLUMNS))),
  );
  const sized = sizesOf(columns, cells, total);
  const line = (texts: readonly string[], styleOf: (column: Column<Row>) => Style | undefined): string =>
    sized
      .map((column, at) => {
        const text = cutTo(texts[at] ?? "", column.width);
        const padded = at === sized.length - 1 ? text : padTo(text, column.width);
        const style = styleOf(column);
        return style === undefined ? padded : paint(style, padded);
      })
      .join(GAP)
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      () => "bold",
    ),
    ...cells.map((texts) => line(texts, ({ style }) => style)),
  ];
}

/** Lines of `name  value`, names aligned; values without one are left out. */
export function fieldLines(
  fields: Readonly<Record<string, string | number | boolean | null | undefined>>,
  paint: Painter,
): string[] {
  const shown = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${paint("dim", padTo(name, width))}${GAP}${safeLine(String(value))}`);
}
