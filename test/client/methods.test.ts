import { expect, it } from "vitest";
import { routes, type RouteId } from "../../src/contract/routes.ts";
import type { RouteSpec } from "../../src/contract/route.ts";
import { Mailkeep, METHODS } from "../../src/client/index.ts";

/** A client whose requests go nowhere: each is answered with an empty page. */
function recorder() {
  const requests: { url: URL; init: RequestInit }[] = [];
  const fetch = (url: string, init: RequestInit) => {
    requests.push({ url: new URL(url), init });
    return Promise.resolve(Response.json({ next_cursor: null }));
  };
  return { mail: new Mailkeep({ url: "https://mail.example/base/", key: "mk_1", fetch }), fetch, requests };
}

const table: Readonly<Record<RouteId, RouteSpec>> = routes;
const groups = Object.entries<Readonly<Record<string, RouteId>>>(METHODS);
const methods = groups.flatMap(([group, ids]) =>
  Object.entries(ids).map(([name, id]) => ({ group, name, id, spec: table[id] })),
);

it("has exactly one method for each route of the table", () => {
  const ids = ["bootstrap", ...methods.map(({ id }) => id)];
  expect(ids.toSorted()).toEqual(Object.keys(routes).toSorted());
});

it.each(methods)("$group.$name calls $spec.method $spec.path", async ({ group, name, spec }) => {
  const { mail, requests } = recorder();
  const owner: object = group === "" ? mail : Reflect.get(mail, group);
  const takes = [
    Array(spec.path.split(":").length - 1).fill("an id/?"),
    spec.rawBody === undefined ? [] : ["bytes"],
    [{ limit: 7 }, { mailbox: "ann@mail.example" }],
  ].flat();
  await Reflect.apply(Reflect.get(owner, name), owner, takes);
  const [request] = requests;
  expect(request?.init.method).toBe(spec.method);
  expect(request?.url.pathname).toBe(`/base${spec.path.replaceAll(/:\w+/g, "an%20id%2F%3F")}`);
  expect(new Headers(request?.init.headers).get("Authorization")).toBe("Bearer mk_1");
  if (spec.rawBody === undefined) return;
  expect(request?.init.body).toBe("bytes");
});

it("makes a mailbox without a key, and a client of it", async () => {
  const { requests, fetch } = recorder();
  const answer = { mailbox: "agent-1@mail.example", api_key: "mk_2" };
  const born = await Mailkeep.bootstrap({
    url: "https://mail.example",
    fetch: async (url, init) => (await fetch(url, init), Response.json(answer, { status: 201 })),
  });
  expect(born.key).toBe("mk_2");
  expect(born.address).toBe("agent-1@mail.example");
  const headers = new Headers(requests[0]?.init.headers);
  expect(headers.has("Authorization")).toBe(false);
  expect(headers.get("Idempotency-Key")).toMatch(/^[0-9a-f]{32}$/);
});

it("refuses an id that leads to another path", async () => {
  const { mail, requests } = recorder();
  for (const id of ["", ".", ".."]) {
    const fault = { name: "MailkeepError", code: "invalid", field: "id" };
    await expect(mail.emails.delete(id)).rejects.toMatchObject(fault);
    await expect(mail.threads.get(id)).rejects.toMatchObject(fault);
  }
  expect(requests).toEqual([]);
});

it("does not show the key in a log of the client", () => {
  expect(JSON.stringify(recorder().mail)).not.toContain("mk_1");
});
