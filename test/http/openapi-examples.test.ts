import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StartedClaim } from "../../src/contract/claim.ts";
import type { Domain } from "../../src/contract/domain.ts";
import type { Email } from "../../src/contract/message.ts";
import { routes, type RouteId } from "../../src/contract/routes.ts";
import { openApi } from "../../src/http/openapi.ts";
import {
  api,
  ask,
  clientAddress,
  createMailbox,
  deliver,
  DOMAIN,
  message,
  OPERATOR,
  type TestMailbox,
} from "../harness.ts";
import { deliveriesOf, endOutside, hooked, outside, receive, settled } from "../webhook-target.ts";

/** An operation, as far as its examples go. */
interface Operation {
  operationId: RouteId;
  parameters: { name: string; in: "path" | "query" | "header"; example?: unknown }[];
  requestBody?: { content: Record<string, { example: unknown }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

const { paths } = openApi("https://api.example") as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** Who sends an example, and what the service made that the example can only stand for: ids, addresses, codes. */
interface Sender {
  key: string | undefined;
  made: Record<string, string>;
}

let box: TestMailbox;
let email: Email;

const MAIL = [
  "From: Ann <ann@example.com>",
  "Subject: Your order 1234: your verification code",
  "Message-ID: <openapi-examples@example.com>",
  'Content-Type: multipart/mixed; boundary="x"',
];
const PARTS = [
  "--x",
  "Content-Type: text/plain",
  "",
  "Your verification code is 482913. Order 1234, an invoice: https://shop.example/orders",
  "--x",
  'Content-Disposition: attachment; filename="invoice.pdf"',
  "Content-Type: application/octet-stream",
  "",
  "0123456789",
  "--x--",
];

beforeAll(async () => {
  outside();
  box = await createMailbox();
  const { body } = await deliver(box.mailbox, message(MAIL, PARTS.join("\n")));
  email = (await ask<Email>(`/v1/emails/${body.id}`, { key: box.api_key })).body;
});
afterEach(endOutside);

const own = (made: Record<string, string> = {}): Sender => ({ key: box.api_key, made });
const ofEmail = () => own({ id: email.id, email_id: email.id });
const ofThread = () => own({ id: email.thread_id });
const ofFile = () => own({ id: email.attachments[0]?.id ?? "" });
const newBox = async (): Promise<Sender> => ({ key: (await createMailbox()).api_key, made: {} });
const newAddress = async (): Promise<Sender> => ({
  key: OPERATOR,
  made: { address: (await createMailbox()).mailbox },
});
const nextEmail = async () => {
  const { body } = await deliver(box.mailbox, message(["Subject: Hello"]));
  return own({ id: body.id });
};
const onClaim = async (name: string): Promise<StartedClaim> => {
  const headers = { "CF-Connecting-IP": clientAddress() };
  return (await ask<StartedClaim>("/v1/claim/start", { json: { name }, headers, vars: OPEN })).body;
};
const OPEN = { CLAIM_APPROVAL: "open" };
const newDomain = async (name: string) => {
  const { body } = await ask<Domain>("/v1/domains", { key: box.api_key, json: { domain: name } });
  return own({ id: body.id });
};
const newExpectation = async () => {
  const asked = { key: box.api_key, json: { from_domain: "brand.example" } };
  return own({ id: (await ask<{ id: string }>("/v1/expect", asked)).body.id });
};
const newSecret = async () => {
  const json = { label: "Brand", secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
  return own({ id: (await ask<{ id: string }>("/v1/totp", { key: box.api_key, json })).body.id });
};
const withWebhook = async (): Promise<Sender> => {
  const other = await hooked();
  await receive(other);
  await settled(other);
  const [delivery] = await deliveriesOf(other);
  return { key: other.api_key, made: { id: delivery?.id ?? "" } };
};
const withRoute = async (): Promise<Sender> => {
  const sender = await newBox();
  const put = { label: "orders", webhook_url: "https://hooks.example.com/orders" };
  await ask("/v1/mailbox/routes", { key: sender.key, method: "PUT", json: put });
  return sender;
};
const withRefused = async (): Promise<Sender> => {
  const other = await createMailbox();
  const asked = { key: other.api_key };
  await ask("/v1/mailbox/rules", { ...asked, method: "PUT", json: { receive: { mode: "listed" } } });
  await deliver(other.mailbox, message(["Subject: Hello"]));
  const { body } = await ask<{ refused: { id: string }[] }>("/v1/refused", asked);
  return { ...asked, made: { id: body.refused[0]?.id ?? "" } };
};
const suppressed = async (): Promise<Sender> => {
  const nobody = `nobody-here@${DOMAIN}`;
  await ask("/v1/send?wait=10", {
    key: box.api_key,
    json: { to: nobody, subject: "Hello", text: "Hello." },
  });
  return own({ address: nobody });
};

/** The sender of an operation, where it is not the mailbox of this file with its email. */
const SENDERS: Partial<Record<RouteId, () => Sender | Promise<Sender>>> = {
  revokeKey: async () => {
    const { body } = await ask<{ id: string }>("/v1/keys", { key: box.api_key, json: {} });
    return own({ id: body.id });
  },
  updateMailbox: newBox,
  deleteMailbox: newBox,
  pauseMailbox: newBox,
  claimPoll: async () => own({ session: (await onClaim("polled")).session_id }),
  claimConfirm: async () => own({ device_code: (await onClaim("confirmed")).device_code }),
  thread: ofThread,
  threadView: ofThread,
  threadByQuery: ofThread,
  attachment: ofFile,
  attachmentByQuery: ofFile,
  deleteEmail: nextEmail,
  deleteEmailByQuery: nextEmail,
  putRules: newBox,
  releaseRefused: withRefused,
  deleteRefused: withRefused,
  deleteSuppression: suppressed,
  setWebhookRoute: newBox,
  deleteWebhookRoute: withRoute,
  redeliverWebhook: withWebhook,
  replayWebhooks: withWebhook,
  testWebhook: withWebhook,
  getDomain: () => newDomain("shown-example.example.org"),
  verifyDomain: () => newDomain("verified-example.example.org"),
  deleteDomain: () => newDomain("deleted-example.example.org"),
  expectation: newExpectation,
  cancelExpectation: newExpectation,
  totpCode: newSecret,
  deleteTotp: newSecret,
  // A new export: only an export that was cut off is resumed.
  exportMailbox: () => own({ after: email.id, resume: "", sha256: "" }),
  importProgress: async () => {
    const asked = { key: box.api_key, body: message(["Subject: Imported"]) };
    return own({ id: (await ask<{ id: string }>("/v1/import", asked)).body.id });
  },
  cancelImport: async () => {
    const asked = { key: box.api_key, body: message(["Subject: Imported"]) };
    return own({ id: (await ask<{ id: string }>("/v1/import", asked)).body.id });
  },
  createMailbox: () => ({ key: OPERATOR, made: {} }),
  // The name of the example is taken by the operation above.
  claimAuto: () => ({ key: OPERATOR, made: { name: "agent-by-name" } }),
  listMailboxes: () => ({ key: OPERATOR, made: {} }),
  describeMailbox: newAddress,
  removeMailbox: newAddress,
  pauseByOperator: newAddress,
  resumeByOperator: newAddress,
  reindexMailbox: newAddress,
  inbound: () => ({ key: OPERATOR, made: { to: box.mailbox } }),
  metrics: () => ({ key: OPERATOR, made: {} }),
  sendingState: () => ({ key: OPERATOR, made: {} }),
  haltSending: () => ({ key: OPERATOR, made: {} }),
  resumeSending: () => ({ key: OPERATOR, made: {} }),
  diagnosis: () => ({ key: OPERATOR, made: {} }),
  reportDiagnosis: () => ({ key: OPERATOR, made: {} }),
};

/** The request of an operation as its examples show it, with what the service made in place of what stands for it. */
function exampleRequest({ path, method, operation }: (typeof operations)[number], { key, made }: Sender) {
  const values = operation.parameters.flatMap(({ name, in: place, example }) =>
    name === "mailbox" || example === undefined
      ? []
      : [made[name] ?? example]
          .flat()
          .map((value) => ({ name, place, value: `${value as string | number | boolean}` })),
  );
  const filled = values.reduce(
    (rest, { name, value }) => rest.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(
    values.filter(({ place }) => place === "query").map(({ name, value }) => [name, value]),
  );
  const [[media, content] = ["", undefined]] = Object.entries(operation.requestBody?.content ?? {});
  const fields = values.filter(({ place }) => place === "header");
  const headers: Record<string, string> = {
    ...Object.fromEntries(fields.map(({ name, value }) => [name, value])),
    "CF-Connecting-IP": clientAddress(),
    Origin: "https://api.example",
    ...(media === "" || media === "*/*" ? {} : { "Content-Type": media }),
  };
  const shown = content?.example;
  const body = typeof shown === "string" ? shown : shown === undefined ? undefined : jsonOf(shown, made);
  return { url: `${filled}?${query.toString()}`, asked: { key, method, headers, body, vars: OPEN } };
}

function jsonOf(example: unknown, made: Record<string, string>): string {
  return JSON.stringify(example, (name, value: unknown) => made[name] ?? value);
}

describe("the example of an operation", () => {
  it.each(operations)("is answered as it is documented: $operation.operationId", async (example) => {
    outside();
    const { operation } = example;
    const sender = await (SENDERS[operation.operationId] ?? ofEmail)();
    const isPublic = routes[operation.operationId].target === "public";
    const { url, asked } = exampleRequest(example, isPublic ? { ...sender, key: undefined } : sender);
    const response = await api(url, asked);
    expect(response.status).toBeLessThan(300);
    const documented = operation.responses[String(response.status)]?.content ?? {};
    const type = (response.headers.get("Content-Type") ?? "").replace(
      /^application\/json;.*/,
      "application/json",
    );
    expect(Object.keys(documented)).toEqual([type]);
    // No part of an example is ignored. The harness checks the answer against its schema when it is read.
    expect(response.headers.get("Mailkeep-Ignored")).toBeNull();
    if (type.startsWith("text/event-stream")) await response.body?.cancel();
    else await response.text();
  });

  it("finds what it asks for, where it asks for something", async () => {
    const answerOf = async (id: RouteId) => {
      const example = operations.find(({ operation }) => operation.operationId === id);
      if (example === undefined) throw new Error(`There is no operation ${id}`);
      const { url, asked } = exampleRequest(example, await (SENDERS[id] ?? ofEmail)());
      return (await api(url, asked)).text();
    };
    expect(await answerOf("code")).toContain('"code":"482913"');
    expect(await answerOf("thread")).toContain(email.id);
    expect(await answerOf("search")).toContain('"emails":[');
  });
});
