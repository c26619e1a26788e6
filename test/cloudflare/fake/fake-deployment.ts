// A deployment as `up` tries it out at its end: a mailbox is made, gets a mail, gives its code, and is erased.

import { PRODUCT, VERSION } from "../../../src/contract/product.ts";

/** Answers the calls of the round trip. The real service answers them in test/served. */
export class FakeDeployment {
  readonly host: string;
  readonly #domain: string;
  /** Codes by address. */
  readonly #codes = new Map<string, string>();
  readonly #keys = new Map<string, string>();
  /** The key of the operator; it is looked up at each call, because it is set late. */
  readonly #operatorKey: () => string | undefined;
  #made = 0;
  /** The answer to a bootstrap. */
  bootstrapStatus = 201;
  version = VERSION;

  constructor(host: string, domain: string, operatorKey: () => string | undefined) {
    this.host = host;
    this.#domain = domain;
    this.#operatorKey = operatorKey;
  }

  /** Mailboxes that were made and not erased. */
  get mailboxes(): string[] {
    return [...this.#keys.values()];
  }

  /** A message that Email Routing brings. */
  receive(to: string, raw: string): void {
    const code = /code is (\d+)/.exec(raw)?.[1];
    if (code !== undefined) this.#codes.set(to, code);
  }

  async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const key = (request.headers.get("Authorization") ?? "").replace(/^Bearer /, "");
    switch (`${request.method} ${pathname}`) {
      case "GET /health":
        return Response.json({ status: "ok", worker: PRODUCT, version: this.version });
      case "POST /v1/bootstrap":
        return this.#bootstrap();
      case "POST /v1/inbound":
        if (key !== this.#operatorKey()) return Response.json({ error: "Unauthorized" }, { status: 401 });
        this.receive(searchParams.get("to") ?? "", await request.text());
        return Response.json({ id: "1", duplicate: false }, { status: 202 });
      case "GET /v1/code":
        return this.#code(key);
      case "DELETE /v1/mailbox":
        this.#keys.delete(key);
        return Response.json({ ok: true });
      default:
        return Response.json({ error: "Not found" }, { status: 404 });
    }
  }

  #bootstrap(): Response {
    if (this.bootstrapStatus !== 201) {
      return Response.json({ error: "No mailbox" }, { status: this.bootstrapStatus });
    }
    this.#made += 1;
    const mailbox = `tmp-${this.#made}@${this.#domain}`;
    const key = `mk_${String(this.#made).padStart(32, "0")}`;
    this.#keys.set(key, mailbox);
    return Response.json({ mailbox, api_key: key }, { status: 201 });
  }

  #code(key: string): Response {
    const address = this.#keys.get(key) ?? "";
    const code = this.#codes.get(address);
    this.#codes.delete(address);
    return Response.json(code === undefined ? { code: null } : { code, id: "1" });
  }
}
