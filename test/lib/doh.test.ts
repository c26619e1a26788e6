import { describe, expect, it } from "vitest";
import { dohLookup, dohResolver } from "../../src/lib/doh.ts";
import { resolution } from "../../src/lib/public-url.ts";

const URL_OF_RESOLVER = "https://doh.example/dns-query?key=1";

type Records = { type: number; data: string }[];

/** A resolver that answers by type, and what it was asked. */
function resolverWith(answers: { A?: object | Response; AAAA?: object | Response }) {
  const asked: Request[] = [];
  const send: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    asked.push(request);
    const answer = answers[new URL(request.url).searchParams.get("type") === "A" ? "A" : "AAAA"];
    return Promise.resolve(answer instanceof Response ? answer : Response.json(answer ?? { Status: 0 }));
  };
  return { asked, resolve: dohResolver(URL_OF_RESOLVER, send) };
}

const records = (...found: Records) => ({
  Status: 0,
  TC: false,
  Answer: found.map((one) => ({ name: "x", TTL: 1, ...one })),
});

describe("a DNS-over-HTTPS resolver", () => {
  it("asks for IPv4 and IPv6 in application/dns-json, and gives all addresses", async () => {
    const { asked, resolve } = resolverWith({
      A: records(
        { type: 5, data: "real.example.com." },
        { type: 1, data: "8.8.8.8" },
        { type: 1, data: "8.8.4.4" },
      ),
      AAAA: records({ type: 28, data: "2606:4700::1" }),
    });
    expect(await resolve("hooks.example.com")).toEqual(["8.8.8.8", "8.8.4.4", "2606:4700::1"]);
    expect(asked.map(({ url }) => url).toSorted()).toEqual([
      "https://doh.example/dns-query?key=1&name=hooks.example.com&type=A",
      "https://doh.example/dns-query?key=1&name=hooks.example.com&type=AAAA",
    ]);
    for (const request of asked) {
      expect(request.headers.get("Accept")).toBe("application/dns-json");
      expect(request.redirect).toBe("manual");
    }
  });

  it("escapes what it asks for", async () => {
    const { asked, resolve } = resolverWith({});
    await resolve("a&type=TXT");
    expect(new URL(asked[0]?.url ?? "").searchParams.getAll("type")).toHaveLength(1);
  });

  it("gives nothing for a name that is not there, or has no address", async () => {
    const missing = resolverWith({ A: { Status: 3 }, AAAA: { Status: 3 } });
    expect(await missing.resolve("nowhere.example.com")).toEqual([]);
    expect(await resolverWith({}).resolve("empty.example.com")).toEqual([]);
  });

  it.each([
    ["SERVFAIL", { Status: 2 }],
    ["REFUSED", { Status: 5 }],
    ["an answer that was cut off", { Status: 0, TC: true, Answer: [{ type: 28, data: "2606:4700::1" }] }],
    ["no status", { Answer: [] }],
    ["addresses that are no text", { Status: 0, Answer: [{ type: 28, data: 1 }] }],
    ["an answer that is no JSON", new Response("<html>")],
    ["an error of its own", new Response("no", { status: 500 })],
    ["a redirect", new Response(null, { status: 302, headers: { Location: "https://evil.example/" } })],
    ["endless text", new Response(`{"Status":0,"Comment":"${"x".repeat(70_000)}"}`)],
  ])(
    "fails on %s, though the other type was answered: half an answer hides the other half",
    async (_, AAAA) => {
      const { resolve } = resolverWith({ A: records({ type: 1, data: "8.8.8.8" }), AAAA });
      await expect(resolve("hooks.example.com")).rejects.toBeInstanceOf(Error);
      const again = resolverWith({ A: records({ type: 1, data: "8.8.8.8" }), AAAA });
      expect(await resolution("hooks.example.com", again.resolve)).not.toBe("public");
    },
  );

  it("of a name that leads home in IPv6 alone makes it not public", async () => {
    const { resolve } = resolverWith({
      A: records({ type: 1, data: "8.8.8.8" }),
      AAAA: records({ type: 28, data: "::ffff:127.0.0.1" }),
    });
    expect(await resolution("hooks.example.com", resolve)).toBe("not_public");
  });
});

/** A look-up whose resolver answers one question after the other. */
function lookupWith(...answers: (object | Response)[]) {
  const asked: string[] = [];
  const send: typeof fetch = (input) => {
    asked.push(new URL(new Request(input).url).search);
    const answer = answers[asked.length - 1] ?? { Status: 3 };
    return Promise.resolve(answer instanceof Response ? answer : Response.json(answer));
  };
  return { asked, lookup: dohLookup(URL_OF_RESOLVER, send) };
}

describe("a look-up of records", () => {
  it("gives mail hosts with their preference", async () => {
    const { asked, lookup } = lookupWith(records({ type: 15, data: "10 mx.example.org." }));
    expect(await lookup("example.org", "MX")).toEqual(["10 mx.example.org."]);
    expect(asked).toEqual(["?key=1&name=example.org&type=MX"]);
  });

  it.each([
    ["one string", '"v=spf1 -all"', "v=spf1 -all"],
    ["several strings", '"v=DKIM1; p=ab" "cd"', "v=DKIM1; p=abcd"],
    ["several strings with nothing between them", '"ab""cd"', "abcd"],
    ["no quotes at all", "v=spf1 -all", "v=spf1 -all"],
    ["quotes and backslashes", String.raw`"a\"b\\c\059d"`, 'a"b\\c;d'],
    ["an empty string", '""', ""],
    ["an unfinished string", '"abc', ""],
  ])("joins the strings of a text: %s", async (_, data, text) => {
    expect(await lookupWith(records({ type: 16, data })).lookup("x.example", "TXT")).toEqual([text]);
  });

  it("finds nothing where the name, or the type, is not there", async () => {
    expect(await lookupWith({ Status: 3 }).lookup("x.example", "TXT")).toEqual([]);
    expect(await lookupWith({ Status: 0 }).lookup("x.example", "TXT")).toEqual([]);
    const other = records({ type: 16, data: '"text"' });
    expect(await lookupWith(other).lookup("x.example", "MX")).toEqual([]);
  });

  it("goes through the aliases that come along", async () => {
    const chain = records({ type: 5, data: "real.example." }, { type: 16, data: '"here"' });
    const { asked, lookup } = lookupWith(chain);
    expect(await lookup("x.example", "TXT")).toEqual(["here"]);
    expect(asked).toHaveLength(1);
  });

  it("follows an alias that the resolver does not, and gives up on a circle", async () => {
    const alias = records({ type: 5, data: "real.example." });
    const { asked, lookup } = lookupWith(alias, records({ type: 16, data: '"there"' }));
    expect(await lookup("x.example", "TXT")).toEqual(["there"]);
    expect(asked[1]).toContain("name=real.example.");
    const circle = lookupWith(...Array.from({ length: 100 }, () => alias));
    await expect(circle.lookup("real.example.", "TXT")).rejects.toThrow("alias");
    expect(circle.asked.length).toBeLessThan(20);
  });

  it.each([
    ["SERVFAIL", { Status: 2 }],
    ["an answer that was cut off", { Status: 0, TC: true, Answer: [] }],
    ["an error of its own", new Response("no", { status: 500 })],
    ["an answer that is no JSON", new Response("<html>")],
  ])("does not take %s for nothing", async (_, answer) => {
    await expect(lookupWith(answer).lookup("x.example", "TXT")).rejects.toBeInstanceOf(Error);
  });

  it("does not wait for ever, and lets go of what it waited for", async () => {
    let aborted = false;
    const hanging: typeof fetch = (_, init) => {
      init?.signal?.addEventListener("abort", () => (aborted = true));
      return new Promise<never>(() => undefined);
    };
    await expect(dohLookup(URL_OF_RESOLVER, hanging, 20)("x.example", "MX")).rejects.toThrow("in time");
    expect(aborted).toBe(true);
  });
});
