import type { FaultOptions, SmtpFault } from "./api.ts";
import { Reply } from "../host/smtp/reply.ts";
import type { SmtpHandlers } from "../host/smtp/sessions.ts";

/** Where in an SMTP conversation a fault strikes. */
type Step = "connect" | "recipient" | "data";

const STEPS: Readonly<Record<SmtpFault, Step>> = {
  busy: "connect",
  defer: "recipient",
  refuse: "recipient",
  "defer-data": "data",
  "refuse-data": "data",
  "drop-before-data": "data",
  "drop-after-data": "data",
  silent: "data",
};

/** The faults that an SMTP server has been ordered to make. */
export class SmtpFaults {
  #ordered: { fault: SmtpFault; left: number }[] = [];

  /** Orders a fault. Faults of one step strike in the order in which they were ordered. */
  order(fault: SmtpFault, { times = 1 }: FaultOptions = {}): void {
    if (!Object.hasOwn(STEPS, fault)) {
      throw new RangeError(`${JSON.stringify(fault)} is no fault: use ${Object.keys(STEPS).join(", ")}`);
    }
    if (!(times > 0)) throw new RangeError("times: must be 1 or more");
    this.#ordered.push({ fault, left: times });
  }

  /** Whether a fault has not struck yet. */
  get isPending(): boolean {
    return this.#ordered.length > 0;
  }

  clear(): void {
    this.#ordered = [];
  }

  /** The handlers of a server, with the faults in front of them. `drop` ends the connection of a session. */
  before(handlers: SmtpHandlers, drop: (session: string) => void): SmtpHandlers {
    return {
      ...handlers,
      onConnect: (session, callback) => {
        if (this.#take("connect") === null) return handlers.onConnect(session, callback);
        callback(new Reply(421, "Too busy, try again later"));
      },
      onRcptTo: (address, session, callback) => {
        const fault = this.#take("recipient");
        if (fault === null) return handlers.onRcptTo(address, session, callback);
        callback(RECIPIENT_REPLIES[fault === "defer" ? "defer" : "refuse"]());
      },
      onData: (stream, session, callback) => {
        const fault = this.#take("data");
        if (fault === null) return handlers.onData(stream, session, callback);
        if (fault === "drop-before-data") return drop(session.id);
        if (fault === "drop-after-data") {
          return handlers.onData(stream, session, () => drop(session.id));
        }
        stream.on("end", () => {
          if (fault === "defer-data") callback(new Reply("451 4.3.0", "Not now, try again later"));
          if (fault === "refuse-data") callback(new Reply("554 5.6.0", "This message is not accepted"));
        });
        stream.resume();
      },
    };
  }

  /** The next fault of a step; null for none. */
  #take(step: Step): SmtpFault | null {
    const next = this.#ordered.find(({ fault }) => STEPS[fault] === step);
    if (next === undefined) return null;
    next.left -= 1;
    this.#ordered = this.#ordered.filter(({ left }) => left > 0);
    return next.fault;
  }
}

const RECIPIENT_REPLIES = {
  defer: () => new Reply("451 4.7.1", "Greylisted, try again later"),
  refuse: () => new Reply("550 5.1.1", "No such user here"),
} as const;
