import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventIn } from "../../../src/mail/extract/icalendar.ts";
import { eventByLibrary } from "./icalendar-by-library.ts";

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

const two = (value: number): string => String(value).padStart(2, "0");
const dateText = fc
  .tuple(
    fc.integer({ min: 1950, max: 2100 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
  )
  .map(([year, month, day]) => `${year}${two(month)}${two(day)}`);
const timeText = fc
  .tuple(dateText, fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 0, 30, 59), fc.constantFrom(0, 0, 59))
  .map(([date, hour, minute, second]) => `${date}T${two(hour)}${two(minute)}${two(second)}`);

const offset = fc.constantFrom("+0100", "+0200", "-0400", "-0500", "+0530", "-1130", "+000000");
const rule = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom("1", "2", "4", "-1", "-2", ""),
        fc.constantFrom("SU", "MO", "FR"),
        fc.option(fc.constantFrom("20061029T010000Z", "20200328T235959Z", "20380101T000000")),
      )
      .map(
        ([month, place, day, until]) =>
          `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=${place}${day}${until === null ? "" : `;UNTIL=${until}`}`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("RRULE:FREQ=YEARLY", "RRULE:FREQ=YEARLY;BYMONTH=6", "RRULE:FREQ=DAILY"),
  },
  { weight: 1, arbitrary: timeText.map((time) => `RDATE:${time}`) },
);
const observance = fc
  .record({
    name: fc.constantFrom("STANDARD", "DAYLIGHT"),
    since: fc.constantFrom("16010101T020000", "19701025T030000", "19810329T020000", "20070311T020000"),
    from: offset,
    to: offset,
    rule,
  })
  .map(({ name, since, from, to, rule: line }) => [
    `BEGIN:${name}`,
    `DTSTART:${since}`,
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    ...(line === null ? [] : [line]),
    `END:${name}`,
  ]);
const zoneLines = fc
  .tuple(fc.constantFrom("Odd", "Europe/Berlin"), fc.array(observance, { minLength: 1, maxLength: 3 }))
  .map(([tzid, parts]) => ["BEGIN:VTIMEZONE", `TZID:${tzid}`, ...parts.flat(), "END:VTIMEZONE"]);

const stamp = (name: string) =>
  fc.oneof(
    timeText.map((time) => `${name}:${time}Z`),
    timeText.map((time) => `${name}:${time}`),
    dateText.map((date) => `${name};VALUE=DATE:${date}`),
    fc
      .tuple(fc.constantFrom("Odd", "Odd", "Europe/Berlin", '"America/New_York"', "Nowhere"), timeText)
      .map(([zoneId, time]) => `${name};TZID=${zoneId}:${time}`),
  );
const words = fc.string({
  unit: fc.constantFrom("a", "é", " ", "\\n", "\\,", "\\;", "\\\\", ":", ";", '"', "="),
});
const line = fc.oneof(
  fc
    .tuple(fc.constantFrom("SUMMARY", "LOCATION", "UID", "SUMMARY;LANGUAGE=de"), words)
    .map((parts) => parts.join(":")),
  fc
    .tuple(fc.constantFrom("", ";CN=Li", ';CN="Li, Wei"', ";CN=A^nB;ROLE=CHAIR", ';X="a:b";CN=C'), words)
    .map(([parameters, name]) => `ATTENDEE${parameters}:mailto:${name}@example.org`),
  fc.constantFrom(
    "ATTENDEE;CN=Li:urn:1",
    "STATUS:CANCELLED",
    "STATUS:CONFIRMED",
    "RECURRENCE-ID:20250101T000000Z",
  ),
  fc.constantFrom("DURATION:PT1H", "DURATION:P1W", "DURATION:-P1D", "DURATION:P1DT2H3M4S", "DURATION:P2D"),
  stamp("DTEND"),
  fc.constantFrom(
    "BEGIN:VALARM\r\nSUMMARY:No\r\nEND:VALARM",
    "X-OWN:1",
    "DESCRIPTION:One\\n two",
    "SUMMARY:fol\r\n ded",
  ),
);
const calendarFile = fc
  .record({
    method: fc.constantFrom([], ["METHOD:REQUEST"], ["METHOD:CANCEL"]),
    zones: fc.array(zoneLines, { maxLength: 2 }),
    start: fc.option(stamp("DTSTART")),
    lines: fc.array(line, { maxLength: 6 }),
  })
  .map(({ method, zones, start, lines }) =>
    file(...method, ...zones.flat(), ...event(...(start === null ? [] : [start]), ...lines)),
  );

describe("any file", () => {
  it("is read as ical.js reads it", () => {
    fc.assert(
      fc.property(calendarFile, (text) => {
        expect(eventIn(text)).toEqual(eventByLibrary(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("never throws, whatever is in it", () => {
    const piece = fc.constantFrom(
      "BEGIN:VCALENDAR",
      "END:VCALENDAR",
      "BEGIN:VEVENT",
      "END:VEVENT",
      ":",
      ";",
      "=",
      "\r\n",
    );
    const text = fc.array(fc.oneof(piece, line, fc.string())).map((lines) => lines.join("\r\n"));
    fc.assert(
      fc.property(text, (sent) => {
        const found = eventIn(sent);
        expect(found === null || typeof found === "object").toBe(true);
      }),
    );
  });
});
