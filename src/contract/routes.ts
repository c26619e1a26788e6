import { claimRoutes } from "./routes/claim.ts";
import { domainRoutes } from "./routes/domains.ts";
import { eventRoutes } from "./routes/events.ts";
import { keyRoutes } from "./routes/keys.ts";
import { sendingRoutes } from "./routes/sending.ts";
import { mailboxRoutes } from "./routes/mailbox.ts";
import { operatorRoutes } from "./routes/operator.ts";
import { readingRoutes } from "./routes/reading.ts";
import { uploadRoutes } from "./routes/uploads.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

/** Every endpoint of the service. The key is its operationId. */
export const routes = {
  ...keyRoutes,
  ...claimRoutes,
  ...mailboxRoutes,
  ...webhookRoutes,
  ...readingRoutes,
  ...uploadRoutes,
  ...eventRoutes,
  ...sendingRoutes,
  ...domainRoutes,
  ...operatorRoutes,
} as const;

export type RouteId = keyof typeof routes;
export type { ChangeFilters, EventFilters } from "./routes/events.ts";
export type { CodeFilters, InboxFilters } from "./routes/reading.ts";
