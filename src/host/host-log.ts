import { logLine, type LogEvent, type LogLevel, type LogMembers } from "../contract/log.ts";
import type { SmtpObserver } from "./smtp/observer.ts";

/** The beginning of a line that the worker has written as JSON itself. */
const JSON_LINE = '{"time":"';
const WARNING = "Warning: ";

/** The log of `npm start`: lines for people, or one JSON object a line. */
export class HostLog {
  readonly #write: (line: string) => void;
  /** `text` until the settings are read. */
  format: "text" | "json" = "text";

  /** @param write writes one line, without its end. */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Writes a line of this process. */
  say(line: string): void {
    if (this.format === "text") return this.#write(line);
    const isWarning = line.startsWith(WARNING);
    const message = isWarning ? line.slice(WARNING.length) : line;
    this.#write(logLine(isWarning ? "warning" : "info", isWarning ? "warning" : "notice", { message }));
  }

  /** Writes a line of the worker or its runtime: an error, or what the worker has written as JSON. */
  pass(line: string): void {
    if (this.format === "text" || line.startsWith(JSON_LINE)) return this.#write(line);
    this.#write(logLine("error", "fault", { message: line }));
  }

  /** Writes an event as JSON; nothing in a log for people. */
  note(level: LogLevel, event: LogEvent, members: LogMembers): void {
    if (this.format === "json") this.#write(logLine(level, event, members));
  }

  /** Logs messages and refusals of the SMTP listener. */
  observeSmtp(): Pick<SmtpObserver, "refused" | "answered"> {
    return {
      refused: (code) => this.note("info", "smtp_refused", { code }),
      answered: ({ status, durationMs, recipients, bytes, ids }) =>
        this.note("info", "smtp_message", {
          status,
          duration_ms: Math.round(durationMs),
          recipients,
          bytes,
          message_ids: ids,
        }),
    };
  }
}
