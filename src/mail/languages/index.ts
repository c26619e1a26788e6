import { ar } from "./ar.ts";
import { cs } from "./cs.ts";
import { da } from "./da.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fi } from "./fi.ts";
import { fr } from "./fr.ts";
import { hi } from "./hi.ts";
import { id } from "./id.ts";
import { is } from "./is.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import type { Language } from "./language.ts";
import { nl } from "./nl.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { sv } from "./sv.ts";
import { tr } from "./tr.ts";
import { vi } from "./vi.ts";
import { zhHant } from "./zh-hant.ts";
import { zh } from "./zh.ts";

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
  sv,
  da,
  fi,
  is,
  cs,
];
