import type { extractRoutes } from "../../contract/routes/extract.ts";
import { extractData } from "../../service/extract-data.ts";
import type { HandlersOf } from "../call.ts";

export const extractHandlers = {
  extract: ({ input, env, mailbox, access }) => extractData({ env, mailbox, access }, input.body),
} satisfies HandlersOf<typeof extractRoutes>;
