import { attachmentRoutes } from "./routes/attachments.ts";
import { bootstrapRoutes } from "./routes/bootstrap.ts";
import { claimRoutes } from "./routes/claim.ts";
import { codeRoutes } from "./routes/codes.ts";
import { domainRoutes } from "./routes/domains.ts";
import { emailRoutes } from "./routes/emails.ts";
import { eventRoutes } from "./routes/events.ts";
import { expectationRoutes } from "./routes/expectations.ts";
import { extractRoutes } from "./routes/extract.ts";
import { guideRoutes } from "./routes/guide.ts";
import { inboundRoutes } from "./routes/inbound.ts";
import { keyRoutes } from "./routes/keys.ts";
import { mailboxRoutes } from "./routes/mailbox.ts";
import { mailboxesRoutes } from "./routes/mailboxes.ts";
import { movingRoutes } from "./routes/moving.ts";
import { operationRoutes } from "./routes/operation.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { seenRoutes } from "./routes/seen.ts";
import { sendingRoutes } from "./routes/sending.ts";
import { suppressionRoutes } from "./routes/suppressions.ts";
import { threadRoutes } from "./routes/threads.ts";
import { totpRoutes } from "./routes/totp.ts";
import { viewRoutes } from "./routes/views.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

/** Every endpoint of the service. The key is its operationId. */
export const routes = {
  ...guideRoutes,
  ...bootstrapRoutes,
  ...claimRoutes,
  ...keyRoutes,
  ...mailboxRoutes,
  ...seenRoutes,
  ...ruleRoutes,
  ...emailRoutes,
  ...codeRoutes,
  ...expectationRoutes,
  ...totpRoutes,
  ...extractRoutes,
  ...threadRoutes,
  ...viewRoutes,
  ...attachmentRoutes,
  ...sendingRoutes,
  ...suppressionRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...domainRoutes,
  ...movingRoutes,
  ...mailboxesRoutes,
  ...inboundRoutes,
  ...operationRoutes,
} as const;

export type RouteId = keyof typeof routes;
export type { CodeFilters } from "./routes/codes.ts";
export type { InboxFilters } from "./routes/emails.ts";
export type { ChangeFilters, EventFilters } from "./routes/events.ts";
