/** RFC 3676 §4.3 has four lines; signatures with an address and a disclaimer have more. */
const MAX_SIGNATURE_LINES = 15;
/** Lines below a closing such as "Best regards": name, role, company, telephone, address. */
const MAX_CLOSING_LINES = 8;
const MAX_CLOSING_CHARS = 80;
/** Below a program's own footer nothing is written but another one. */
const MAX_FOOTER_LINES = 2;
const MAX_FOOTER_CHARS = 120;

const SEPARATOR = /^(?:--|—|––)\s?$/;

const list = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((one) => one.split("|")));

/** Formulas with which a mail ends before its name. */
const CLOSINGS = list(
  "best|best regards|kind regards|warm regards|regards|best wishes|many thanks|thanks|thank you|thanks a lot|thanks again|cheers|sincerely|yours sincerely|yours faithfully|yours truly|all the best|with kind regards|thanks and regards|talk soon|take care",
  "mit freundlichen grüßen|mit freundlichen grüssen|freundliche grüße|freundliche grüsse|viele grüße|liebe grüße|beste grüße|herzliche grüße|mit besten grüßen|schöne grüße|gruß|grüße|lg|vg|mfg|danke|vielen dank|danke und gruß",
  "cordialement|bien cordialement|bien à vous|bien à toi|salutations|meilleures salutations|sincères salutations|merci|merci d'avance|à bientôt|amicalement|bonne journée|sincèrement",
  "saludos|un saludo|saludos cordiales|un cordial saludo|atentamente|gracias|muchas gracias|un abrazo|cordialmente|quedo atento|quedo atenta",
  "atenciosamente|att|cumprimentos|com os melhores cumprimentos|melhores cumprimentos|abraços|um abraço|obrigado|obrigada|grato|grata|cordialmente",
  "cordiali saluti|distinti saluti|saluti|un saluto|grazie|a presto|cordialmente|un caro saluto",
  "met vriendelijke groet|met vriendelijke groeten|vriendelijke groet|groet|groeten|groetjes|mvg|bedankt|dank je wel|alvast bedankt",
  "pozdrawiam|pozdrowienia|z poważaniem|z wyrazami szacunku|serdecznie pozdrawiam|dziękuję|dzięki|z pozdrowieniami",
  "с уважением|с наилучшими пожеланиями|всего доброго|всего хорошего|спасибо|заранее спасибо|хорошего дня|искренне ваш",
  "saygılarımla|saygılarımızla|iyi çalışmalar|teşekkürler|sevgiler|selamlar|iyi günler|teşekkür ederim|kolay gelsin",
  "مع أطيب التحيات|تحياتي|مع تحياتي|مع خالص التحية|شكرا|شكرًا|شكراً|وتفضلوا بقبول فائق الاحترام|أطيب التحيات",
  "सादर|धन्यवाद|शुभकामनाओं सहित|भवदीय|आपका|सधन्यवाद",
  "trân trọng|thân ái|thân mến|trân trọng cảm ơn|cảm ơn|xin cảm ơn|kính thư|xin trân trọng cảm ơn",
  "salam|salam hormat|hormat saya|terima kasih|hormat kami|salam hangat|terima kasih banyak",
  "此致|此致敬礼|祝好|谢谢|祝工作顺利|顺祝商祺|敬礼|謝謝|敬祝|順頌商祺|祝順心|敬上",
  "よろしくお願いします|よろしくお願いいたします|よろしくお願い致します|宜しくお願いします|宜しくお願いいたします|宜しくお願い致します|以上、よろしくお願いいたします|敬具|以上|何卒よろしくお願いいたします|ありがとうございます|ありがとうございました",
  "감사합니다|감사합니다 드림|고맙습니다|안녕히 계세요|수고하세요|드림",
);

const LONGEST_CLOSING = Math.max(...[...CLOSINGS].map((closing) => closing.length));
/** What stands behind a closing. */
const MAX_CLOSING_MARKS = 8;
const CLOSING_MARKS = /[\s,.!;،，。、！~-]{1,8}$/u;

/** What programs and telephones write below a mail by themselves, in lower case. */
const FOOTER = new RegExp(
  [
    "^sent (?:from|with|via|using) (?:my |the )?(?:iphone|ipad|android|samsung|galaxy|mobile|phone|blackberry|huawei|xiaomi|outlook|yahoo|proton ?mail|gmail|mail for|windows|superhuman|spark|tablet|smartphone).*$",
    "^sent from .{0,40}mobile.*$",
    "^get outlook for .*$|^(?:outlook für .* (?:beziehen|herunterladen)|télécharger outlook pour .*|obt(?:ener|én) outlook para .*|obter o outlook para .*|scarica outlook per .*|ottieni outlook per .*|outlook voor .* downloaden|download outlook voor .*|pobierz program outlook dla .*|загрузить outlook для .*|.* için outlook'u edinin|获取.*outlook.*|取得.*outlook.*|.*outlook を入手.*|.*outlook 다운로드.*|tải outlook cho .*|dapatkan outlook untuk .*)$",
    "^(?:von meinem .{1,30} gesendet|gesendet (?:von|mit|über) .{1,40}|diese nachricht wurde von meinem .{1,40} gesendet.*)$",
    "^(?:envoyé (?:de|depuis|à partir de) (?:mon |ma |l'application )?.{1,40})$",
    "^(?:enviado (?:desde|do|de|a partir do|através do|con) (?:mi |meu )?.{1,40})$",
    "^(?:inviato da(?:l mio)? .{1,40})$",
    "^(?:verstuurd vanaf (?:mijn )?.{1,40}|verzonden (?:vanaf|met|vanuit) .{1,40})$",
    "^(?:wysłan[eo] (?:z|za pomocą|przy użyciu) .{1,40})$",
    "^(?:отправлено (?:с|из) (?:моего )?.{1,40})$",
    "^(?:.{1,30}(?:dan|den|mdan|ımdan|umdan) gönderildi)$",
    "^(?:أ?ُ?رسلت? من .{1,40}|تم الإرسال من .{1,40})$",
    "^(?:मेरे .{1,30} से भेजा गया|.{1,30} से भेजा गया)$",
    "^(?:(?:được )?gửi từ .{1,40})$",
    "^(?:dikirim (?:dari|dengan|melalui) .{1,40})$",
    "^(?:发自我的.{1,40}|發自我的.{1,40}|从我的.{1,30}发送|從我的.{1,30}傳送|来自我的.{1,40})$",
    "^(?:(?:私の)?.{1,30}から送信)$",
    "^(?:(?:나의|내) .{1,30}에서 (?:보냄|전송)|.{1,30}에서 보냄)$",
  ].join("|"),
  "u",
);

/** Lines without the signature below them: behind `-- `, a closing formula, or what a program writes of itself. */
export function withoutSignature(lines: readonly string[]): readonly string[] {
  const above = withoutEnd(lines, separatorAt);
  // Each may stand below the other: a telephone's footer below a name, a name below a closing, which another footer is above.
  const kept = withoutEnd(withoutEnd(above, footerAt), closingAt);
  return kept === above ? kept : withoutEnd(kept, footerAt);
}

/** The lines above where something begins; the very same lines where it does not. */
function withoutEnd(
  lines: readonly string[],
  startOf: (below: readonly PlacedLine[], lines: readonly string[]) => number,
): readonly string[] {
  const at = startOf(lowest(lines), lines);
  return at === -1 ? lines : lines.slice(0, at);
}

/** A line without the blanks around it, and where it stands. */
interface PlacedLine {
  line: string;
  at: number;
}

const isBlank = (line: string): boolean => line.trim() === "";

/** The lowest lines that are not blank, from below: those in which a signature can begin. */
function lowest(lines: readonly string[]): PlacedLine[] {
  const found: PlacedLine[] = [];
  for (let at = lines.length - 1; at >= 0 && found.length <= MAX_SIGNATURE_LINES; at -= 1) {
    const line = (lines[at] ?? "").trim();
    if (line !== "") found.push({ line, at });
  }
  return found;
}

function separatorAt(below: readonly PlacedLine[]): number {
  return below.findLast(({ line }) => SEPARATOR.test(line))?.at ?? -1;
}

function footerAt(below: readonly PlacedLine[]): number {
  const found = below
    .slice(0, MAX_FOOTER_LINES + 1)
    .findLast(
      ({ line }) => line.length <= MAX_FOOTER_CHARS && FOOTER.test(line.toLowerCase().replace(/[.。]$/, "")),
    );
  return found?.at ?? -1;
}

/** A closing with short lines below it. One that is all there is, is the message. */
function closingAt(below: readonly PlacedLine[], lines: readonly string[]): number {
  const near = below.slice(0, MAX_CLOSING_LINES + 1);
  const long = near.findIndex(({ line }) => line.length > MAX_CLOSING_CHARS);
  const short = long === -1 ? near : near.slice(0, long);
  const found = short.findLast(({ line }) => isClosing(line));
  if (found === undefined || lines.slice(0, found.at).every(isBlank)) return -1;
  return found.at;
}

function isClosing(line: string): boolean {
  return line.length <= LONGEST_CLOSING + MAX_CLOSING_MARKS && CLOSINGS.has(closingOf(line));
}

const closingOf = (line: string): string =>
  line.toLowerCase().replace(CLOSING_MARKS, "").replaceAll("’", "'");
