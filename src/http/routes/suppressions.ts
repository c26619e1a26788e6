import { NO_CURSOR } from "../../contract/parameters.ts";
import { invalid } from "../../contract/problem.ts";
import type { suppressionRoutes } from "../../contract/routes/suppressions.ts";
import { done } from "../../lib/outcome.ts";
import { cutPage } from "../../lib/page.ts";
import { sealed, unsealed } from "../../lib/sealed-text.ts";
import type { HandlersOf } from "../call.ts";

export const suppressionHandlers = {
  async listSuppressions({ mailbox, access, input }) {
    const { limit, cursor } = input.query;
    const after = cursor === null ? "" : unsealed(cursor);
    const fault = after === null ? invalid("cursor", NO_CURSOR) : null;
    const wanted = { after: Buffer.from(after ?? "", "base64url").toString(), limit: limit + 1 };
    const rows = await mailbox.suppressions({ ...access, fault }, wanted);
    if (!rows.ok) return rows;
    const { shown, last } = cutPage(rows.value, limit);
    const next_cursor = last === null ? null : sealed(Buffer.from(last.address).toString("base64url"));
    return done({ suppressions: shown, next_cursor });
  },
} satisfies HandlersOf<typeof suppressionRoutes>;
