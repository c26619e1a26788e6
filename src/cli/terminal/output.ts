import { Progress, type ProgressStream } from "./progress.ts";
import { safeJson, safeLine, safeText } from "./safe-text.ts";
import { painterOf, type Painter } from "./style.ts";
import { fieldLines, tableLines, type Column } from "./table.ts";

/** A stream that is written to: `process.stdout` and `process.stderr` are such. */
export interface TextStream extends ProgressStream {
  columns?: number;
  write: (text: string | Uint8Array) => boolean;
  once: (event: "drain", listener: () => void) => unknown;
}

/** Where a command prints. */
export interface OutputOptions {
  stdout: TextStream;
  stderr: TextStream;
  env: Readonly<Record<string, string | undefined>>;
  /** `--json`: JSON on a terminal too. */
  json: boolean;
}

/** Columns of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;

/** The output of a command: tables and texts on a terminal, one JSON value a line anywhere else. */
export class Output {
  /** Whether stdout gets JSON lines. */
  readonly isJson: boolean;
  /** Whether JSON was asked for, and is not only what a pipe gets. */
  readonly isJsonAsked: boolean;
  /** Whether stdout is a terminal, which must not get bytes of a stranger. */
  readonly isTerminal: boolean;
  readonly paint: Painter;
  readonly progress: Progress;
  readonly #stdout: TextStream;
  readonly #stderr: TextStream;

  constructor({ stdout, stderr, env, json }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isTerminal = stdout.isTTY === true;
    this.isJsonAsked = json;
    this.isJson = json || !this.isTerminal;
    this.paint = this.isJson ? painterOf(false, {}) : painterOf(true, env);
    this.progress = new Progress(stderr);
  }

  /** Prints a value: on a terminal the lines that `show` makes of it, else JSON. */
  async value<T>(value: T, show: (value: T) => readonly string[]): Promise<void> {
    await (this.isJson ? this.#line(safeJson(value)) : this.lines(show(value)));
  }

  /** Prints named values below each other on a terminal; `value` as JSON elsewhere. */
  fields<T>(value: T, fields: Parameters<typeof fieldLines>[0]): Promise<void> {
    return this.value(value, () => fieldLines(fields, this.paint));
  }

  /** Prints rows as a table, or one JSON value a line as they come. `none` is said on a terminal if there is none. */
  async rows<Row>(
    rows: Iterable<Row> | AsyncIterable<Row>,
    columns: readonly Column<Row>[],
    none: string,
  ): Promise<void> {
    if (this.isJson) {
      for await (const row of rows) await this.#line(safeJson(row));
      return;
    }
    const all: Row[] = [];
    for await (const row of rows) all.push(row);
    if (all.length === 0) return this.note(none);
    const total = this.#stdout.columns || USUAL_COLUMNS;
    await this.lines(tableLines(columns, all, { total, paint: this.paint }));
  }

  /** Prints lines that hold no text of a stranger, or only what was made safe. */
  async lines(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.write(`${lines.join("\n")}\n`);
  }

  /** Prints a text on a line of its own, in a pipe exactly as it is. */
  async text(text: string): Promise<void> {
    await this.#line(this.isTerminal ? safeText(text) : text);
  }

  /** Writes exactly these bytes; resolves when there is room for more. */
  async write(text: string | Uint8Array): Promise<void> {
    this.progress.clear();
    if (this.#stdout.write(text)) return;
    await new Promise<void>((resolve) => void this.#stdout.once("drain", resolve));
  }

  /** A text of a stranger as a part of a line that is printed on a terminal. */
  safe(text: string): string {
    return safeLine(text);
  }

  /** Says something to the person or program that runs the command, on stderr. */
  note(text: string): void {
    this.progress.clear();
    this.#stderr.write(`${safeLine(text)}\n`);
  }

  /** Prints an error and the next step on stderr. */
  error(message: string, next: string | null): void {
    this.note(`error: ${message}`);
    if (next !== null) this.note(`next: ${next}`);
  }

  async #line(text: string): Promise<void> {
    await this.write(`${text}\n`);
  }
}
