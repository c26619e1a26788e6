import { fill, type FilledMail, type Mailboxes } from "./fill.ts";
import type { Floor } from "./floor.ts";

export { Floor } from "./floor.ts";

interface BenchEnv {
  FLOOR: DurableObjectNamespace<Floor>;
  /** Bound only where the bench embeds the service's bundle beside this worker. */
  MAILBOX?: Mailboxes;
}

const JSON_HEADERS = { "Content-Type": "application/json" };

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const url = new URL(request.url);
    const box = url.searchParams.get("box") ?? "0";
    if (url.pathname === "/d") return env.FLOOR.getByName(box).fetch("https://floor/");
    return new Response(await answer(request, env, { path: url.pathname, box }), { headers: JSON_HEADERS });
  },
} satisfies ExportedHandler<BenchEnv>;

async function answer(
  request: Request,
  env: BenchEnv,
  asked: { path: string; box: string },
): Promise<string> {
  const { path, box } = asked;
  switch (path) {
    case "/a":
      return env.FLOOR.getByName(box).constant();
    case "/b":
      return env.FLOOR.getByName(box).page();
    case "/c":
      return env.FLOOR.getByName(box).store(await request.arrayBuffer());
    case "/fill":
      return JSON.stringify(await fill(bound(env), box, await request.json<FilledMail[]>()));
    case "/cost":
      return JSON.stringify(await bound(env).getByName(box).takeRowCost());
    case "/object":
      return JSON.stringify(bound(env).idFromName(box).toString());
    default:
      throw new Error(`the bench worker has no ${path}`);
  }
}

function bound(env: BenchEnv): Mailboxes {
  if (env.MAILBOX === undefined) throw new Error("no mailboxes are bound here");
  return env.MAILBOX;
}
