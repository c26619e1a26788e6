// The SDK: what `import { Mailkeep } from "mailkeep"` gives.
export type { Api, Change, EventKind, ProblemCode, RouteId, WebhookEvent } from "./api.ts";
export type { CallOptions, Fetch, FileBody } from "./core.ts";
export { GapError, MailkeepError, type ClientCode } from "./error.ts";
export type { EventsOptions } from "./events.ts";
export type { Listing } from "./listing.ts";
export {
  Mailkeep,
  type Bootstrapped,
  type BootstrapOptions,
  type Codes,
  type Expectations,
  type MailkeepOptions,
  type Threads,
} from "./mailkeep.ts";
export type { Method, Methods, Options } from "./methods.ts";
export { METHODS, type Group } from "./routes.ts";
export type {
  CodeOptions,
  Email,
  EmailOptions,
  ExpectedCode,
  ExpectOptions,
  FoundCode,
  WaitOptions,
} from "./waiting.ts";
export {
  SignatureError,
  verifyWebhook,
  type SignatureFault,
  type VerifyOptions,
  type WebhookRequest,
} from "./webhook.ts";
