import { receiveEmail } from "./service/email-routing.ts";
import { serveHttp } from "./http/app.ts";
import { receiveSendingEvents } from "./service/sending-events.ts";

export { ClaimSession } from "./claim/claim-session.ts";
export { ClientBudget } from "./directory/client-budget.ts";
export { Directory } from "./directory/directory.ts";
export { Domain } from "./directory/domain.ts";
export { Monitor } from "./metrics/monitor.ts";
export { Mailbox } from "./mailbox/mailbox.ts";

export default {
  fetch: serveHttp,
  email: receiveEmail,
  queue: receiveSendingEvents,
} satisfies ExportedHandler<Env>;
