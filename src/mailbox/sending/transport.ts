import { EmailMessage } from "cloudflare:email";
import { connect } from "cloudflare:sockets";
import type { Config, OperatorBindings } from "../../config/env.ts";
import { CloudflareTransport } from "../../outbound/cloudflare.ts";
import type { Connect } from "../../outbound/relay-socket.ts";
import { SmtpTransport } from "../../outbound/smtp.ts";
import type { Transport } from "../../outbound/transport.ts";
import { WorkerMailerTransport } from "../../outbound/worker-mailer.ts";

/** Bindings of the deployment that transports use. */
export interface TransportBindings extends OperatorBindings {
  /** Cloudflare's Email Service; only on Cloudflare. */
  EMAIL?: SendEmail;
}

/** The configured transport, which carries mail out of the deployment; null if none is configured. */
export function transportOf(env: TransportBindings, config: Config): Transport | null {
  const { outbound, smtp, mailDomain } = config;
  const { EMAIL } = env;
  const relay = smtp && { settings: smtp, hello: mailDomain, connect: dialOf(env) };
  switch (outbound) {
    case "smtp":
      return relay && new SmtpTransport(relay);
    case "worker-mailer":
      return relay && new WorkerMailerTransport(relay);
    case "cloudflare":
      return EMAIL === undefined
        ? null
        : new CloudflareTransport({
            sendRaw: (from, to, raw) => EMAIL.send(new EmailMessage(from, to, raw)),
          });
    case "local":
    case "none":
      return null;
  }
}

function dialOf({ OPERATOR_NETWORK }: TransportBindings): Connect {
  return OPERATOR_NETWORK === undefined
    ? connect
    : (address, options) => OPERATOR_NETWORK.connect(address, options);
}
