/** Names of the months in the languages that are read, from January on, with their usual short forms. */
const NAMES: readonly string[] = [
  "january jan jan. januar janv janvier enero ene gennaio gen janeiro januari styczeń stycznia sty январь января янв ocak oca يناير जनवरी जन januarij",
  "february feb febr februar février févr fév febrero febbraio fevereiro fev februari luty lutego lut февраль февраля фев şubat şub فبراير फ़रवरी फरवरी peb pebruari",
  "march mar märz mrz maerz mars marzo março maart maret mrt marzec marca март марта мар mart مارس मार्च",
  "april apr avril avr abril abr aprile kwiecień kwietnia kwi апрель апреля апр nisan nis أبريل ابريل अप्रैल",
  "may mai mayo maggio mag maio mei maj maja май мая mayıs مايو मई",
  "june jun juni juin junio giugno giu junho czerwiec czerwca cze июнь июня июн haziran haz يونيو जून",
  "july jul juli juil juillet julio luglio lug julho lipiec lipca lip июль июля июл temmuz tem يوليو जुलाई",
  "august aug août aoû agosto ago agustus agu sierpień sierpnia sie август августа авг ağustos ağu أغسطس अगस्त",
  "september sep sept septembre septiembre settembre set setembro wrzesień września wrz сентябрь сентября сен eylül eyl سبتمبر सितंबर सितम्बर",
  "october oct oktober okt octobre octubre ottobre ott outubro out październik października paź октябрь октября окт ekim eki أكتوبر अक्टूबर अक्तूबर",
  "november nov novembre noviembre novembro listopad listopada lis ноябрь ноября ноя kasım kas نوفمبر नवंबर नवम्बर",
  "december dec dez dezember décembre déc diciembre dic dicembre dezembro desember des grudzień grudnia gru декабрь декабря дек aralık ara ديسمبر दिसंबर दिसम्बर",
];

const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, at) => names.split(" ").map((name): [string, number] => [name, at + 1])),
);

/** The month of a name, 1 to 12; null if it is none. */
export function monthOf(name: string): number | null {
  const lower = name.normalize("NFC").toLowerCase().replace(/\.$/, "");
  return MONTHS.get(lower) ?? null;
}
