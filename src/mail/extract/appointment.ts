import { opensQuotation } from "../text/own-text.ts";
import { dateContext, datesIn, timesIn, type DateContext, type Shown } from "./dates.ts";
import type { CalendarEvent } from "./icalendar.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { readText, type ExtractMail, type ReadText } from "./mail-text.ts";
import { instantOf, type Moment } from "./moment.ts";

/** What names the time of an appointment. */
const WHEN = phrases(
  "when|date and time|date & time|date/time|event date|appointment|meeting time|scheduled for|starts|start|date|time|takes place on",
  "wann|datum und uhrzeit|termin am|termin|beginn|zeit|datum|uhrzeit|ihr termin",
  "quand|date et heure|rendez-vous|date|début|le rendez-vous|horaire",
  "cuándo|fecha y hora|cita|fecha|inicio",
  "quando|data e hora|data e horário|consulta|data|início",
  "data e ora|appuntamento|inizio",
  "wanneer|datum en tijd|afspraak|aanvang",
  "kiedy|data i godzina|termin wizyty|termin spotkania|początek",
  "когда|дата и время|время|начало|запись на|дата",
  "ne zaman|tarih ve saat|randevu|tarih|başlangıç",
  "متى|التاريخ والوقت|الموعد|موعدك|التاريخ|الوقت",
  "कब|तारीख और समय|दिनांक और समय|समय|तारीख|दिनांक",
  "khi nào|thời gian|ngày giờ|lịch hẹn",
  "kapan|tanggal dan waktu|waktu|jadwal|tanggal|hari/tanggal",
  "时间|日期|会议时间|時間|日時|开始时间|會議時間|預約時間|预约时间|日程|開催日時|予約日時|일시|일정|시간|예약일시|날짜",
);

const CLOCK = phrases(
  "time|uhrzeit|zeit|heure|horaire|hora|horário|ora|ore|uur|tijd|godzina|godz.|время|saat|الساعة|الوقت|समय|giờ|thời gian|jam|pukul|waktu|时间|時間|시간|klockan|tid",
);

const WHERE = phrases(
  "where|location|venue|place|address|room",
  "wo|ort|veranstaltungsort|treffpunkt|raum|adresse",
  "où|lieu|endroit|salle",
  "dónde|lugar|ubicación|dirección",
  "onde|local|endereço",
  "dove|luogo|sede|indirizzo",
  "waar|locatie|plaats",
  "gdzie|miejsce|adres|lokalizacja",
  "где|место|адрес|место проведения",
  "nerede|yer|konum|adres",
  "أين|المكان|الموقع|العنوان",
  "कहाँ|स्थान|पता|जगह",
  "ở đâu|địa điểm|nơi",
  "di mana|tempat|lokasi",
  "地点|地點|场地|位置|場所|会場|開催場所|장소|위치",
);

const TITLE = phrases(
  "what|event|topic|subject|title|meeting|thema|betreff|veranstaltung|titel|objet|sujet|événement|asunto|evento|tema|assunto|oggetto|onderwerp|temat|wydarzenie|тема|мероприятие|konu|etkinlik|الموضوع|الحدث|विषय|chủ đề|sự kiện|topik|acara|agenda|主题|會議主題|主題|活动|件名|議題|イベント|제목|행사|안건",
);

/** Words before the subject of an invitation, and a date that programs put behind it. */
const SUBJECT_LEAD =
  /^(?:(?:updated )?invitation|invite|reminder|confirmed|confirmation|appointment confirmation|einladung|erinnerung|terminbestätigung|bestätigung|invitation|rappel|confirmation de rendez-vous|invitación|recordatorio|convite|lembrete|invito|promemoria|uitnodiging|herinnering|zaproszenie|przypomnienie|приглашение|напоминание|davet|hatırlatma|دعوة|تذكير|निमंत्रण|lời mời|nhắc nhở|undangan|pengingat|邀请|邀請|提醒|会议邀请|招待|リマインダー|ご案内|초대|알림)\s?[:：-]\s*/iu;
const SUBJECT_TAIL = / @ .{0,200}$/u;

/** Abbreviations that tell an offset, in minutes; others mean several. */
const ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  CET: 60,
  CEST: 120,
  MEZ: 60,
  MESZ: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  EST: -300,
  EDT: -240,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  JST: 540,
  KST: 540,
};
const ZONE = new RegExp(
  `(?:\\b(?:UTC|GMT) ?(?<offset>[+-]\\d{1,2}(?::?\\d{2})?)|\\b(?<name>${Object.keys(ZONES).join("|")})\\b)`,
);

const MAX_LINES_APART = 3;
const MAX_PLACE_CHARS = 200;

/**
 * The appointment that a text announces in the form of an invitation: a labelled day with a labelled time, or with a place.
 * Running text names days of all sorts, so it is not read.
 */
export function appointmentIn(mail: ExtractMail): CalendarEvent | null {
  const text = readText(mail);
  const all = `${text.subject}\n${text.lines.join("\n")}`;
  const context = dateContext({ text: all, fromAddress: mail.from.address, receivedAt: mail.receivedAt });
  const when = whenIn(text.lines, context);
  if (when === null) return null;
  const location = valueOf(text, WHERE);
  if (when.start.time === null && location === null) return null;
  return {
    title: valueOf(text, TITLE) ?? titleOf(text.subject),
    location,
    attendees: [],
    ...when,
    uid: null,
    method: null,
  };
}

/** The first labelled day, and the times beside it or on the lines that follow it. */
function whenIn(
  lines: readonly string[],
  context: DateContext,
): { start: Moment; end: Moment | null } | null {
  const labels = labelled(lines, WHEN).filter(({ isFirst, at }) => isFirst && !isInHeader(lines, at));
  for (const { value, at } of labels) {
    const [date] = datesIn(value, context);
    if (date === undefined || date.start > MAX_PLACE_CHARS) continue;
    const beside = withoutDates(value, context);
    const near = labelled(lines, CLOCK).filter((each) => each.at > at && each.at - at <= MAX_LINES_APART);
    const clock = [beside, ...near.map((each) => each.value)].find((each) => timesIn(each).length > 0) ?? "";
    const [start, end] = timesIn(clock);
    return {
      start: moment(date.value, start, clock),
      end: end !== undefined && isSpan(clock, start, end) ? moment(date.value, end, clock) : null,
    };
  }
  return null;
}

/** The header of a mail that is passed on has a date, too, below its sender. */
function isInHeader(lines: readonly string[], at: number): boolean {
  return [at - 3, at - 2, at - 1, at].some((above) => opensQuotation(lines, above));
}

/** Days are no times: `18.03.` and `2025-03-18` are cut out before times are looked for. */
function withoutDates(value: string, context: DateContext): string {
  return datesIn(value, context).reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)} | ${rest.slice(end)}`,
    value,
  );
}

function isSpan(text: string, start: Shown | undefined, end: Shown): boolean {
  const between = start === undefined ? "" : text.slice(start.end, end.start);
  return /^\s*(?:uhr)?\s*(?:-|–|—|to|bis|à|au|a|às|alle|tot|do|до|ile|إلى|से|đến|sampai|s\.d\.|~|～|〜|至|から)\s*$/iu.test(
    between,
  );
}

function moment(date: string, time: Shown | undefined, text: string): Moment {
  if (time === undefined) return { date, time: null, instant: date };
  return { date, time: time.value, instant: instantOf(date, `${time.value}:00`, offsetIn(text)) };
}

/** Seconds east of UTC that a text names; null if none or an abbreviation of several zones. */
function offsetIn(text: string): number | null {
  const { offset, name } = ZONE.exec(text)?.groups ?? {};
  if (offset !== undefined) {
    const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(offset) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
  }
  const known = name === undefined ? undefined : ZONES[name];
  return known === undefined ? null : known * 60;
}

/** The value of the first line that begins with a label. */
function valueOf({ lines }: ReadText, label: RegExp): string | null {
  const found = labelled(lines, label).find(
    ({ isLabel, value }) => isLabel && value.length > 1 && value.length <= MAX_PLACE_CHARS,
  );
  return found === undefined ? null : found.value.replace(/\ufffc/g, "").trim() || null;
}

function titleOf(subject: string): string | null {
  return subject.replace(SUBJECT_LEAD, "").replace(SUBJECT_TAIL, "").trim() || null;
}
