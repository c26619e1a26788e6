import { ar } from "./ar.ts";
import { bg } from "./bg.ts";
import { bn } from "./bn.ts";
import { ca } from "./ca.ts";
import { cs } from "./cs.ts";
import { da } from "./da.ts";
import { de } from "./de.ts";
import { el } from "./el.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { et } from "./et.ts";
import { fa } from "./fa.ts";
import { fi } from "./fi.ts";
import { fil } from "./fil.ts";
import { fr } from "./fr.ts";
import { he } from "./he.ts";
import { hi } from "./hi.ts";
import { hr } from "./hr.ts";
import { hu } from "./hu.ts";
import { id } from "./id.ts";
import { is } from "./is.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { lt } from "./lt.ts";
import { lv } from "./lv.ts";
import { ms } from "./ms.ts";
import { nl } from "./nl.ts";
import { no } from "./no.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ro } from "./ro.ts";
import { ru } from "./ru.ts";
import { sk } from "./sk.ts";
import { sl } from "./sl.ts";
import { sr } from "./sr.ts";
import { sv } from "./sv.ts";
import { sw } from "./sw.ts";
import { ta } from "./ta.ts";
import { th } from "./th.ts";
import { tr } from "./tr.ts";
import { uk } from "./uk.ts";
import { ur } from "./ur.ts";
import { vi } from "./vi.ts";
import { zh } from "./zh.ts";
import { zhHant } from "./zh-hant.ts";
import type { Language } from "./language.ts";

/** Every language that mail is read in. Their order matters for key words that two of them use differently: the first counts. */
export const LANGUAGES: readonly Language[] = [
  en,
  es,
  pt,
  fr,
  de,
  it,
  ru,
  tr,
  vi,
  id,
  nl,
  pl,
  zh,
  zhHant,
  ja,
  ko,
  ar,
  hi,
  bg,
  bn,
  ca,
  cs,
  da,
  el,
  et,
  fa,
  fi,
  fil,
  he,
  hr,
  hu,
  is,
  lt,
  lv,
  ms,
  no,
  ro,
  sk,
  sl,
  sr,
  sv,
  sw,
  ta,
  th,
  uk,
  ur,
];
