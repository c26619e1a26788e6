/** Kinds of lines of a JSON log, with their meaning. */
export const LOG_EVENTS = {
  request: "A request over HTTP was answered.",
  smtp_message: "A message that came by SMTP was answered.",
  smtp_refused: "The SMTP listener refused a connection or a recipient.",
  notice: "The server says something, such as that it stops.",
  warning: "A setting or a resource of the machine needs attention.",
  fault: "An error of the service, its store or its runtime, in words.",
} as const;
export type LogEvent = keyof typeof LOG_EVENTS;

export type LogLevel = "info" | "warning" | "error";

/** Members of a line besides `time`, `level` and `event`; null and empty ones are left out. No member holds an address or a text of a message. */
export interface LogMembers {
  /** `X-Request-Id` of the answer. */
  request_id?: string;
  method?: string;
  /** The path of the route, with the names of parameters. */
  route?: string | null;
  /** Of HTTP or SMTP. */
  status?: number | string;
  /** The code of the refusal, or the reason of the SMTP listener. */
  code?: string | null;
  duration_ms?: number;
  message_ids?: readonly string[];
  recipients?: number;
  bytes?: number;
  /** Words for people. */
  message?: string;
}

/** One line of a JSON log, without its line end. */
export function logLine(level: LogLevel, event: LogEvent, members: LogMembers): string {
  const shown = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.stringify({
    time: new Date().toISOString(),
    level,
    event,
    ...Object.fromEntries(shown),
  });
}
