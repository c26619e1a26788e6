import type { Twin, TwinMailbox } from "../../../src/twin/api.ts";

/** The name under which the twin trusts `Authentication-Results`. */
export const MAIL_SERVER = "mx.mailkeep.test";

const TRUSTED = (domain: string): Record<string, string> => ({
  "Authentication-Results": `${MAIL_SERVER}; spf=pass smtp.mailfrom=${domain}; dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}`,
});

const NEWSLETTER = `<html><head><style>
  body { background: #f2efe9 } .card { background: #fff; max-width: 520px; margin: 0 auto; padding: 24px }
  h1 { color: #7a3b2e; font-size: 26px } .button { background: #7a3b2e; color: #fff; padding: 10px 18px; text-decoration: none; display: inline-block }
</style></head><body><div class="card"><h1>Your order is on its way</h1>
<p>Hello Ann,</p><p>we handed parcel <b>1Z 999 AA1 01</b> to the carrier this morning. It should be with you on Thursday.</p>
<p><a class="button" href="https://shop.example/track/1Z999AA101">Follow your parcel</a></p>
<table width="100%"><tr><td>Two lamps</td><td align="right">€ 84.00</td></tr><tr><td>Postage</td><td align="right">€ 4.90</td></tr></table>
<p><small>Shop Ltd, 1 High Street</small></p></div></body></html>`;

const ARABIC =
  "مرحبا آن،\n\nتم تأكيد حجزك في فندق البحر لليلتين. رقم الحجز 48213.\n\nمع التحية\nفندق البحر\n";

/** Subjects by which the pictures find a mail. */
export const SUBJECTS = {
  code: "Your verification code",
  order: "Your order 4711 is on its way",
  files: "The report you asked for",
  arabic: "تأكيد حجزك في فندق البحر",
} as const;

/** A mailbox as one looks after some days, with mail from a day before to now. */
export async function fillMailbox(twin: Twin): Promise<TwinMailbox> {
  const box = await twin.mailbox({ name: "travel-desk" });
  const { client } = box;
  await client.mailbox.update({ display_name: "Travel Desk" });
  const rules = { mode: "everyone", block: [{ match: "*.ads.example" }] } as const;
  await client.rules.put({ receive: rules });
  await twin.deliver({
    to: box,
    from: "Bob Baker <bob@baker.example>",
    subject: "Lunch on Friday?",
    text: "Would one o'clock suit you? The place at the corner, https://corner.example/menu, has a table.\n\nBob\n",
  });
  await twin.clock.advance("3h");
  await twin.deliver({
    to: box,
    from: "Carla Núñez <carla@reports.example>",
    subject: SUBJECTS.files,
    text: "Here are the numbers of the third quarter, and the table they come from.\n",
    attachments: [
      { filename: "Report Q3.pdf", content: Buffer.alloc(48_000, 7), contentType: "application/pdf" },
      { filename: "table.csv", content: "a,b,c\n1,2,3\n", contentType: "text/csv" },
    ],
  });
  await twin.clock.advance("17h");
  await twin.deliver({
    to: box,
    from: "فندق البحر <stay@hotel.example>",
    subject: SUBJECTS.arabic,
    text: ARABIC,
  });
  await twin.clock.advance("20m");
  await twin.deliver({
    to: box,
    from: "Shop <orders@shop.example>",
    subject: SUBJECTS.order,
    html: NEWSLETTER,
    headers: TRUSTED("shop.example"),
  });
  await twin.clock.advance("40m");
  await twin.deliver({
    to: box,
    from: "Flights <hello@flights.example>",
    subject: "Please confirm your email address",
    text: "Confirm your email address to finish your booking:\nhttps://flights.example/confirm?token=f2b7c19e84d0a6357e1b\n",
  });
  await twin.clock.advance("10m");
  const itinerary = {
    to: ["Ann <ann@elsewhere.example>"],
    subject: "Itinerary",
    text: "The tickets follow.\n",
  };
  await client.send(itinerary, { wait: 10 });
  await twin.settled();
  await twin.clock.advance("5m");
  const answer = await twin.deliver({
    to: box,
    from: "Bob Baker <bob@baker.example>",
    subject: "Re: Lunch on Friday?",
    // The twin numbers the messages that it is given.
    headers: { "In-Reply-To": "<twin-1@example.com>", References: "<twin-1@example.com>" },
    text: "One o'clock it is, then.\n",
  });
  await twin.clock.advance("12m");
  const code = await twin.deliver({
    to: box,
    from: "Account team <login@bank.example>",
    subject: SUBJECTS.code,
    text: "Your verification code is 482913. It is valid for ten minutes.\n\nIf you did not ask for it, do nothing.\n",
    headers: TRUSTED("bank.example"),
  });
  await twin.clock.advance("1m");
  // What a picture opens is seen before, so that pictures do not depend on one another.
  await client.mailbox.markSeen({ up_to: code.id, unseen: [answer.id] });
  return box;
}
