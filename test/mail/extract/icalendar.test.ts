import { describe, expect, it } from "vitest";
import { eventIn } from "../../../src/mail/extract/icalendar.ts";

const file = (...lines: string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: string[]): string[] => ["BEGIN:VEVENT", "UID:1@a.example", ...lines, "END:VEVENT"];

const startOf = (text: string) => eventIn(text)?.start;

/** A zone whose clock follows `rule` from `since` on. */
const zone = (rule: string, since = "19700101T000000"): string[] => [
  "BEGIN:VTIMEZONE",
  "TZID:Odd",
  "BEGIN:STANDARD",
  `DTSTART:${since}`,
  "TZOFFSETFROM:+0300",
  "TZOFFSETTO:+0300",
  rule,
  "END:STANDARD",
  "END:VTIMEZONE",
];

describe("the time of an event", () => {
  it.each([
    ["DTSTART:20250702T093000Z", "2025-07-02T09:30:00+00:00"],
    ["DTSTART;TZID=America/New_York:20250702T093000", "2025-07-02T09:30:00-04:00"],
    ["DTSTART;TZID=America/New_York:20251202T093000", "2025-12-02T09:30:00-05:00"],
    ["DTSTART;TZID=Asia/Kolkata:20250702T093000", "2025-07-02T09:30:00+05:30"],
    // The day before and the day of the change to summer time.
    ["DTSTART;TZID=Europe/Berlin:20250329T120000", "2025-03-29T12:00:00+01:00"],
    ["DTSTART;TZID=Europe/Berlin:20250330T120000", "2025-03-30T12:00:00+02:00"],
    ["DTSTART;TZID=Nowhere/At All:20250702T093000", null],
    ["DTSTART:20250702T093000", null],
    ["DTSTART;VALUE=DATE:20250702", "2025-07-02"],
  ])("has the offset of its zone: %s", (line, instant) => {
    const start = startOf(file(...event(line)));
    expect(start?.instant).toBe(instant);
    expect(start?.date.slice(0, 7)).toMatch(/^2025-(?:03|07|12)$/);
  });

  it("has the offset of the file's own zone rather than that of the zone's name", () => {
    const rule = "RRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=1SU";
    expect(startOf(file(...zone(rule), ...event("DTSTART;TZID=Odd:20250702T093000")))?.instant).toBe(
      "2025-07-02T09:30:00+03:00",
    );
  });

  it.each([
    "RRULE:FREQ=SECONDLY",
    "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31",
    "RRULE:FREQ=YEARLY;BYSECOND=0,1,2,3;BYMINUTE=1,2,3",
    "RRULE:FREQ=DAILY;UNTIL=99991231T000000Z",
  ])("is read at once with an endless rule in its zone: %s", (rule) => {
    const text = file(...zone(rule, "16010101T000000"), ...event("DTSTART;TZID=Odd:20250702T093000"));
    expect(startOf(text)).toEqual({ date: "2025-07-02", time: "09:30", instant: null });
  });

  it("does not expand an event's own recurrence", () => {
    const lines = ["DTSTART:00010101T000000Z", "RRULE:FREQ=SECONDLY;COUNT=999999999", "DURATION:PT1H"];
    expect(startOf(file(...event(...lines)))?.date).toBe("0001-01-01");
  });
});

describe("a hostile file", () => {
  it.each([
    ["DTSTART:20250702T090000Z", "DURATION:P99999999999W"],
    ["DTSTART:20250702T090000Z", "DURATION:-P99999999999D"],
    ["DTSTART:99999999T999999Z", "DTEND:00000000T000000Z"],
    ["DTSTART:20250702T090000Z", `DTEND;TZID=${"a".repeat(5_000)}:20250702T093000`],
    ["DTSTART;TZID=Europe/Berlin:99990702T090000", "DURATION:PT1H"],
    ["DTSTART:20250702T090000Z", ...Array.from({ length: 50_000 }, () => "ATTENDEE:mailto:a@b.example")],
  ])("is read at once: %s", (...lines) => {
    const before = process.cpuUsage();
    const found = eventIn(file(...event(...lines)));
    expect(found?.attendees.length ?? 0).toBeLessThanOrEqual(200);
    // It takes some ten milliseconds; what would count through the years takes minutes.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe("the event of a file", () => {
  it("is the series and not one changed occurrence of it", () => {
    const changed = event("RECURRENCE-ID:20250709T090000Z", "DTSTART:20250709T100000Z", "SUMMARY:Moved");
    const series = event("DTSTART:20250702T090000Z", "RRULE:FREQ=WEEKLY", "SUMMARY:Series");
    expect(eventIn(file(...changed, ...series))?.title).toBe("Series");
    expect(eventIn(file(...changed))?.title).toBe("Moved");
  });

  it("is read through folded lines, escapes, parameters in quotes and alarms", () => {
    const lines = [
      "DTSTART:20250702T090000Z",
      "SUMMARY;LANGUAGE=en:Tea\\, cake\\; and\\nmu",
      " sic",
      'ATTENDEE;CN="Li, Wei";X-A="b:c":mailto:li@example.org',
      "BEGIN:VALARM",
      "SUMMARY:Alarm",
      "END:VALARM",
      `ATTACH;ENCODING=BASE64;VALUE=BINARY:${"A".repeat(100_000)}`,
    ];
    expect(eventIn(file(...event(...lines)))).toMatchObject({
      title: "Tea, cake; and music",
      attendees: ["li@example.org"],
      method: null,
    });
  });

  it("is cancelled where its status says so", () => {
    const lines = ["DTSTART:20250702T090000Z", "STATUS:CANCELLED"];
    expect(eventIn(file(...event(...lines)))?.method).toBe("CANCEL");
    expect(eventIn(file("METHOD:REQUEST", ...event("DTSTART:20250702T090000Z")))?.method).toBe("REQUEST");
  });

  it.each([
    "",
    "no calendar",
    "BEGIN:VCALENDAR",
    file("BEGIN:VTODO", "UID:1", "END:VTODO"),
    "BEGIN:VEVENT\nEND:X",
  ])("is none in %j", (text) => {
    expect(eventIn(text)).toBeNull();
  });
});
