import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringMember } from "../../src/lib/json-text.ts";

describe("a string member of a JSON text", () => {
  it("is found although other values contain its name, or other names end with it", () => {
    const others = fc.string({
      unit: fc.constantFrom('"', "\\", ":", ",", "{", "subject", 'x"subject', "é"),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(others, others)), fc.string(), others, (fields, subject, tail) => {
        const strangers = Object.fromEntries(fields.filter(([name]) => name !== "subject"));
        const json = JSON.stringify({
          labels: fields.flat(),
          headers: strangers,
          ...strangers,
          subject,
          tail,
        });
        const member = stringMember(json, "subject");
        expect(member.value()).toBe(subject);
        expect(json.slice(member.start, member.end)).toBe(JSON.stringify(subject));
      }),
    );
  });
});
