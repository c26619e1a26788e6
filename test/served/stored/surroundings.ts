import { createServer, type Server as HttpServer } from "node:http";
import { SmtpPeer, type Plan } from "../../transport/smtp-peer.ts";
import { DohServer } from "../doh-server.ts";

/**
 * Port of the model, below the ephemeral ports. It is fixed, because vectors belong to the URL of a model: with another one,
 * all mail would be embedded again.
 */
const MODEL_PORT = 18_026;
/** The vocabulary of the model: words of one line have the same meaning. */
const MEANINGS = [
  ["garden", "tomatoes", "seeds"],
  ["invoice", "order", "payment"],
  ["flight", "train", "ticket"],
];

/** The servers that a deployment calls, all on this machine: a relay, a resolver and an embedding model. */
export class Surroundings {
  readonly relay: SmtpPeer;
  readonly doh: DohServer;
  readonly #model: HttpServer;

  private constructor(relay: SmtpPeer, doh: DohServer, model: HttpServer) {
    this.relay = relay;
    this.doh = doh;
    this.#model = model;
  }

  static async start(): Promise<Surroundings> {
    const model = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
        const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ data }));
      });
    });
    // On Linux, tests that run at the same time share the port; their models are equal.
    const place = { port: MODEL_PORT, host: "127.0.0.1", reusePort: process.platform === "linux" };
    await new Promise<void>((listening, failed) => {
      model.once("error", failed);
      model.listen(place, listening);
    });
    return new Surroundings(await SmtpPeer.start(), await DohServer.start(), model);
  }

  /** The settings that make a server use them; without `relay` it sends no mail. */
  env({ relay = true } = {}): Record<string, string> {
    return {
      ...(relay ? { SMTP_URL: this.relay.url() } : {}),
      DOH_URL: this.doh.url,
      EMBEDDINGS_URL: `http://127.0.0.1:${MODEL_PORT}/v1`,
    };
  }

  /** Sets the behaviour of the relay. */
  relayWill({ greeting, on, end, data }: Plan): void {
    Object.assign(this.relay.plan, { greeting, on, end, data });
  }

  stop(): void {
    this.relay.stop();
    this.doh.stop();
    this.#model.closeAllConnections();
    this.#model.close();
  }
}

function vectorOf(text: string): number[] {
  const lower = text.toLowerCase();
  return [...MEANINGS.map((words) => words.filter((word) => lower.includes(word)).length), 0.1];
}
