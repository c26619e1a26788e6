import type { Bare } from "./bare.ts";
import { NEEDLE_EVERY, NEEDLES } from "../needles.ts";
import { fill, type FilledMail, type Mailboxes } from "./fill.ts";
import type { Floor } from "./floor.ts";

export { Bare } from "./bare.ts";
export { Floor } from "./floor.ts";

interface BenchEnv {
  FLOOR: DurableObjectNamespace<Floor>;
  BARE: DurableObjectNamespace<Bare>;
  /** Bound only where the bench embeds the service's bundle beside this worker. */
  MAILBOX?: Mailboxes;
}

const JSON_HEADERS = { "Content-Type": "application/json" };

export default {
  async fetch(request: Request, env: BenchEnv): Promise<Response> {
    const url = new URL(request.url);
    const box = url.searchParams.get("box") ?? "0";
    if (url.pathname === "/d") return env.FLOOR.getByName(box).fetch("https://floor/");
    const asked = { path: url.pathname, box, what: url.searchParams.get("q") ?? "" };
    return new Response(await answer(request, env, asked), { headers: JSON_HEADERS });
  },
} satisfies ExportedHandler<BenchEnv>;

async function answer(
  request: Request,
  env: BenchEnv,
  asked: { path: string; box: string; what: string },
): Promise<string> {
  const { path, box } = asked;
  switch (path) {
    case "/bare/begin":
      return env.BARE.getByName(box).begin(`${box}@bench.example`);
    case "/bare/store":
      return env.BARE.getByName(box).store(await request.arrayBuffer());
    case "/bare/inbox":
      return env.BARE.getByName(box).inbox();
    case "/fill":
      return JSON.stringify(await fill(bound(env), box, await request.json<FilledMail[]>()));
    case "/cost":
      return JSON.stringify(await bound(env).getByName(box).takeRowCost());
    case "/object":
      return JSON.stringify(bound(env).idFromName(box).toString());
    default:
      return answerOfFloor(request, env.FLOOR.getByName(box), asked);
  }
}

async function answerOfFloor(
  request: Request,
  floor: DurableObjectStub<Floor>,
  { path, what }: { path: string; what: string },
): Promise<string> {
  switch (path) {
    case "/a":
      return floor.constant();
    case "/b":
      return floor.page();
    case "/c":
      return floor.store(await request.arrayBuffer());
    case "/e":
      return floor.storeLarge(await request.arrayBuffer());
    case "/f/fill":
      return floor.fill(NEEDLES, NEEDLE_EVERY);
    case "/f":
      return floor.search(what);
    case "/g":
      return floor.one(Number(what));
    default:
      throw new Error(`the bench worker has no ${path}`);
  }
}

function bound(env: BenchEnv): Mailboxes {
  if (env.MAILBOX === undefined) throw new Error("no mailboxes are bound here");
  return env.MAILBOX;
}
