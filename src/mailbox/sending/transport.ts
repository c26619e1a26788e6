import { EmailMessage } from "cloudflare:email";
import { connect } from "cloudflare:sockets";
import type { Config, OperatorBindings } from "../../config/env.ts";
import { CloudflareTransport } from "../../outbound/cloudflare.ts";
import type { Connect } from "../../outbound/relay-socket.ts";
import { SmtpTransport } from "../../outbound/smtp.ts";
import type { Transport } from "../../outbound/transport.ts";
import { WorkerMailerTransport } from "../../outbound/worker-mailer.ts";

/** Bindings that a deployment may have. */
export interface TransportBindings extends OperatorBindings {
  /** The platform's sending service. */
  EMAIL?: SendEmail;
}

/** The transport that carries mail out of the deployment, as it is configured; null where none is. */
export function transportOf(env: TransportBindings, config: Config): Transport | null {
  const { outbound, smtp, mailDomain } = config;
  if (outbound === "cloudflare") {
    const { EMAIL } = env;
    if (EMAIL === undefined) return null;
    return new CloudflareTransport({
      sendRaw: (from, to, raw) => EMAIL.send(new EmailMessage(from, to, raw)),
    });
  }
  if (smtp === null || outbound === "local" || outbound === "none") return null;
  const options = { settings: smtp, hello: mailDomain, connect: dialOf(env) };
  return outbound === "smtp" ? new SmtpTransport(options) : new WorkerMailerTransport(options);
}

function dialOf({ OPERATOR_NETWORK }: TransportBindings): Connect {
  return OPERATOR_NETWORK === undefined
    ? connect
    : (address, options) => OPERATOR_NETWORK.connect(address, options);
}
