import type { movingRoutes } from "../../contract/routes/moving.ts";
import { invalid } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import { exportArchive } from "../../service/export-archive.ts";
import { beginExport, resumeExport, skipBytes } from "../../service/export-resume.ts";
import { streamOf } from "../../service/message-source.ts";
import { signingKey } from "../../service/signing-key.ts";
import { storeImport } from "../../service/store-import.ts";
import { Bytes } from "../answers.ts";
import type { HandlersOf } from "../call.ts";
import { announcedBytes } from "../request-input.ts";

/** An export whose client reads nothing for this time, in ms, breaks off: it can be resumed. */
const MAX_UNREAD_MS = 60_000;

export const movingHandlers = {
  async exportMailbox({ env, mailbox, access, input, config }) {
    const { after, resume, offset, sha256 } = input.query;
    if (resume !== null && sha256 === null)
      return refused(
        invalid("sha256", "must come with resume: the SHA-256 of the bytes that have arrived, in hex"),
      );
    const key = await signingKey(config);
    if (!key.ok) return key;
    const asked = { mailbox, access, key: key.value };
    const begun = resume === null ? await beginExport(asked, after) : await resumeExport(asked, resume);
    if (!begun.ok) return begun;
    const { point, token, address, run } = begun.value;
    const whole = exportArchive({ ...asked, ...begun.value, env, origin: config.publicUrl });
    const pieces = resume === null ? done(whole) : await skipBytes(whole, offset, sha256);
    if (!pieces.ok) {
      await mailbox.exportEnd(run);
      return pieces;
    }
    const day = new Date(point.startedMs).toISOString().slice(0, 10);
    const name = `${address.replaceAll(/[^a-z0-9.@-]/gi, "_")}-${day}.tar`;
    return done(
      new Bytes(200, streamOf(pieces.value, MAX_UNREAD_MS), {
        "Content-Type": "application/x-tar",
        "Content-Disposition": `attachment; filename="${name}"`,
        "Mailkeep-Resume": token,
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
