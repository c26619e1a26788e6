import type { z } from "zod";
import type { EventData } from "../../../contract/event.ts";
import type { Email } from "../../../contract/message.ts";
import type { Me } from "../../../contract/mailbox.ts";
import type { Mailkeep } from "../../../client/mailkeep.ts";
import type { Seen } from "./seen.ts";

export type MeShape = z.infer<typeof Me>;

/** Everything that the parts of the viewer share. */
export interface Context {
  client: Mailkeep;
  /** Who the key is. */
  me: Promise<MeShape>;
  /** The mails that the reader has seen. */
  seen: Seen;
  /** Announces a text to screen readers. */
  announce: (text: string) => void;
  /** Shows a notice above whatever is shown. */
  notify: (notice: HTMLElement) => void;
  /** Calls a function with each event until `signal` is aborted. */
  onEvent: (listener: (data: EventData) => void, signal: AbortSignal) => void;
  /** Goes back to the list, after the shown mail or draft is gone. */
  leave: () => void;
  /** Takes a mail that was erased out of the list, and goes back to the list if the mail is shown. */
  erased: (id: string) => void;
  /** Restarts the viewer after the mailbox was paused or resumed. */
  restart: () => void;
}

/** Everything that the parts of a shown mail need. */
export interface Shown {
  context: Context;
  email: Email;
  /** Whether events about the mail may have come since it was loaded. */
  isOld: boolean;
  /** Aborted when the mail is no longer shown. */
  signal: AbortSignal;
}
