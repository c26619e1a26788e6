import type { movingRoutes } from "../../contract/routes/moving.ts";
import { done } from "../../lib/outcome.ts";
import { exportArchive } from "../../service/export-archive.ts";
import { streamOf } from "../../service/message-source.ts";
import { signingKey } from "../../service/signing-key.ts";
import { storeImport } from "../../service/store-import.ts";
import { Bytes } from "../answers.ts";
import type { HandlersOf } from "../call.ts";
import { announcedBytes } from "../request-input.ts";

export const movingHandlers = {
  async exportMailbox({ env, mailbox, access, input, config }) {
    const { after } = input.query;
    const start = await mailbox.exportStart(access, after);
    if (!start.ok) return start;
    const key = await signingKey(config);
    if (!key.ok) return key;
    const origin = config.publicUrl;
    const from = { env, mailbox, access, start: start.value, after, origin, key: key.value };
    const day = new Date().toISOString().slice(0, 10);
    const name = `${start.value.address.replaceAll(/[^a-z0-9.@-]/gi, "_")}-${day}.tar`;
    return done(
      new Bytes(200, streamOf(exportArchive(from)), {
        "Content-Type": "application/x-tar",
        "Content-Disposition": `attachment; filename="${name}"`,
      }),
    );
  },

  async importMail({ request, env, mailbox, access, input }) {
    const { format = "auto", label } = input.query;
    const labels = label === undefined ? [] : [label];
    const archive = { format, labels, sizeBytes: announcedBytes(request), body: request.body };
    return storeImport(archive, { env, mailbox, access });
  },

  async signingKeys({ config }) {
    const key = await signingKey(config);
    return key.ok ? done({ keys: [key.value.public] }) : key;
  },
} satisfies HandlersOf<typeof movingRoutes>;
