import type { Api } from "../../client/index.ts";
import { command } from "../command.ts";
import { bodyFlags, queryFlags } from "../route-flags.ts";
import { OPERATIONS } from "../operations.ts";
import type { Output } from "../terminal/output.ts";
import { safeText } from "../terminal/safe-text.ts";
import { fieldLines, tableLines, type Column } from "../terminal/table.ts";
import { shownTime } from "../time.ts";

type Email = Api["email"]["answer"];
type View = Api["emailView"]["answer"];
type Summary = Api["inbox"]["answer"]["emails"][number];
type ThreadRow = Api["threads"]["answer"]["threads"][number];

/** The columns of a listing of emails. */
export const EMAIL_COLUMNS: readonly Column<Summary>[] = [
  { title: "ID", of: ({ id }) => id, style: "dim" },
  { title: "RECEIVED", of: ({ received_at }) => shownTime(received_at) },
  { title: "FROM", of: ({ from_name, from_address }) => from_name || from_address, flexible: true },
  { title: "PROVEN", of: ({ sender_verified }) => (sender_verified ? "yes" : "no") },
  { title: "SUBJECT", of: ({ subject }) => subject, flexible: true },
  { title: "CODE", of: ({ code }) => code, style: "green" },
];

const ALL = { all: { type: "switch", about: "All pages, not the first alone." } } as const;
const ID = { name: "id", about: "The id of an email, as `mailkeep inbox` shows it." };

const inboxQuery = queryFlags("inbox", ["cursor"]);
const searchQuery = queryFlags("search", ["cursor", "q", "query"]);
const viewQuery = queryFlags("emailView");
const threadsQuery = queryFlags("threads", ["cursor"]);
const extractBody = bodyFlags("extract", ["email_id"]);
const labelBody = bodyFlags("labelEmail");

/** The first page of a listing, or all. */
async function* itemsOf<Item>(
  listing: AsyncIterable<Item> & { pages: () => AsyncIterable<object> },
  all: boolean | undefined,
  items: (page: never) => readonly Item[],
): AsyncGenerator<Item> {
  if (all === true) return yield* listing;
  for await (const page of listing.pages()) return yield* items(page as never);
}

/** Says on stderr why a listing found nothing, where the service has a reason. */
function noteNothing(
  { emails, hint }: Pick<Api["inbox"]["answer"], "emails" | "hint">,
  output: Output,
): void {
  if (emails.length === 0 && hint !== undefined) output.note(hint);
}

/** Whether the domain of the sender's address is proven, in words. */
function provenWords({ authentication }: Email): string {
  if (authentication === null) return "not checked: anybody can have written the sender's address";
  switch (authentication.verdict) {
    case "pass":
      return `yes: it comes from ${authentication.aligned_domain ?? "the sender's domain"}`;
    case "fail":
      return "no: the sender's address may be forged";
    case "none":
      return "no: nothing proves the sender's address";
    case "temperror":
      return "unknown: DNS did not answer in time";
  }
}

/** The lines of an email: what it says of itself, its files, and its text without what it quotes. */
function emailLines(email: Email, whole: boolean, { paint }: Output): string[] {
  const { from_name, from_address, text_new, body_text, attachments } = email;
  const text = whole || text_new === "" ? body_text : text_new;
  const files: readonly Column<Email["attachments"][number]>[] = [
    { title: "FILE", of: ({ filename }) => filename },
    { title: "TYPE", of: ({ content_type }) => content_type },
    { title: "BYTES", of: ({ size_bytes }) => size_bytes },
    { title: "ID", of: ({ id }) => id, style: "dim" },
  ];
  return [
    ...fieldLines(
      {
        From: from_name === "" ? from_address : `${from_name} <${from_address}>`,
        Proven: email.direction === "inbound" ? provenWords(email) : null,
        To: email.to_address,
        Cc: email.cc_address || null,
        Subject: email.subject,
        Date: shownTime(email.received_at),
        Labels: email.labels.join(", ") || null,
        Code: email.code,
        Link: email.link,
        Status: email.direction === "outbound" ? email.status : null,
        Thread: email.thread_id,
      },
      paint,
    ),
    ...(attachments.length === 0 ? [] : ["", ...tableLines(files, attachments, { total: 100, paint })]),
    "",
    ...safeText(text).trimEnd().split("\n"),
  ];
}

/** The lines of a view: its text, where its links lead, and what is hidden. */
function viewLines(view: View, { paint }: Output): string[] {
  const links: readonly Column<View["links"][number]>[] = [
    { title: "LINK", of: ({ n }) => n },
    { title: "HOST", of: ({ host }) => host },
    { title: "FLAGS", of: ({ flags }) => flags.join(", ") },
  ];
  const hidden = Object.entries(view.hidden).flatMap(([kind, count]) =>
    count > 0 ? [`${kind} ${count}`] : [],
  );
  return [
    ...fieldLines(
      {
        Subject: view.subject,
        Tokens: view.omitted_tokens === 0 ? view.tokens : `${view.tokens} (${view.omitted_tokens} left out)`,
        Hidden: hidden.join(", ") || null,
      },
      paint,
    ),
    "",
    ...safeText(view.text).trimEnd().split("\n"),
    ...(view.links.length === 0 ? [] : ["", ...tableLines(links, view.links, { total: 100, paint })]),
    ...(view.hidden_texts ?? []).flatMap(({ kind, text }) => [
      "",
      `Hidden (${kind}):`,
      ...safeText(text).split("\n"),
    ]),
  ];
}

export const readingCommands = [
  command({
    name: "inbox",
    summary: OPERATIONS.inbox.summary,
    args: [],
    flags: { ...inboxQuery.flags, ...ALL },
    examples: [
      "mailkeep inbox --label code --limit 5",
      "mailkeep inbox --from shop.example --since 2d --json",
    ],
    run: async ({ mail, output, signal }, { flags }) => {
      const listing = mail.inbox.list(inboxQuery.read(flags), { signal });
      const emails = itemsOf(listing, flags["all"] === true, (page: Api["inbox"]["answer"]) => page.emails);
      await output.rows(emails, EMAIL_COLUMNS, "No emails.");
      noteNothing(await listing, output);
    },
  }),
  command({
    name: "search",
    summary: OPERATIONS.search.summary,
    args: [{ name: "query", about: OPERATIONS.search.query["query"]?.about ?? "" }],
    flags: { ...searchQuery.flags, ...ALL },
    examples: ['mailkeep search "invoice from:shop.example has:attachment"'],
    run: async ({ mail, output, signal }, { words: [query = ""], flags }) => {
      const listing = mail.inbox.search({ ...searchQuery.read(flags), query }, { signal });
      const emails = itemsOf(listing, flags["all"] === true, (page: Api["search"]["answer"]) => page.emails);
      await output.rows(emails, EMAIL_COLUMNS, "Nothing found.");
      noteNothing(await listing, output);
    },
  }),
  command({
    name: "read",
    summary: "Show one email",
    args: [ID],
    flags: { quoted: { type: "switch", about: "Also the text that the email quotes, and its signature." } },
    examples: ["mailkeep read 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""], flags }) => {
      const email = await mail.emails.get(id, { signal });
      await output.value(email, () => emailLines(email, flags.quoted === true, output));
    },
  }),
  command({
    name: "view",
    summary: OPERATIONS.emailView.summary,
    args: [ID],
    flags: viewQuery.flags,
    about: [
      "Links appear as numbers: `mailkeep link` prints the address of one. Hidden text is left out and counted.",
    ],
    examples: [
      "mailkeep view 01a202aa-8f50-7000-949b-74c43c6e0000 --budget 400",
      "mailkeep view 01a202aa-8f50-7000-949b-74c43c6e0000 --include hidden,quoted --json",
    ],
    run: async ({ mail, output, signal }, { words: [id = ""], flags }) => {
      const view = await mail.emails.view(id, viewQuery.read(flags), { signal });
      await output.value(view, () => viewLines(view, output));
    },
  }),
  command({
    name: "link",
    summary: OPERATIONS.emailLink.summary,
    args: [ID, { name: "n", about: "The number of the link, as `mailkeep view` shows it." }],
    flags: {},
    examples: ["mailkeep link 01a202aa-8f50-7000-949b-74c43c6e0000 1"],
    run: async ({ mail, output, signal }, { words: [id = "", n = ""] }) => {
      const link = await mail.emails.link(id, n, { signal });
      await output.fields(link, {
        Host: link.host,
        Text: link.text,
        Flags: link.flags.join(", "),
        Address: link.url,
      });
    },
  }),
  command({
    name: "raw",
    summary: OPERATIONS.rawEmail.summary,
    args: [ID],
    flags: {},
    about: [
      "A terminal gets it without the control characters that it may hold; a file or a pipe gets every byte.",
    ],
    examples: ["mailkeep raw 01a202aa-8f50-7000-949b-74c43c6e0000 > message.eml"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const response = await mail.emails.raw(id, { signal });
      if (output.isTerminal) return output.text(await response.text());
      for await (const chunk of response.body ?? []) await output.write(chunk);
    },
  }),
  command({
    name: "thread",
    summary: "Show one conversation, or list them",
    args: [{ name: "id", about: "The id of a thread; all threads without one.", isOptional: true }],
    flags: { ...threadsQuery.flags, ...ALL },
    examples: ["mailkeep thread", "mailkeep thread 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""], flags }) => {
      if (id === "") {
        const listing = mail.threads.list(threadsQuery.read(flags), { signal });
        const threads = itemsOf(
          listing,
          flags["all"] === true,
          (page: Api["threads"]["answer"]) => page.threads,
        );
        return output.rows(threads, THREAD_COLUMNS, "No threads.");
      }
      const listing = mail.threads.get(id, {}, { signal });
      if (output.isJson) return output.rows(listing, [], "");
      for await (const email of listing) await output.lines([...emailLines(email, false, output), ""]);
    },
  }),
  command({
    name: "extract",
    summary: "Read an order, a parcel, an appointment, a receipt or a code out of an email",
    args: [ID],
    flags: extractBody.flags,
    examples: ["mailkeep extract 01a202aa-8f50-7000-949b-74c43c6e0000 --type order"],
    run: async ({ mail, output, signal }, { words: [email_id = ""], flags }) => {
      const { type = "code" } = extractBody.read(flags);
      const { extraction } = await mail.extract({ email_id, type }, { signal });
      const shown = Object.entries(extraction).map(([name, value]) => [
        name,
        typeof value === "object" && value !== null ? JSON.stringify(value) : value,
      ]);
      await output.fields({ email_id, extraction }, Object.fromEntries(shown));
    },
  }),
  command({
    name: "label",
    summary: OPERATIONS.labelEmail.summary,
    args: [ID],
    flags: labelBody.flags,
    examples: [
      "mailkeep label 01a202aa-8f50-7000-949b-74c43c6e0000 --add-labels done --remove-labels unread",
    ],
    run: async ({ mail, output, signal }, { words: [id = ""], flags }) => {
      const { labels } = await mail.emails.label(id, labelBody.read(flags), { signal });
      await output.fields({ id, labels }, { Labels: labels.join(", ") });
    },
  }),
  command({
    name: "delete",
    summary: OPERATIONS.deleteEmail.summary,
    args: [ID],
    flags: {},
    examples: ["mailkeep delete 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      await output.value({ id, ...(await mail.emails.delete(id, { signal })) }, () => ["Deleted."]);
    },
  }),
];

const THREAD_COLUMNS: readonly Column<ThreadRow>[] = [
  { title: "ID", of: ({ thread_id }) => thread_id, style: "dim" },
  { title: "NEWEST", of: ({ received_at }) => shownTime(received_at) },
  { title: "EMAILS", of: ({ message_count }) => message_count },
  { title: "FROM", of: ({ from_name, from_address }) => from_name || from_address, flexible: true },
  { title: "SUBJECT", of: ({ subject }) => subject, flexible: true },
];
