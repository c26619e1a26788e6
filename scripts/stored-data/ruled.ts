import { message } from "../../test/served/messages.ts";
import { create, must, type Stage } from "./stage.ts";

/** The mailbox with rules: it refused two mails, of which one was released. */
export async function fillRuled(stage: Stage): Promise<void> {
  const box = await create(stage, "ruled");
  const block = [{ match: "*.ads.example" }];
  const allow = [{ match: "ann@example.com", unverified: true }];
  await must(stage, box.api_key, "PUT /v1/mailbox/rules", { receive: { mode: "listed", allow, block } });
  for (const subject of ["Refused", "Released"]) {
    const mail = message({ subject, from: "news@x.ads.example" });
    const { status } = await stage.server.service.handOver(box.mailbox, mail);
    if (status !== 422) throw new Error(`A mail of a blocked sender answered ${status}`);
  }
  const listed = await must<{ refused: { id: string }[] }>(stage, box.api_key, "GET /v1/refused");
  const { id } = await must<{ id: string }>(
    stage,
    box.api_key,
    `POST /v1/refused/${listed.refused[0]?.id}/release`,
  );
  await must(stage, box.api_key, "PATCH /v1/mailbox/seen", { seen: [id] });
}
