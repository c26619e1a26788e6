import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { dropConnection } from "../host/smtp/listener.ts";
import { Reply } from "../host/smtp/reply.ts";
import type { SmtpHandlers } from "../host/smtp/sessions.ts";
import type { SentMail } from "./api.ts";
import type { SmtpFaults } from "./smtp-faults.ts";

/** Holds the largest message that a mailbox can send. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The mail server that receives what mailboxes send to other domains. */
export interface Outside {
  port: number;
  /** Messages it has stored, the oldest first. */
  readonly received: SentMail[];
  stop(): Promise<void>;
}

/** Starts it on a free port of this machine. It accepts every recipient, except where a fault strikes. */
export function startOutside(faults: SmtpFaults): Promise<Outside> {
  const received: SentMail[] = [];
  const handlers = faults.before(storing(received), (id) => dropConnection(server, id));
  const server = new SMTPServer({
    logger: false,
    size: MAX_BYTES,
    authOptional: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    disabledCommands: ["AUTH", "STARTTLS"],
    ...handlers,
  });
  server.on("error", () => {});
  return new Promise((resolve) => {
    const listener = server.listen(0, "127.0.0.1", () => {
      const { port } = listener.address() as AddressInfo;
      resolve({ port, received, stop: () => stop(server) });
    });
  });
}

function storing(received: SentMail[]): SmtpHandlers {
  return {
    onConnect: (_session, callback) => callback(),
    onMailFrom: (_address, _session, callback) => callback(),
    onRcptTo: (_address, _session, callback) => callback(),
    onData: (stream, { envelope }, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        received.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          recipients: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("latin1"),
        });
        callback(new Reply("250 2.0.0", "Ok"));
      });
    },
    onClose: (_session, callback) => callback?.(),
  };
}

function stop(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    // After this time (ms) smtp-server sends 421 to each open connection.
    server.options.closeTimeout = 1;
    server.close(() => resolve());
  });
}
