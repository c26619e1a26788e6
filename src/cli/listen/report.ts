import type { Output } from "../terminal/output.ts";
import type { AttemptReport } from "./forwarder.ts";

const STYLES = { delivered: "green", retry: "yellow", failed: "red" } as const;

/** Prints one attempt: a line of JSON, or on a terminal time, method, event, status and milliseconds. */
export async function attemptLine(output: Output, report: AttemptReport): Promise<void> {
  await output.value(report, () => {
    const { seq, event, attempt, status, error, ms, state, repeat } = report;
    const result = output.paint(STYLES[state], String(status ?? error ?? ""));
    const notes = [
      ...(attempt > 1 || state === "retry" ? [`attempt ${attempt}`] : []),
      ...(state === "failed" ? ["given up"] : []),
      ...(repeat ? ["sent again"] : []),
    ];
    const time = new Date().toTimeString().slice(0, 8);
    const rest = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
    return [`${output.paint("dim", time)} POST ${event} ${result} ${ms} ms, event ${seq}${rest}`];
  });
}
