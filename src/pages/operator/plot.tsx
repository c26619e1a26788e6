import type { Line } from "./figures-data.ts";

/** The size of the drawing in SVG units. It scales to the width of its place. */
const WIDTH = 600;
const HEIGHT = 120;
/** The part of a step that its bar takes. */
const BAR = 0.8;

/** A plot, and how its numbers are written. */
export interface Plotted {
  title: string;
  /** A sentence with the most important number, which is shown and is read by screen readers. */
  summary: string;
  lines: readonly Line[];
  /** The lines, as stacked bars or as bars one behind the other; the larger line is last. */
  isStacked: boolean;
  /** The name of each step, such as `14:05`. */
  stepNames: readonly string[];
  text: (value: number) => string;
}

/** A small plot of bars, with its numbers as a table below. It has no script and no style of its own. */
export function Plot(plotted: Plotted) {
  const { title, summary, lines, stepNames, text } = plotted;
  const top = highest(plotted);
  return (
    <figure class="plot card">
      <figcaption>
        <h3>{title}</h3>
        <p>{summary}</p>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${summary}`}>
        <line class="axis" x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
        {bars(plotted, top).map(({ x, y, height, line }) => (
          <rect
            class={`bar-${line}`}
            x={round(x)}
            y={round(y)}
            width={round((WIDTH / stepNames.length) * BAR)}
            height={round(height)}
          />
        ))}
      </svg>
      <p class="ends small muted">
        <span>{stepNames[0]}</span>
        <span>highest: {text(top)}</span>
        <span>{stepNames.at(-1)}</span>
      </p>
      {lines.length === 1 ? null : (
        <ul class="legend small">
          {lines.map(({ name }, line) => (
            <li>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class={`bar-${line}`} width="10" height="10" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <Numbers {...plotted} />
    </figure>
  );
}

/** The steps with a value, the newest first. */
function Numbers({ title, lines, stepNames, text }: Plotted) {
  const rows = stepNames
    .map((name, step) => ({ name, values: lines.map(({ values }) => values[step] ?? 0) }))
    .filter(({ values }) => values.some((value) => value > 0))
    .toReversed();
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Numbers</summary>
      <table>
        <caption class="sr">{title}</caption>
        <thead>
          <tr>
            <th scope="col">UTC</th>
            {lines.map(({ name }) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values }) => (
            <tr>
              <th scope="row">{name}</th>
              {values.map((value) => (
                <td>{text(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

interface Bar {
  x: number;
  y: number;
  height: number;
  line: number;
}

function bars({ lines, isStacked, stepNames }: Plotted, top: number): Bar[] {
  if (top === 0) return [];
  const width = WIDTH / stepNames.length;
  return stepNames.flatMap((_, step) => {
    let below = 0;
    const stack = lines.map(({ values }, line) => {
      const height = ((values[step] ?? 0) / top) * HEIGHT;
      const bar = { x: step * width, y: HEIGHT - below - height, height, line };
      if (isStacked) below += height;
      return bar;
    });
    // Later drawings cover earlier ones, so the larger line is drawn first.
    return (isStacked ? stack : stack.toReversed()).filter(({ height }) => height > 0);
  });
}

function highest({ lines, isStacked, stepNames }: Plotted): number {
  const heights = stepNames.map((_, step) => {
    const values = lines.map((line) => line.values[step] ?? 0);
    return isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  return Math.max(0, ...heights);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
