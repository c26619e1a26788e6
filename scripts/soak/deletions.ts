import { stored, type Box, type Copy, type Send } from "./ledger.ts";
import type { Random } from "./random.ts";
import { checkSend } from "./sends.ts";
import { ask, compareRaw, rawOf, surely, type Stage } from "./stage.ts";

/** An agent keeps its mail for so long, by the virtual clock. */
const KEPT_MS = 2 * 86_400_000;
/** Mails that one turn deletes at most. */
const AT_ONCE = 40;
/** One mail of so many is deleted while it is new. */
const EARLY = 0.15;

/** Deletes old mail of a mailbox, and sometimes a new one. Each is read once more before, and must be gone after. */
export async function forget(stage: Stage, random: Random): Promise<void> {
  // A temporary mailbox may delete nothing.
  const box = random.pick(stage.ledger.open("permanent"));
  if (box === undefined) return;
  const isOld = (sinceMs: number | null): boolean =>
    sinceMs !== null && stage.clock.now() - sinceMs > KEPT_MS;
  await stage.ledger.holding([box], async () => {
    const copies = stored(box);
    const old = copies.filter(({ mail }) => isOld(mail.acknowledgedAtMs)).slice(0, AT_ONCE);
    const early = random.chance(EARLY) ? random.pick(copies) : undefined;
    if (early !== undefined && !old.includes(early)) old.push(early);
    for (const copy of old) {
      if (stage.ending.aborted) return;
      await deleteCopy(stage, box, copy);
    }
    const sends = [...box.sends.values()].filter((one) => !one.isDeleted && isOld(one.acceptedAtMs));
    for (const one of sends.slice(0, AT_ONCE)) {
      if (stage.ending.aborted) return;
      await deleteSend(stage, box, one);
    }
  });
}

async function deleteCopy(stage: Stage, box: Box, copy: Copy): Promise<void> {
  // Two turns may have chosen the same.
  if (copy.isDeleted) return;
  const id = copy.id ?? "";
  copy.isDeleted = true;
  if (copy.mail.sha256 !== "") {
    const answer = await surely(stage, "reading a mail before it is deleted", () => rawOf(stage, box, id));
    if (answer !== null) compareRaw(stage, box, copy.mail, answer);
  }
  await erase(stage, box, id);
}

async function deleteSend(stage: Stage, box: Box, one: Send): Promise<void> {
  if (one.isDeleted || !(await checkSend(stage, box, one)) || one.isDeleted) return;
  one.isDeleted = true;
  await erase(stage, box, one.id);
}

async function erase(stage: Stage, box: Box, id: string): Promise<void> {
  const { ledger } = stage;
  let attempts = 0;
  const told = await surely(stage, "a deletion", () => {
    attempts += 1;
    return ask(stage, `/v1/emails/${id}`, { box, method: "DELETE" });
  });
  // A repeat finds nothing if the answer before it was lost.
  const isRight = told?.status === 200 || (told?.status === 404 && attempts > 1);
  if (told !== null && !isRight)
    ledger.wrong(`the deletion of ${id} in ${box.address} answered ${told.status}`);
  const after = await surely(stage, "reading a deleted email", () => ask(stage, `/v1/emails/${id}`, { box }));
  if (after !== null && after.status !== 404)
    ledger.wrong(`the deleted email ${id} answered ${after.status}`);
  ledger.count("deleted");
}
