import { EmailMessage } from "cloudflare:email";
import { connect } from "cloudflare:sockets";
import { DurableObject } from "cloudflare:workers";
import * as z from "zod";
import { CloudflareTransport } from "../../../src/outbound/cloudflare.ts";
import type { SendRaw } from "../../../src/outbound/cloudflare.ts";
import type { Connect } from "../../../src/outbound/relay-socket.ts";
import { SmtpTransport } from "../../../src/outbound/smtp.ts";
import { smtpSettings } from "../../../src/outbound/smtp-settings.ts";
import type { Transport } from "../../../src/outbound/transport.ts";
import { WorkerMailerTransport } from "../../../src/outbound/worker-mailer.ts";
import { carry } from "./carry.ts";
import type { Order, Sent, TransportChoice } from "./order.ts";

interface Env {
  SENDER: DurableObjectNamespace<Sender>;
  /** The test itself, for what it decides in the middle of a message. */
  TEST: Fetcher;
  EMAIL: SendEmail;
  /** A network, as `npm start` gives the service one beside the way of its webhooks. */
  NETWORK: Fetcher;
}

/** Sends what tests order from within an actor, as a mailbox does. */
export class Sender extends DurableObject<Env> {
  readonly #transports = new Map<string, Transport>();

  override async fetch(request: Request): Promise<Response> {
    const order: Order = await request.json();
    const transport = this.#transport(order.transport);
    const sent: Sent[] = [];
    if (order.parallel)
      sent.push(
        ...(await Promise.all(order.mails.map((mail) => carry(transport, mail, () => this.#askLeave())))),
      );
    else for (const mail of order.mails) sent.push(await carry(transport, mail, () => this.#askLeave()));
    return Response.json(sent);
  }

  #transport(choice: TransportChoice): Transport {
    const key = JSON.stringify(choice);
    const known = this.#transports.get(key);
    if (known !== undefined) return known;
    const made = this.#made(choice);
    this.#transports.set(key, made);
    return made;
  }

  #made(choice: TransportChoice): Transport {
    if (choice.kind === "cloudflare") {
      const sendRaw = choice.platform === "test" ? this.#askTest() : this.#useBinding();
      return new CloudflareTransport({ sendRaw, limitMs: choice.limitMs });
    }
    const settings = smtpSettings(choice.url);
    if (!settings.ok) throw new Error(settings.error);
    const { NETWORK } = this.env;
    const dial: Connect = choice.throughBinding
      ? (address, options) => NETWORK.connect(address, options)
      : connect;
    const { limitMs } = choice;
    const options = { settings: settings.value, hello: "mailkeep.test", connect: dial, limitMs };
    return choice.kind === "smtp" ? new SmtpTransport(options) : new WorkerMailerTransport(options);
  }

  #useBinding(): SendRaw {
    return (from, to, raw) => this.env.EMAIL.send(new EmailMessage(from, to, raw));
  }

  #askTest(): SendRaw {
    return async (from, to, raw) => {
      const query = new URLSearchParams({ from, to });
      const body = await new Response(raw).arrayBuffer();
      const answer = await this.env.TEST.fetch(`http://test/send?${query.toString()}`, {
        method: "POST",
        body,
      });
      const said = z.record(z.string(), z.string()).parse(await answer.json());
      if (answer.ok) return { messageId: said.messageId ?? "" };
      throw Object.assign(new Error(said.message), said.code === undefined ? {} : { code: said.code });
    };
  }

  async #askLeave(): Promise<void> {
    const answer = await this.env.TEST.fetch("http://test/before-end");
    if (!answer.ok) throw new Error("not now");
  }
}

export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    // Answers while an actor is busy, as a look at whether the isolate still lives.
    if (pathname === "/ping") return new Response("pong");
    return env.SENDER.getByName(pathname).fetch(request);
  },
} satisfies ExportedHandler<Env>;
