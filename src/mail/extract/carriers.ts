/** Names of carriers as mails write them, and what each is called in an answer. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bfed ?ex\b/, "FedEx"],
  [/\bups\b/, "UPS"],
  [/\busps\b|u\.s\. postal service|united states postal service/, "USPS"],
  [/\bdhl\b/, "DHL"],
  [/\bdpd\b/, "DPD"],
  [/\bgls\b/, "GLS"],
  [/\bhermes\b/, "Hermes"],
  [/\bevri\b/, "Evri"],
  [/royal mail/, "Royal Mail"],
  [/\bparcelforce\b/, "Parcelforce"],
  [/deutsche post\b/, "Deutsche Post"],
  [/\bcolissimo\b/, "Colissimo"],
  [/\bchronopost\b/, "Chronopost"],
  [/\bmondial relay\b/, "Mondial Relay"],
  [/\bla poste\b/, "La Poste"],
  [/\bcorreos\b/, "Correos"],
  [/\bseur\b/, "SEUR"],
  [/\bmrw\b/, "MRW"],
  [/\bcorreios\b/, "Correios"],
  [/\bjadlog\b/, "Jadlog"],
  [/\bposte italiane\b/, "Poste Italiane"],
  [/\bbrt\b|\bbartolini\b/, "BRT"],
  [/\bpostnl\b/, "PostNL"],
  [/\bbpost\b/, "bpost"],
  [/\binpost\b/, "InPost"],
  [/\bpoczt[aęy] polsk/, "Poczta Polska"],
  [/(?<!\p{L})(?:сдэк|cdek)(?!\p{L})/u, "CDEK"],
  [/почт[аыео]й? россии/u, "Russian Post"],
  [/(?<!\p{L})yurti[cç]i kargo/u, "Yurtiçi Kargo"],
  [/(?<!\p{L})aras kargo/u, "Aras Kargo"],
  [/(?<!\p{L})mng kargo/u, "MNG Kargo"],
  [/\bptt kargo/, "PTT"],
  [/\baramex\b|أرامكس/, "Aramex"],
  [/\bsmsa\b|سمسا/, "SMSA"],
  [/\bdelhivery\b|डेल्हीवरी/, "Delhivery"],
  [/\bblue ?dart\b|ब्लू डार्ट/, "Blue Dart"],
  [/\bindia post\b|इंडिया पोस्ट/, "India Post"],
  [/\bghn\b|giao hàng nhanh/u, "GHN"],
  [/\bghtk\b|giao hàng tiết kiệm/u, "GHTK"],
  [/\bviettel ?post\b/, "Viettel Post"],
  [/\bjne\b/, "JNE"],
  [/\bj ?& ?t\b/, "J&T Express"],
  [/\bsicepat\b/, "SiCepat"],
  [/顺丰|順豐|\bsf express\b/, "SF Express"],
  [/圆通|\byto\b/, "YTO Express"],
  [/中通|\bzto\b/, "ZTO Express"],
  [/申通|\bsto express\b/, "STO Express"],
  [/韵达|\byunda\b/, "Yunda Express"],
  [/中国邮政|\bchina post\b|\bems中国/, "China Post"],
  [/黑貓宅急便|黑貓/, "T-Cat"],
  [/中華郵政/, "Chunghwa Post"],
  [/ヤマト運輸|クロネコ|\byamato\b/, "Yamato"],
  [/佐川急便|\bsagawa\b/, "Sagawa"],
  [/日本郵便|ゆうパック|\bjapan post\b/, "Japan Post"],
  [/cj ?대한통운|\bcj logistics\b/, "CJ Logistics"],
  [/한진택배|\bhanjin\b/, "Hanjin"],
  [/우체국/, "Korea Post"],
  [/롯데택배/, "Lotte"],
  [/\bcanada post\b|\bpostes canada\b/, "Canada Post"],
  [/\baustralia post\b|\bauspost\b/, "Australia Post"],
  [/\bpostnord\b/, "PostNord"],
  [/\bswiss post\b|schweizerische post/, "Swiss Post"],
  [/\bontrac\b/, "OnTrac"],
  [/\bamazon logistics\b/, "Amazon Logistics"],
];

/** The carriers that a lower-cased text names, the first named first. */
export function carriersIn(lower: string): string[] {
  return NAMES.map(([name, carrier]) => ({ carrier, at: lower.search(name) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, two) => one.at - two.at)
    .map(({ carrier }) => carrier);
}

/** The name of a carrier in answers: its usual spelling if it is known, else as it is. */
export function carrierName(name: string): string {
  return carriersIn(name.toLowerCase())[0] ?? name;
}
