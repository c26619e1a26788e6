import { BREATH_BYTES, breath } from "../lib/breath.ts";
import type { SenderCheck } from "../mail/authentication/authenticate.ts";
import { MailScanner } from "../mail/mime/scanner.ts";
import { PassingFiles } from "../mail/passing-files.ts";
import { readPassing, type ReadMail } from "../mail/read-mail.ts";
import type { PassingMessage } from "./arriving.ts";
import type { FindSender } from "./sender-check.ts";

/** Bytes that are read before other requests have their turn: they take some 5 ms, and the turn more than one. */
const TURN_BYTES = 8 * BREATH_BYTES;

/** A message that has passed: what was read of it, and what was found out about its sender. */
export interface Passed {
  read: ReadMail;
  check: SenderCheck | null;
}

/**
 * Reads a message while it passes on to `keep`, which stores its pieces, each valid until the next is requested. Memory holds
 * its header, its texts and a piece. Throws the error of `keep`.
 */
export async function readWhilePassing(
  message: PassingMessage,
  sender: FindSender,
  keep: (pieces: AsyncGenerator<Uint8Array, void>) => Promise<unknown>,
): Promise<Passed> {
  const files = new PassingFiles();
  const scanner = new MailScanner(files);
  const finding = sender(message.head);
  let unbreathed = 0;
  const passing = async function* (): AsyncGenerator<Uint8Array, void> {
    for await (const piece of message.pieces()) {
      finding.push(piece);
      await scanner.write(piece);
      unbreathed += piece.byteLength;
      if (unbreathed >= TURN_BYTES) {
        unbreathed = 0;
        await breath();
      }
      yield piece;
    }
  };
  try {
    await keep(passing());
    const [scanned, check] = await Promise.all([scanner.end(), finding.finish()]);
    return { read: readPassing(message.head, scanned, files), check };
  } catch (error) {
    finding.abandon();
    throw error;
  }
}

/** A `keep` for a message that is stored already. */
export async function dropped(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}
