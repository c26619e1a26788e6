import packet from "dns-packet";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeAnswer, encodeQuery } from "../../../src/lib/dns/message.ts";

const QUESTION = { id: 4_660, name: "mail.example.org", type: "TXT" } as const;

function answer(answers: packet.Answer[], more: Partial<packet.Packet> = {}): Buffer {
  const questions: packet.Question[] = [{ type: QUESTION.type, name: QUESTION.name, class: "IN" }];
  return packet.encode({ type: "response", id: QUESTION.id, flags: 0, questions, answers, ...more });
}

describe("a DNS message", () => {
  it("asks what another implementation reads", () => {
    const { id, flags, questions, additionals } = packet.decode(encodeQuery({ ...QUESTION, type: "MX" }));
    expect({ id, flags, questions }).toEqual({
      id: 4_660,
      flags: packet.RECURSION_DESIRED,
      questions: [{ name: "mail.example.org", type: "MX", class: "IN" }],
    });
    expect(additionals).toMatchObject([{ type: "OPT", udpPayloadSize: 1_232 }]);
  });

  it.each([
    ["A", "192.0.2.1", "192.0.2.1"],
    ["AAAA", "2001:db8::1", "2001:db8:0:0:0:0:0:1"],
    ["PTR", "Host.Example.org", "host.example.org"],
    ["MX", { preference: 10, exchange: "MX.example.org" }, "10 mx.example.org"],
    ["TXT", ["one ", Buffer.from([0xff, 0x22])], 'one \xff"'],
  ] as const)("reads a record of type %s as another implementation writes it", (type, data, text) => {
    const record = { type, name: "MAIL.example.org", ttl: 90, data } as packet.Answer;
    const bytes = answer([record], { questions: [{ type, name: QUESTION.name }] });
    expect(decodeAnswer(bytes, { ...QUESTION, type })).toEqual({
      kind: "answer",
      fetched: { answer: { records: [text], exists: true }, ttlSeconds: 90 },
    });
  });

  it("follows aliases, keeps the shortest TTL, and believes no record of another name", () => {
    const records: packet.Answer[] = [
      { type: "CNAME", name: QUESTION.name, ttl: 20, data: "other.example.net" },
      { type: "TXT", name: "elsewhere.example", ttl: 60, data: "forged" },
      { type: "TXT", name: "other.example.net", ttl: 60, data: "real" },
    ];
    expect(decodeAnswer(answer(records), QUESTION)).toMatchObject({
      fetched: { answer: { records: ["real"] }, ttlSeconds: 20 },
    });
    const circle: packet.Answer[] = [{ type: "CNAME", name: QUESTION.name, ttl: 20, data: QUESTION.name }];
    expect(decodeAnswer(answer(circle), QUESTION)).toMatchObject({ fetched: { answer: { records: [] } } });
  });

  it("tells a name that does not exist from one without records, for as long as the SOA says", () => {
    const soa = {
      mname: "ns.example.org",
      rname: "x.example.org",
      serial: 1,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 120,
    };
    const authorities: packet.Answer[] = [{ type: "SOA", name: "example.org", ttl: 600, data: soa }];
    expect(decodeAnswer(answer([], { authorities }), QUESTION)).toMatchObject({
      fetched: { answer: { exists: true }, ttlSeconds: 120 },
    });
    expect(decodeAnswer(answer([], { flags: 3 }), QUESTION)).toMatchObject({
      fetched: { answer: { exists: false } },
    });
  });

  it("believes no answer to another question, and none of a failed server", () => {
    const wanted = answer([{ type: "TXT", name: QUESTION.name, ttl: 60, data: "x" }]);
    expect(decodeAnswer(wanted, { ...QUESTION, id: 1 }).kind).toBe("other");
    expect(decodeAnswer(wanted, { ...QUESTION, name: "mail.example.com" }).kind).toBe("other");
    expect(decodeAnswer(wanted, { ...QUESTION, type: "A" }).kind).toBe("other");
    expect(decodeAnswer(encodeQuery(QUESTION), QUESTION).kind).toBe("other");
    expect(decodeAnswer(answer([], { flags: 2 }), QUESTION).kind).toBe("failed");
    expect(decodeAnswer(answer([], { flags: packet.TRUNCATED_RESPONSE }), QUESTION).kind).toBe("cut");
  });

  it("survives any bytes, and any damage to an answer", () => {
    const good = answer([
      { type: "CNAME", name: QUESTION.name, ttl: 60, data: "other.example.net" },
      { type: "TXT", name: "other.example.net", ttl: 60, data: ["one", "two"] },
    ]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(decodeAnswer(Buffer.from(bytes), QUESTION).kind).toBe("other");
      }),
    );
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, fc.nat(good.length), (changes, length) => {
        const bytes = Buffer.from(good.subarray(0, length));
        for (const [at, value] of changes) if (at < length) bytes[at] = value;
        expect(() => decodeAnswer(bytes, QUESTION)).not.toThrow();
      }),
    );
  });
});
