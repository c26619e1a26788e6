import type { Stats } from "../../src/contract/mailbox.ts";
import type { EmailSummary, Email, ThreadSummary } from "../../src/contract/message.ts";
import type { Service } from "../../test/served/client.ts";
import { inParallel } from "../../test/served/client.ts";
import { readAnswer, type Read } from "../../test/served/stored/reads.ts";
import { must, until, type Stage } from "./stage.ts";

type Asked = Omit<Read, "answer">;

const AT_ONCE = 8;
/** Lists are read in pages, so that cursors are used. */
const PAGE = 7;
const SEARCHES = ["garden", "counts.bin", "Grüße", "from:shop.example", "label:todo", '"verification code"'];

/** The reads of a mailbox's owner. */
export async function readMailbox(stage: Stage, as: string): Promise<Read[]> {
  const { service } = stage.server;
  const key = stage.known.keys?.[as] ?? "";
  await until("every mail embedded", async () => {
    const { embeddings } = await must<Stats>(stage, key, "GET /v1/stats");
    return embeddings?.pending === 0;
  });
  const emails = await service.inbox(key);
  const hidden = await service.search(key, "label:report");
  const threads = await service.threads(key);
  const alone = [
    "/v1/mailbox",
    "/v1/mailbox/routes",
    "/v1/keys",
    "/v1/stats",
    "/v1/domains",
    "/v1/suppressions?limit=100",
    "/v1/changes?after=0&limit=5",
    "/v1/changes?after=5&limit=100",
    "/v1/inbox?direction=inbound&has_attachments=true&limit=100",
    "/v1/search?mode=semantic&limit=5&q=tomatoes",
    ...(as === "reader" ? ["/v1/code?timeout=1", "/v1/code?timeout=1&kind=link"] : []),
    ...SEARCHES.map((words) => `/v1/search?mode=keyword&limit=100&q=${encodeURIComponent(words)}`),
    ...threads.map(({ thread_id }: ThreadSummary) => `/v1/threads/${thread_id}`),
    ...(await ofEmails(service, key, [...emails, ...hidden])),
  ];
  const lists: [string, string][] = [
    [`/v1/inbox?limit=${PAGE}`, "emails"],
    [`/v1/threads?limit=${PAGE}`, "threads"],
    [`/v1/webhook/deliveries?limit=${PAGE}`, "deliveries"],
  ];
  return record(stage, [
    ...alone.map((path) => ({ as, path })),
    ...lists.map(([path, rows]) => ({ as, path, rows })),
    ...extractions(as, emails),
  ]);
}

function extractions(as: string, emails: readonly EmailSummary[]): Asked[] {
  const order = emails.find(({ subject }) => subject.startsWith("Your order"));
  if (order === undefined) return [];
  return [{ as, path: "/v1/extract", json: { email_id: order.id, type: "order" } }];
}

async function ofEmails(service: Service, key: string, emails: readonly EmailSummary[]): Promise<string[]> {
  const read = await inParallel(emails, AT_ONCE, ({ id }) => service.email(key, id));
  return read.flatMap(({ id, attachments }: Email) => [
    `/v1/emails/${id}`,
    `/v1/emails/${id}/raw`,
    ...attachments.map((one) => `/v1/attachments/${one.id}`),
  ]);
}

/** The reads of the operator. */
export async function readDeployment(stage: Stage): Promise<Read[]> {
  const as = "operator";
  const addresses = Object.entries(stage.known.mailboxes ?? {})
    .filter(([name]) => !["erased", "temporary", "heir"].includes(name))
    .map(([, address]) => `/v1/mailboxes/${address}`);
  const lists = ["/v1/mailboxes?limit=2", "/v1/mailboxes?limit=2&status=paused"];
  const reads = await record(stage, [
    ...addresses.map((path) => ({ as, path })),
    ...lists.map((path) => ({ as, path, rows: "mailboxes", grows: "mailbox" })),
  ]);
  // Temporary mailboxes expire, so they are not recorded.
  const isTemporary = (row: unknown) => (row as { kind: string }).kind === "temporary";
  return reads.map((read) =>
    Array.isArray(read.answer) ? { ...read, answer: read.answer.filter((row) => !isTemporary(row)) } : read,
  );
}

/** Records the answers; rejects if one is not a success. */
async function record(stage: Stage, asked: readonly Asked[]): Promise<Read[]> {
  const { service, token } = stage.server;
  return inParallel(asked, AT_ONCE, async (one) => {
    const key = one.as === "operator" ? token : (stage.known.keys?.[one.as] ?? "");
    return { ...one, answer: await readAnswer(service, key, one) };
  });
}
