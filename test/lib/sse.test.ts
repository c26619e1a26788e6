import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventFrame, KEEPALIVE, readLastEventId } from "../../src/lib/sse.ts";

/** Reads a stream as the HTML Standard says (9.2.6). */
function readFrames(stream: string): { id: string; event: string; data: string }[] {
  const frames: { id: string; event: string; data: string }[] = [];
  let frame = { id: "", event: "", data: [] as string[] };
  for (const line of stream.split(/\r\n|\r|\n/)) {
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/su.exec(line) ?? [];
    if (line === "") {
      if (frame.data.length > 0) frames.push({ ...frame, data: frame.data.join("\n") });
      frame = { id: "", event: "", data: [] };
    } else if (field === "data") frame.data.push(value);
    else if (field === "id" || field === "event") frame[field] = value;
  }
  return frames;
}

const NASTY = "a\r\nb\n\nevent: x\rid: 9\u2028c\u2029d\u0085e\u0000f\ud800";

describe("an event frame", () => {
  it("is written as specified", () => {
    expect(eventFrame(7, "message.received", { subject: "Hi" })).toBe(
      'id: 7\nevent: message.received\ndata: {"subject":"Hi"}\n\n',
    );
  });

  it("has exactly three lines, whatever the mail contains", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constant(NASTY));
    fc.assert(
      fc.property(fc.nat(), fc.dictionary(text, text), (seq, data) => {
        const frame = eventFrame(seq, "message.sent", data);
        expect(frame.trimEnd().split(/[\r\n\u0085\u2028\u2029]/)).toHaveLength(3);
        const [read, ...more] = readFrames(frame + KEEPALIVE);
        expect(more).toEqual([]);
        expect(read).toMatchObject({ id: String(seq), event: "message.sent" });
        expect(JSON.parse(read?.data ?? "")).toEqual(data);
      }),
      { numRuns: 1_000 },
    );
  });

  it("has a kind that cannot add a line", () => {
    expect(readFrames(eventFrame(1, "x\r\ndata: y\n\n\0", {}))).toEqual([
      { id: "1", event: "xdata: y", data: "{}" },
    ]);
  });
});

describe("a keepalive", () => {
  it("is a comment that no client takes for an event", () => {
    expect(KEEPALIVE).toBe(": keepalive\n\n");
    expect(readFrames(KEEPALIVE + KEEPALIVE)).toEqual([]);
  });
});

describe("Last-Event-ID", () => {
  it("is a number of the log; 0 is its beginning", () => {
    expect(readLastEventId("0", 0)).toBe(0);
    expect(readLastEventId("41", 42)).toBe(41);
    expect(readLastEventId("42", 42)).toBe(42);
  });

  it.each([null, "", "43", "-1", "1.5", "1e1", "0x1", "+1", " 1", "01", "abc", "1,2", "٣", "9".repeat(400)])(
    "counts as none when it is %j",
    (header) => {
      expect(readLastEventId(header, 42)).toBeNull();
    },
  );

  it("is read back from each frame", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (seq) => {
        const [frame] = readFrames(eventFrame(seq, "message.received", {}));
        expect(readLastEventId(frame?.id ?? null, seq)).toBe(seq);
        expect(readLastEventId(frame?.id ?? null, seq - 1)).toBeNull();
      }),
    );
  });
});
