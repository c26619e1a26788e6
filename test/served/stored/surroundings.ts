import { createServer, type Server as HttpServer } from "node:http";
import { SmtpPeer, type Plan } from "../../transport/smtp-peer.ts";
import { DohServer } from "../doh-server.ts";

/**
 * Vectors are those of a model at a URL: at another one, all mail would be embedded anew. Below the ports that a system
 * gives out.
 */
const MODEL_PORT = 18_026;
/** Words of one line mean the same to the model. */
const MEANINGS = [
  ["garden", "tomatoes", "seeds"],
  ["invoice", "order", "payment"],
  ["flight", "train", "ticket"],
];

/** What a deployment talks to: a relay, a resolver and a model for the search by meaning, all on this machine. */
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
    // Where the system can, tests that run at the same time share the port: their models are one and the same.
    const place = { port: MODEL_PORT, host: "127.0.0.1", reusePort: process.platform === "linux" };
    await new Promise<void>((listening, failed) => {
      model.once("error", failed);
      model.listen(place, listening);
    });
    return new Surroundings(await SmtpPeer.start(), await DohServer.start(), model);
  }

  /** The settings that lead a server to them; without `relay` nothing leaves it. */
  env({ relay = true } = {}): Record<string, string> {
    return {
      ...(relay ? { SMTP_URL: this.relay.url() } : {}),
      DOH_URL: this.doh.url,
      EMBEDDINGS_URL: `http://127.0.0.1:${MODEL_PORT}/v1`,
    };
  }

  /** What the relay does from now on. */
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
