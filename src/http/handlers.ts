import type { Handlers } from "./call.ts";
import { attachmentHandlers } from "./routes/attachments.ts";
import { bootstrapHandlers } from "./routes/bootstrap.ts";
import { claimHandlers } from "./routes/claim.ts";
import { codeHandlers } from "./routes/codes.ts";
import { domainHandlers } from "./routes/domains.ts";
import { emailHandlers } from "./routes/emails.ts";
import { extractHandlers } from "./routes/extract.ts";
import { eventHandlers } from "./routes/events.ts";
import { inboundHandlers } from "./routes/inbound.ts";
import { keyHandlers } from "./routes/keys.ts";
import { mailboxHandlers } from "./routes/mailbox.ts";
import { operatorHandlers } from "./routes/mailboxes.ts";
import { sendingHandlers } from "./routes/sending.ts";
import { threadHandlers } from "./routes/threads.ts";
import { uploadHandlers } from "./routes/uploads.ts";
import { webhookHandlers } from "./routes/webhooks.ts";

/** The handler of every route. */
export const handlers: Handlers = {
  ...attachmentHandlers,
  ...bootstrapHandlers,
  ...claimHandlers,
  ...codeHandlers,
  ...domainHandlers,
  ...emailHandlers,
  ...eventHandlers,
  ...extractHandlers,
  ...inboundHandlers,
  ...keyHandlers,
  ...mailboxHandlers,
  ...operatorHandlers,
  ...sendingHandlers,
  ...threadHandlers,
  ...uploadHandlers,
  ...webhookHandlers,
};
