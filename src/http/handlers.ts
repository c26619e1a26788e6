import type { Answer } from "../contract/problem.ts";
import type { RouteSpec } from "../contract/route.ts";
import { routes, type RouteId } from "../contract/routes.ts";
import type { HandlersOf } from "./call.ts";
import { callMailbox } from "./mailbox-calls.ts";
import { attachmentHandlers } from "./routes/attachments.ts";
import { bootstrapHandlers } from "./routes/bootstrap.ts";
import { claimHandlers } from "./routes/claim.ts";
import { codeHandlers } from "./routes/codes.ts";
import { domainHandlers } from "./routes/domains.ts";
import { emailHandlers } from "./routes/emails.ts";
import { eventHandlers } from "./routes/events.ts";
import { expectationHandlers } from "./routes/expectations.ts";
import { extractHandlers } from "./routes/extract.ts";
import { guideHandlers } from "./routes/guide.ts";
import { inboundHandlers } from "./routes/inbound.ts";
import { keyHandlers } from "./routes/keys.ts";
import { mailboxHandlers } from "./routes/mailbox.ts";
import { mailboxesHandlers } from "./routes/mailboxes.ts";
import { movingHandlers } from "./routes/moving.ts";
import { operationHandlers } from "./routes/operation.ts";
import { ruleHandlers } from "./routes/rules.ts";
import { sendingHandlers } from "./routes/sending.ts";
import { suppressionHandlers } from "./routes/suppressions.ts";
import { threadHandlers } from "./routes/threads.ts";
import { viewHandlers } from "./routes/views.ts";
import { webhookHandlers } from "./routes/webhooks.ts";

const handlers: HandlersOf<typeof routes> = {
  ...attachmentHandlers,
  ...bootstrapHandlers,
  ...claimHandlers,
  ...codeHandlers,
  ...domainHandlers,
  ...emailHandlers,
  ...eventHandlers,
  ...expectationHandlers,
  ...extractHandlers,
  ...guideHandlers,
  ...inboundHandlers,
  ...keyHandlers,
  ...mailboxHandlers,
  ...mailboxesHandlers,
  ...movingHandlers,
  ...operationHandlers,
  ...ruleHandlers,
  ...sendingHandlers,
  ...suppressionHandlers,
  ...threadHandlers,
  ...viewHandlers,
  ...webhookHandlers,
};

/** A handler without its types, which `HandlersOf` checked. */
export type AnyHandler = (call: never) => Promise<Answer<unknown>>;

/** A route and what answers it. */
export interface Endpoint {
  spec: RouteSpec;
  handler: AnyHandler;
  /** The status of an answer that names none. */
  status: number;
}

/** A route of the table with its handler, or with the method of the mailbox that it calls. */
export function endpointOf(id: RouteId): Endpoint {
  const spec: RouteSpec = routes[id];
  return {
    spec,
    handler:
      spec.calls === undefined
        ? handlers[id as keyof typeof handlers]
        : (call: Parameters<typeof callMailbox>[1]) => callMailbox(spec, call),
    // Keys of an object that are whole numbers come in ascending order.
    status: Number(Object.keys(spec.responses)[0]),
  };
}

/** Every route of the table. */
export const endpoints: readonly Endpoint[] = Object.keys(routes).map((id) => endpointOf(id as RouteId));
