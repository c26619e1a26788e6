import type { z } from "zod";
import type { PolledClaim, StartedClaim } from "../../src/contract/claim.ts";
import { sha256 } from "../../test/served/stored/reads.ts";
import { numbered } from "./mails.ts";
import { beginUpload } from "./waiting.ts";
import { create, must, receive, remember, until, type Stage } from "./stage.ts";

/** So many mails that the copy is not complete before the server is killed. */
const MAILS = 60;
/** Mails that are copied when the server is killed. */
const TAKEN = 3;

type Polled = z.infer<typeof PolledClaim>;

/** A mailbox that was claimed, one whose claim nobody decided, one that was erased, and an operator who signed out. */
export async function fillClaims(stage: Stage): Promise<void> {
  const { server, known } = stage;
  const claimed = await start(stage, { name: "claimed" });
  await approve(stage, claimed);
  const { mailbox = "", api_key = "" } = await poll(stage, claimed);
  remember(stage, "claimed", { mailbox, api_key });
  const { session_id, name } = await start(stage, { name: "undecided" });
  known.pending_claim = { session_id, name };
  const erased = await create(stage, "erased");
  await must(stage, erased.api_key, "DELETE /v1/mailbox");
  known.erased = { name: "erased", at: new Date().toISOString() };
  await eraseWhileUploading(stage);
  known.ended_cookie = await signInAndOut(server.url, server.token);
}

/** A temporary mailbox, whose address is never given out again, that ends while a file arrives. */
async function eraseWhileUploading(stage: Stage): Promise<void> {
  const brief = await stage.server.service.bootstrap();
  await beginUpload(stage, brief);
  await must(stage, brief.api_key, "DELETE /v1/mailbox");
}

const SECRET = { label: "Brand", secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };

/** A temporary mailbox with mail, an expectation, and a secret of which a code was handed out. */
export async function fillTemporary(stage: Stage): Promise<void> {
  const { server, known } = stage;
  const temporary = await server.service.bootstrap();
  remember(stage, "temporary", temporary);
  await must(stage, temporary.api_key, "POST /v1/expect", { from_domain: "brand.example" });
  const { id } = await must<{ id: string }>(stage, temporary.api_key, "POST /v1/totp", SECRET);
  await must(stage, temporary.api_key, `GET /v1/totp/${id}/code`);
  const digests: string[] = [];
  for (let number = 1; number <= MAILS; number += 1) {
    const raw = numbered(number);
    await receive(stage, temporary.mailbox, raw);
    digests.push(sha256(raw));
  }
  known.take_over = { raw_sha256: digests, taken: 0 };
}

/** Starts to take over the temporary mailbox; resolves when a part of its mail is copied. */
export async function beginTakeOver(stage: Stage): Promise<void> {
  const claim = await start(stage, { name: "heir", keep_mail: true }, stage.known.keys?.temporary);
  await approve(stage, claim);
  const { mailbox = "", api_key = "" } = await poll(stage, claim);
  remember(stage, "heir", { mailbox, api_key });
  await until("a part of the mail", async () => {
    const { kept_mail } = await poll(stage, claim);
    return (kept_mail?.messages ?? 0) >= TAKEN;
  });
}

async function start({ server }: Stage, json: object, key?: string): Promise<z.infer<typeof StartedClaim>> {
  const path = "/v1/claim/start";
  const { status, body } = await server.service.ask<z.infer<typeof StartedClaim>>(path, { key, json });
  if (status !== 201) throw new Error(`The claim was refused: ${JSON.stringify(body)}`);
  return body;
}

async function approve({ server }: Stage, { device_code }: { device_code: string }): Promise<void> {
  const answer = await server.service.ask("/v1/claim/confirm", {
    json: { device_code, decision: "approve" },
    headers: { Origin: server.url },
  });
  if (answer.status !== 200) throw new Error(`The claim was not approved: ${JSON.stringify(answer.body)}`);
}

async function poll({ server }: Stage, { session_id }: { session_id: string }): Promise<Polled> {
  return (await server.service.ask<Polled>(`/v1/claim/poll?session=${session_id}`)).body;
}

async function signInAndOut(url: string, key: string): Promise<string> {
  const at = `${url}/operator/session`;
  const headers = { "Content-Type": "application/json", Origin: url };
  const signedIn = await fetch(at, { method: "POST", headers, body: JSON.stringify({ key }) });
  const cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const { token } = (await signedIn.json()) as { token: string };
  const session = { Cookie: cookie, "Mailkeep-Session": token };
  const signedOut = await fetch(at, { method: "DELETE", headers: { ...headers, ...session } });
  if (cookie === "" || !signedOut.ok) throw new Error("The operator could not sign in and out");
  return cookie;
}
