import type { Api } from "../../client/index.ts";
import { command } from "../command.ts";
import { usageError } from "../exit.ts";
import { OPERATIONS } from "../operations.ts";
import { queryFlags } from "../route-flags.ts";
import type { Column } from "../terminal/table.ts";
import { shownTime } from "../time.ts";

type Delivery = Api["redeliverWebhook"]["answer"];

const deliveriesQuery = queryFlags("webhookDeliveries", ["cursor"]);
const LABEL = {
  label: { type: "text", about: "The URL of this label, not the mailbox's own.", value: "label" },
} as const;

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { title: "ID", of: ({ id }) => id, style: "dim" },
  { title: "SEQ", of: ({ seq }) => seq },
  { title: "EVENT", of: ({ event }) => event },
  { title: "STATE", of: ({ state }) => state },
  { title: "ATTEMPTS", of: ({ attempts }) => attempts.length },
  { title: "LAST", of: ({ attempts }) => attempts.at(-1)?.status ?? attempts.at(-1)?.error },
  { title: "MADE", of: ({ created_at }) => shownTime(created_at) },
  { title: "URL", of: ({ webhook_url }) => webhook_url, flexible: true },
];

/** Prints a delivery that was requested. */
const shown = ({ id, state, webhook_url }: Delivery) => ({ Id: id, State: state, URL: webhook_url });

/** A number of the log that was typed. */
function seqOf(text: string, name: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw usageError(`${name} must be the seq of an event, a whole number from 1 on`, "webhooks replay");
}

export const webhookCommands = [
  command({
    name: "webhooks",
    summary: "List the URLs that events are delivered to",
    args: [],
    flags: {},
    examples: ["mailkeep webhooks"],
    run: async ({ mail, output, signal }) => {
      const [own, { routes }] = await Promise.all([
        mail.mailbox.get({ signal }),
        mail.webhooks.routes({ signal }),
      ]);
      const first =
        own.webhook_url === null
          ? []
          : [{ label: null, webhook_url: own.webhook_url, status: own.webhook_status }];
      const rows = [
        ...first,
        ...routes.map(({ label, webhook_url, status }) => ({ label, webhook_url, status })),
      ];
      const columns: readonly Column<(typeof rows)[number]>[] = [
        { title: "LABEL", of: ({ label }) => label ?? "(all)" },
        { title: "STATUS", of: ({ status }) => status },
        { title: "URL", of: ({ webhook_url }) => webhook_url, flexible: true },
      ];
      await output.rows(rows, columns, "No webhooks.");
    },
  }),
  command({
    name: "webhooks set",
    summary: "Deliver events to a URL",
    args: [{ name: "url", about: OPERATIONS.updateMailbox.body["webhook_url"]?.about ?? "" }],
    flags: {
      ...LABEL,
      "secret-stdin": {
        type: "switch",
        about: "Read a secret from stdin that signs from now on. The one before also signs for 24 hours.",
      },
    },
    examples: [
      "mailkeep webhooks set https://agent.example/hook",
      "mailkeep webhooks set https://agent.example/orders --label orders",
    ],
    run: async (context, { words: [webhook_url = ""], flags }) => {
      const { mail, output, signal } = context;
      const { label } = flags;
      if (label !== undefined) {
        const route = await mail.webhooks.setRoute({ label, webhook_url }, { signal });
        return output.fields(route, { Label: label, URL: route.webhook_url, Status: route.status });
      }
      const secret = flags["secret-stdin"] === true ? await secretFrom(context.readStdin("the secret")) : {};
      const set = await mail.mailbox.update({ webhook_url, ...secret }, { signal });
      await output.fields(set, { URL: set.webhook_url, Status: set.webhook_status });
    },
  }),
  command({
    name: "webhooks recovery",
    summary: "Turn the recovery of failed webhooks `on` or `off`",
    args: [
      {
        name: "state",
        about: `\`on\` or \`off\`. ${OPERATIONS.updateMailbox.body["webhook_recovery"]?.about ?? ""}`,
      },
    ],
    flags: {},
    examples: ["mailkeep webhooks recovery on"],
    run: async ({ mail, output, signal }, { words: [word = ""] }) => {
      if (word !== "on" && word !== "off")
        throw usageError("webhooks recovery must be on or off", "webhooks recovery");
      const set = await mail.mailbox.update({ webhook_recovery: word === "on" }, { signal });
      await output.fields(set, {
        URL: set.webhook_url,
        Status: set.webhook_status,
        Recovery: set.webhook_recovery ? "on" : "off",
      });
    },
  }),
  command({
    name: "webhooks remove",
    summary: "Deliver no more events to the mailbox's URL, or to that of a label",
    args: [],
    flags: LABEL,
    examples: ["mailkeep webhooks remove", "mailkeep webhooks remove --label orders"],
    run: async ({ mail, output, signal }, { flags: { label } }) => {
      const removed =
        label === undefined
          ? await mail.mailbox.update({ webhook_url: null }, { signal })
          : await mail.webhooks.deleteRoute({ label }, { signal });
      await output.value(removed, () => ["Removed."]);
    },
  }),
  command({
    name: "webhooks deliveries",
    summary: OPERATIONS.webhookDeliveries.summary,
    args: [],
    flags: deliveriesQuery.flags,
    examples: ["mailkeep webhooks deliveries --state failed"],
    run: async ({ mail, output, signal }, { flags }) => {
      const { deliveries } = await mail.webhooks.deliveries(deliveriesQuery.read(flags), { signal });
      await output.rows(deliveries, DELIVERY_COLUMNS, "No deliveries.");
    },
  }),
  command({
    name: "webhooks redeliver",
    summary: OPERATIONS.redeliverWebhook.summary,
    args: [{ name: "id", about: "The id of a delivery, as `mailkeep webhooks deliveries` shows it." }],
    flags: {},
    examples: ["mailkeep webhooks redeliver 01a202aa-8f50-7000-949b-74c43c6e0000"],
    run: async ({ mail, output, signal }, { words: [id = ""] }) => {
      const delivery = await mail.webhooks.redeliver(id, { signal });
      await output.fields(delivery, shown(delivery));
    },
  }),
  command({
    name: "webhooks replay",
    summary: OPERATIONS.replayWebhooks.summary,
    args: [
      { name: "from", about: "The seq of the first event." },
      { name: "to", about: "The seq of the last; the newest without it.", isOptional: true },
    ],
    flags: {},
    examples: ["mailkeep webhooks replay 40 60"],
    run: async ({ mail, output, signal }, { words: [from = "", to = ""] }) => {
      const range = { from_seq: seqOf(from, "from"), ...(to === "" ? {} : { to_seq: seqOf(to, "to") }) };
      const replay = await mail.webhooks.replay(range, { signal });
      const failed = (replay.failed_targets ?? []).map(
        ({ webhook_url, status }) => `${webhook_url} (${status})`,
      );
      await output.fields(replay, {
        Events: replay.events,
        Deliveries: replay.deliveries,
        ...(failed.length === 0 ? {} : { "Nothing to": failed.join(", ") }),
      });
    },
  }),
  command({
    name: "webhooks test",
    summary: OPERATIONS.testWebhook.summary,
    args: [],
    flags: LABEL,
    examples: ["mailkeep webhooks test"],
    run: async ({ mail, output, signal }, { flags: { label } }) => {
      const delivery = await mail.webhooks.test(label === undefined ? {} : { label }, { signal });
      await output.fields(delivery, shown(delivery));
    },
  }),
];

async function secretFrom(stdin: Promise<Uint8Array>): Promise<{ webhook_secret: string }> {
  return { webhook_secret: new TextDecoder().decode(await stdin).trim() };
}
