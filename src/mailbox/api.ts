import type { Answer } from "../contract/problem.ts";
import type { RowCost } from "../lib/sql.ts";
import type { Access, Principal } from "./account/access.ts";
import type { Birth } from "./account/birth.ts";
import type { Lifecycle } from "./account/lifecycle.ts";
import type { Settings } from "./account/settings.ts";
import type { Blobs } from "./blobs/blobs.ts";
import type { Codes } from "./codes/codes.ts";
import type { Domains } from "./domains/domains.ts";
import type { Expectations } from "./expectations/expectations.ts";
import type { Exporting } from "./exporting/exporting.ts";
import type { Imports } from "./imports/imports.ts";
import type { Feed } from "./log/feed.ts";
import type { Messages } from "./messages/messages.ts";
import type { Reindexing } from "./messages/reindex.ts";
import type { Reading } from "./reading/reading.ts";
import type { Receiving } from "./receiving/receiving.ts";
import type { ReceiveRules } from "./rules/receive-rules.ts";
import type { RefusedMails } from "./rules/refused-mails.ts";
import type { Search } from "./search/search.ts";
import type { Seen } from "./seen/seen.ts";
import type { Reports } from "./sending/reports.ts";
import type { Sending } from "./sending/sending.ts";
import type { Takeover } from "./takeover/takeover.ts";
import type { TotpSecrets } from "./totp/totp.ts";
import type { Uploads } from "./uploads/uploads.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

type Beginning = Pick<Birth, "create"> & Pick<Lifecycle, "replay" | "hold" | "destroy">;
type Account = Pick<
  Settings,
  | "me"
  | "info"
  | "configure"
  | "pause"
  | "resume"
  | "keys"
  | "createKey"
  | "revokeKey"
  | "stats"
  | "overview"
  | "unsent"
  | "unsentOne"
>;
type Reads = Pick<Reading, "inbox" | "readEmail" | "raw" | "attachment" | "threads" | "thread"> &
  Pick<Search, "search"> &
  Pick<Codes, "code"> &
  Pick<Expectations, "createExpectation" | "expectation" | "cancelExpectation"> &
  Pick<Feed, "changes">;
type Changes = Pick<Messages, "relabel" | "deleteEmail"> &
  Pick<Reindexing, "allInbound" | "rewrite" | "embedAgain">;
type Rules = Pick<Seen, "seen" | "markSeen"> &
  Pick<ReceiveRules, "rules" | "putRules"> &
  Pick<RefusedMails, "refusedPage" | "refusedMail" | "deleteRefused">;
type Mail = Pick<Receiving, "reserve" | "receive" | "receiveTogether"> &
  Pick<
    Sending,
    "send" | "admitSend" | "sentBefore" | "emailToAnswer" | "emailWithMessageId" | "suppressions" | "forgive"
  > &
  Pick<Reports, "sendingEvent">;
type Files = Pick<Uploads, "beginUpload" | "completeUpload" | "abandonUpload" | "discardUploads"> &
  Pick<Blobs, "putChunk" | "getChunk" | "deleteChunks">;
type Moving = Pick<
  Imports,
  "beginImport" | "completeImport" | "abandonImport" | "importProgress" | "cancelImport"
> &
  Pick<Exporting, "exportStart" | "exportKeep" | "exportEnd" | "exportSeqs" | "exportLines" | "exportPage">;
type Secrets = Pick<TotpSecrets, "addTotp" | "listTotp" | "totpCode" | "deleteTotp" | "sealedTotp">;
type Others = Pick<
  Webhooks,
  | "webhookRoutes"
  | "putWebhookRoute"
  | "removeWebhookRoute"
  | "webhookDeliveries"
  | "redeliverWebhook"
  | "replayWebhooks"
  | "testWebhook"
> &
  Pick<Domains, "addDomain" | "listDomains" | "getDomain" | "verifyDomain" | "removeDomain">;

/** The RPC methods that the router and other actors call on a mailbox. Each is documented at the capability that implements it. */
export interface MailboxApi
  extends Beginning, Account, Reads, Changes, Rules, Mail, Files, Moving, Secrets, Others {
  /** Authenticates a caller and checks what it may do; does nothing more. */
  admit(access: Access): Answer<Principal>;
  /** Whether the address belongs to a live mailbox. */
  isTaken(): boolean;
  /** How much of the temporary mailbox's mail is copied into this one; null if this one takes over no mailbox. */
  takeoverProgress(): ReturnType<Takeover["progress"]>;
  /** Ends the waits whose ids begin with this: their caller closed its connection, or cancelled them. */
  forget(waitId: string): void;
  /** The answer of the call with this wait has left: what it hands out once counts as handed out. */
  delivered(waitId: string): void;
  /** Rows read and written since the last call. For the benchmark and for tests of cost; no route calls it. */
  takeRowCost(): RowCost;
}
