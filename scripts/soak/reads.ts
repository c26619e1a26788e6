import type { EmailSummary } from "../../src/contract/message.ts";
import { stored, type Box, type Copy } from "./ledger.ts";
import { subjectOf, wordOf } from "./mail.ts";
import type { Random } from "./random.ts";
import { ask, compareRaw, rawOf, type Stage } from "./stage.ts";

/** A page of a listing. */
export interface Page {
  emails: EmailSummary[];
  next_cursor: string | null;
}

const PAGE = 20;
const WALKED_PAGES = 4;

/** Reads a mailbox in one of the ways that a program does, and compares what it sees with the ledger. */
export async function read(stage: Stage, random: Random): Promise<void> {
  const box = random.pick(stage.ledger.open());
  if (box === undefined) return;
  const way = random.pick([one, one, raw, list, find, find, stats]);
  await stage.ledger.holding([box], async () => {
    const copy = random.pick(stored(box));
    if (copy !== undefined) await way?.(stage, box, copy);
  });
}

async function one(stage: Stage, box: Box, copy: Copy): Promise<void> {
  const told = await ask<{ subject: string }>(stage, `/v1/emails/${copy.id}`, { box });
  if (told === null || copy.isDeleted) return;
  const { serial } = copy.mail.plan;
  if (told.status !== 200) stage.ledger.wrong(`${serial} in ${box.address} answered ${told.status}`);
  else if (told.body.subject !== subjectOf(serial))
    stage.ledger.wrong(`${serial} has the subject ${told.body.subject}`);
  stage.ledger.count("read");
}

async function raw(stage: Stage, box: Box, copy: Copy): Promise<void> {
  if (copy.mail.sha256 === "") return;
  const answer = await rawOf(stage, box, copy.id ?? "");
  if (answer === null || copy.isDeleted) return;
  compareRaw(stage, box, copy.mail, answer);
  stage.ledger.count("read");
}

/** Walks some pages: no email may be on two of them. */
async function list(stage: Stage, box: Box): Promise<void> {
  const seen = new Set<string>();
  let cursor = "";
  for (let page = 0; page < WALKED_PAGES; page += 1) {
    const told = await ask<Page>(stage, `/v1/inbox?limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`, {
      box,
    });
    if (told?.status !== 200) return;
    for (const { id } of told.body.emails) {
      if (seen.has(id))
        stage.ledger.wrong(`the email ${id} of ${box.address} is on two pages of one listing`);
      seen.add(id);
    }
    stage.ledger.count("read");
    if (told.body.next_cursor === null) return;
    cursor = told.body.next_cursor;
  }
}

async function find(stage: Stage, box: Box, copy: Copy): Promise<void> {
  if (copy.mail.sha256 === "") return;
  const word = wordOf(copy.mail.plan.serial);
  const told = await ask<Page>(stage, `/v1/search?q=${word}`, { box });
  if (told === null || copy.isDeleted) return;
  const ids = told.body.emails.map(({ id }) => id);
  if (ids.length !== 1 || ids[0] !== copy.id) {
    stage.ledger.wrong(
      `a search for ${word} in ${box.address} found ${JSON.stringify(ids)} and not ${copy.id}`,
    );
  }
  stage.ledger.count("searched");
}

async function stats(stage: Stage, box: Box): Promise<void> {
  if ((await ask(stage, "/v1/stats", { box }))?.status === 200) stage.ledger.count("read");
}
