// Rows of tables in plain text: two blanks or more, or the dots of a bill, stand between their cells.

/** A cell of a line, without the blanks around it; `start` and `end` are its offsets in the line. */
export interface Cell {
  text: string;
  start: number;
  end: number;
}

/** Dots that lead from a name to its price, as on a bill. */
const LEADERS = /(?<=\s)\.{3,}(?=\s)|\.{4,}/g;

/** The cells of a line, in order; one if it is no row of a table. Empty cells are left out. */
export function cellsOf(line: string): Cell[] {
  const spaced = line.replace(LEADERS, (dots) => " ".repeat(dots.length));
  const cells: Cell[] = [];
  let start = 0;
  for (const gap of spaced.matchAll(/(?<!\s)\s{2,}/g)) {
    addCell(cells, line, start, gap.index);
    start = gap.index + gap[0].length;
  }
  addCell(cells, line, start, line.length);
  return cells;
}

function addCell(cells: Cell[], line: string, from: number, to: number): void {
  const text = line.slice(from, to);
  const trimmed = text.trim();
  if (trimmed === "") return;
  const start = from + (text.length - text.trimStart().length);
  cells.push({ text: trimmed, start, end: start + trimmed.length });
}
