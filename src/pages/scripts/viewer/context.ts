import type { z } from "zod";
import type { EventData } from "../../../contract/event.ts";
import type { Email } from "../../../contract/message.ts";
import type { Me } from "../../../contract/mailbox.ts";
import type { Mailkeep } from "../../../client/mailkeep.ts";

export type MeShape = z.infer<typeof Me>;

/** Everything that the parts of the viewer share. */
export interface Context {
  client: Mailkeep;
  /** Who the key is. */
  me: Promise<MeShape>;
  /** Announces a text to screen readers. */
  announce: (text: string) => void;
  /** Calls a function with each event until `signal` is aborted. */
  onEvent: (listener: (data: EventData) => void, signal: AbortSignal) => void;
  /** Goes back to the list, after the shown mail or draft is gone. */
  leave: () => void;
  /** Restarts the viewer after the mailbox was paused or resumed. */
  restart: () => void;
}

/** Everything that the parts of a shown mail need. */
export interface Shown {
  context: Context;
  email: Email;
  /** Aborted when the mail is no longer shown. */
  signal: AbortSignal;
}
