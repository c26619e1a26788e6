import { guideText, skillText, type GuideFacts } from "../../contract/guide.ts";
import type { guideRoutes } from "../../contract/routes/guide.ts";
import { checkingDoors, type Config } from "../../config/env.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { done } from "../../lib/outcome.ts";
import { claimKeySecret } from "../../service/claims.ts";
import { Bytes } from "../answers.ts";
import type { HandlersOf } from "../call.ts";

export const guideHandlers = {
  guide: ({ config, origin }) =>
    Promise.resolve(done(answer(written(config, origin).guide, "text/plain; charset=utf-8"))),
  skill: ({ config, origin }) =>
    Promise.resolve(done(answer(written(config, origin).skill, "text/markdown; charset=utf-8"))),
} satisfies HandlersOf<typeof guideRoutes>;

/** A text and its ETag. */
interface Written {
  text: string;
  tag: string;
}

/** A deployment has one or two names; whoever asks under many does not fill the memory. */
const MAX_ORIGINS = 32;
const byConfig = new WeakMap<Config, Map<string, { guide: Written; skill: Written }>>();

/** Both forms for an address of the deployment, written once for each. */
function written(config: Config, origin: string): { guide: Written; skill: Written } {
  const known = byConfig.get(config) ?? new Map<string, { guide: Written; skill: Written }>();
  byConfig.set(config, known);
  const before = known.get(origin);
  if (before !== undefined) return before;
  const facts = guideFacts(config, origin);
  const both = { guide: tagged(guideText(facts)), skill: tagged(skillText(facts)) };
  if (known.size >= MAX_ORIGINS) known.clear();
  known.set(origin, both);
  return both;
}

/** The facts of the guide, by the settings of a deployment. */
export function guideFacts(config: Config, url: string): GuideFacts {
  const { outbound, dailySendLimit } = config;
  const sends = dailySendLimit > 0 ? ("on" as const) : ("off" as const);
  const sending = { none: "off", local: sends === "on" ? "local" : "off" } as const;
  return {
    url,
    mailDomain: config.mailDomain,
    temporary: config.bootstrapEnabled,
    claims: claimKeySecret(config).ok,
    sending: outbound === "none" || outbound === "local" ? sending[outbound] : sends,
    dailySendLimit,
    meaning: config.embeddings !== null,
    proves: checkingDoors(config).some(({ checks }) => checks),
  };
}

function tagged(text: string): Written {
  return { text, tag: `"${sha256Hex(text).slice(0, 32)}"` };
}

/** Caches may keep it and must ask each time: a cache that confuses host names then never serves the text of another. */
function answer({ text, tag }: Written, type: string): Bytes<200> {
  return new Bytes(200, text, { "Content-Type": type, ETag: tag, "Cache-Control": "no-cache" });
}
