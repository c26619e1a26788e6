import http from "node:http";
import { Zone } from "../dns-zone.ts";

/** A resolver on this machine that speaks `application/dns-json`. */
export class DohServer {
  readonly zone: Zone;
  readonly #server: http.Server;
  port = 0;

  private constructor(zone: Zone) {
    this.zone = zone;
    this.#server = http.createServer((request, response) => {
      const answer = this.zone.answer(new URL(request.url ?? "/", "http://localhost"));
      response.setHeader("Content-Type", "application/dns-json");
      response.end(JSON.stringify(answer));
    });
  }

  static async start(zone = new Zone()): Promise<DohServer> {
    const doh = new DohServer(zone);
    await new Promise<void>((listening) => doh.#server.listen(0, "127.0.0.1", listening));
    const address = doh.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    doh.port = address.port;
    return doh;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/dns-query`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
