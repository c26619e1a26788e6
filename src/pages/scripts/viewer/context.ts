import type { z } from "zod";
import type { EventData } from "../../../contract/event.ts";
import type { Email } from "../../../contract/message.ts";
import type { Me } from "../../../contract/mailbox.ts";
import type { Client } from "../lib/client.ts";

export type MeShape = z.infer<typeof Me>;

/** What the parts of the viewer share. */
export interface Context {
  client: Client;
  /** Who the key is. */
  me: Promise<MeShape>;
  /** Tells a reader who listens, once he is done with what he hears. */
  announce: (text: string) => void;
  /** Hears of each event until `signal` is aborted. */
  onEvent: (listener: (data: EventData) => void, signal: AbortSignal) => void;
  /** Goes back to the list, as it is now: what is shown beside it is no more. */
  leave: () => void;
  /** Begins anew, after the mailbox was paused or resumed. */
  restart: () => void;
}

/** What the parts of a shown mail are given. */
export interface Shown {
  context: Context;
  email: Email;
  /** Ends when the mail is shown no more. */
  signal: AbortSignal;
}
