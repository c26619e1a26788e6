/** A component of an iCalendar file (RFC 5545 §3.6), such as an event; its name in capitals. */
export interface Component {
  name: string;
  properties: Property[];
  components: Component[];
}

/** A property of a component; the names in capitals. */
export interface Property {
  name: string;
  parameters: ReadonlyMap<string, string>;
  /** As the file has it, escapes included. */
  value: string;
}

/** A date, or a time of a day, by the clock of its zone. */
export interface LocalTime {
  /** Milliseconds since 1970, as if the clock were that of UTC. */
  ms: number;
  isDate: boolean;
  isUtc: boolean;
}

/** The properties and components that are read; what else a file holds is skipped. */
const READ =
  /^(?:BEGIN|END):(?:VCALENDAR|VTIMEZONE|STANDARD|DAYLIGHT|VEVENT)\s*$|^(?:METHOD|UID|SUMMARY|LOCATION|ATTENDEE|DTSTART|DTEND|DURATION|RRULE|RDATE|RECURRENCE-ID|TZID|TZOFFSETFROM|TZOFFSETTO|STATUS)[;:]/i;

/** Characters of a file that are read: an invitation has some thousand, most of them attachments' Base64. */
const MAX_FILE_CHARS = 1_000_000;
/** Of one unfolded line: a long description, but no picture. */
const MAX_LINE_CHARS = 8_000;
/** Lines that are parsed. */
const MAX_LINES = 4_000;

/** The calendar of a file; null if the file has none, or ends inside of it. */
export function calendarIn(file: string): Component | null {
  const open: Component[] = [];
  for (const line of readLines(file)) {
    const property = propertyIn(line);
    const parent = open.at(-1);
    if (property === null) continue;
    if (property.name === "BEGIN") {
      const component = newComponent(property.value);
      if (parent === undefined && component.name !== "VCALENDAR") return null;
      parent?.components.push(component);
      open.push(component);
    } else if (property.name !== "END") parent?.properties.push(property);
    else if (open.length > 1) open.pop();
    // Only the first calendar of a file is read.
    else return parent ?? null;
  }
  return null;
}

function newComponent(name: string): Component {
  return { name: name.trim().toUpperCase(), properties: [], components: [] };
}

/** The lines that are read, unfolded (RFC 5545 §3.1), without those inside other components. */
function readLines(file: string): string[] {
  const unfolded = file.slice(0, MAX_FILE_CHARS).replace(/\r?\n[ \t]/g, "");
  const lines: string[] = [];
  // Alarms and to-dos are components too: their lines are none of an event's.
  let endOfSkipped: string | null = null;
  for (const line of unfolded.split(/\r?\n/)) {
    if (line.length > MAX_LINE_CHARS || lines.length >= MAX_LINES) continue;
    const name = /^BEGIN:(.{1,40})$/i.exec(line.trimEnd())?.[1];
    if (endOfSkipped !== null) {
      if (line.trim().toUpperCase() === endOfSkipped) endOfSkipped = null;
    } else if (READ.test(line)) lines.push(line);
    else if (name !== undefined) endOfSkipped = `END:${name.toUpperCase()}`;
  }
  return lines;
}

/** A parameter with its value, or the list of its values in quotes. */
const PARAMETER = /;([^=;:]+)=(?:"([^"]*)"[^;:]*|([^;:]*))/y;

/** A line as a property; null if its parameters are not closed. */
function propertyIn(line: string): Property | null {
  const name = /^[^;:]+/.exec(line)?.[0] ?? "";
  const parameters = new Map<string, string>();
  let at = name.length;
  PARAMETER.lastIndex = at;
  for (let found = PARAMETER.exec(line); found !== null; found = PARAMETER.exec(line)) {
    const [, parameter = "", quoted, plain = ""] = found;
    parameters.set(parameter.toUpperCase(), plainText(unescaped(quoted ?? plain)));
    at = PARAMETER.lastIndex;
  }
  if (line[at] !== ":") return null;
  return { name: name.toUpperCase(), parameters, value: line.slice(at + 1).trimEnd() };
}

/** The characters that a parameter's value holds as these pairs (RFC 6868). */
function unescaped(value: string): string {
  return value.replace(/\^['n^]/g, (pair) => (pair === "^'" ? '"' : pair === "^n" ? "\n" : "^"));
}

/** A value of the type TEXT without its escapes (RFC 5545 §3.3.11). */
function plainText(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, escaped: string) => (/n/i.test(escaped) ? "\n" : escaped));
}

/** The first property of a name. */
export function propertyOf({ properties }: Component, name: string): Property | undefined {
  return properties.find((property) => property.name === name);
}

/** The text of the first property of a name, in one line; null if there is none, or it is empty. */
export function textOf(component: Component, name: string): string | null {
  const property = propertyOf(component, name);
  const text = plainText(property?.value ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return text === "" ? null : text;
}

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?/i;

/** A date or a time (RFC 5545 §3.3.4 and §3.3.5); null if the text is none. A 32nd day is the first of the next month. */
export function timeIn(text: string, isDate = false): LocalTime | null {
  const [, year, month, day, hour, minute = "", second = "", utc] = TIME.exec(text) ?? [];
  if (year === undefined) return null;
  const isDay = isDate || hour === undefined;
  const clock = isDay ? [0, 0, 0] : [Number(hour), Number(minute), Number(second)];
  const moment = new Date(0);
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  moment.setUTCHours(clock[0] ?? 0, clock[1], clock[2]);
  return { ms: moment.getTime(), isDate: isDay, isUtc: utc !== undefined && !isDay };
}

/** The time that a property states. */
export function timeOf({ value, parameters }: Property): LocalTime | null {
  return timeIn(value, parameters.get("VALUE")?.toUpperCase() === "DATE");
}

const DURATION = /^([+-]?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** The seconds of a duration (RFC 5545 §3.3.6); null if the text is none. */
export function durationIn(text: string): number | null {
  const [all, sign, ...counts] = DURATION.exec(text.trim()) ?? [];
  if (all === undefined || counts.every((count) => count === undefined)) return null;
  const seconds = [7 * 86_400, 86_400, 3_600, 60, 1].map((unit, at) => unit * Number(counts[at] ?? 0));
  return (sign === "-" ? -1 : 1) * seconds.reduce((sum, part) => sum + part, 0);
}
