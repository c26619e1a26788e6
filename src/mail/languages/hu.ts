import type { Language } from "./language.ts";

/** Hungarian. */
export const hu: Language = {
  tag: "hu",
  keyWords: "whole",
  code: {
    strong: `
      ellenőrző kód*, ellenőrzőkód*, hitelesítő kód*, megerősítő kód*, biztonsági kód*, belépési kód*,
      bejelentkezési kód*, egyszer használatos kód*, egyszer használatos jelsz*, aktiváló kód*, sms-kód*,
      átvételi kód*, nyitókód*, kapukód*, azonosító kód*, azonosítókód*, belépőkód*, aktiválókód*,
      aktivációs kód*, egyszeri kód*, egyszeri jelsz*, hozzáférési kód*
    `,
    weak: "kód, kódja, kódod, kódot, pin-kód*, jelszó, kódok, kódját, kóddal, jelszót, jelszava*",
    hint: "hitelesít*, bejelentkez*, belép*",
    soft: "fiók*",
    number: `
      rendelés*, megrendelés*, számla, számlaszám*, ügyfélszám*, szerződés*, csomagszám*, irányítószám*,
      adószám*, cégjegyzékszám*, hibakód*, cikkszám*, végű, évi, összesen, ügyszám*, azonosítószám*,
      ügyfélkód*, vonalkód*, termékkód*
    `,
    booking: "foglalás*",
    coupon: "kupon*, kedvezmény*, promóciós kód*, utalvány*, ajándékkárty*, akció*",
    instruction: `
      írja be, írd be, adja meg, add meg, mutassa*, mondja*, beírás*, beírni, beüt*, üsse be, üsd be,
      gépel*, nyomja meg, nyomd meg, mutasd*, mondd, diktál*, szüksége lesz, szükséged lesz, tárcsáz*
    `,
    device: `
      billentyűz*, kijelző*, képernyő*, csomagautomat*, rekesz*, ajtó*, kapun, kapunál, sorompó*,
      kaputelefon*
    `,
    secret: "ne ossza meg, ne oszd meg, senkinek ne, soha nem kér*, senkinek se, ne adja meg senkinek",
    requested: `
      ön kérte, te kérted, kérésére, figyelmen kívül, kérést kaptunk, kérelmet kaptunk, nem ön kért*,
      nem te kért*, nem ön volt
    `,
    void: `
      korábbi kód*, előző kód*, régi kód*, nem érvényes, érvénytelen*, lejárt, érvényét veszt*,
      felhasználták, visszavon*, régi jelsz*, már nem él, nem működik
    `,
    fresh: "új kód*, új jelsz*, új pin*, legutóbbi kód*",
    expiry: "érvényes, lejár, felhasználható, érvényesség*",
    meeting: "értekezlet azonosító*",
  },
  sentence: {
    leadsTo: "a következő",
    ledBy: "az, a",
    denies: "nem, nélkül, soha, nincs",
    units: "másodperc*, perc*, óra, óráig, nap, napig, hónap*, év, db, darab*, fő, pont*",
    fillers: "kérjük, kérem",
  },
  link: {
    proves: `
      megerősít*, hitelesít*, aktivál*, jelszó módosít*, jelszó visszaállít*, új jelszó*, meghívó elfogad*,
      jóváhagy*, elfogad*, erősítse*, erősítsd*, engedélyez*, igazolja, igazold, jelszó beállít*, én voltam,
      én vagyok az, feloldás, feloldom
    `,
    signsIn: "bejelentkez*, belép*, jelentkezz*, lépj be, lépjen be",
    goesOn: "tovább, ide, folytat*, kattints*, megnyit*, itt",
    password: "jelsz*",
    account: "meghív*, fiók*, e-mail cím*, regisztráci*, feliratkoz*",
    otherPurpose: `
      adatvédel*, feltételek, segítség, ügyfélszolgálat*, kapcsolat, böngészőben, ha nem, kedvezmény*,
      részvétel megerősít*, időpont megerősít*, gyik, gyakori kérdés*, beállítás*, impresszum, részletek,
      megtekint*
    `,
    refuses: `
      nem én voltam, nem én, nem ön, nem te voltál, nem ismerem fel, nem kértem, elutasít*, visszautasít*,
      megtagad*, letilt*, tiltás, tiltsa, tiltsd, bejelentés, jelentem, jelentés, jelentse, jelentsd,
      visszaélés jelent*, mégse*, megszakít*, visszavon*, érvénytelenít*, zárol*, blokkol*, leiratkoz*,
      lemond*, töröl*, törlés*, eltávolít*, gyanús*, kijelentkez*, tagad*, megtilt*, tilos, ne engedély*,
      megakadályoz*, idegen, bejelentés*, leállít*, stop, nem tudok, nem regisztrált*
    `,
    negates: "nem, soha, nincs, valaki más",
    agrees: "igen",
    provesInPath: "jelszo",
  },
  quoting: {
    wrote: "írta",
    originalMessage: "eredeti üzenet",
    from: "feladó",
    sent: "elküldve, küldve",
  },
  subject: {
    reply: "vá",
    strippedReply: "vá",
    invitation: "meghívó, emlékeztető, emlékeztet*, megerősít*, visszaigazol*",
  },
  signature: {
    closings: "üdvözlettel",
  },
  dates: {
    ordinals: "-én, -án, -jén, -ig",
    oClock: "óra, órakor",
    morning: "de., délelőtt, reggel",
    afternoon: "du., délután, este",
    deadline: "legkésőbb, ig",
  },
  appointment: {
    when: "időpont, dátum, nap",
    where: "helyszín, cím, hely, hol, címen",
    word: "időpont*, foglal*",
    title: "szolgáltatás, kezelés, vizsgálat, tárgy, téma",
  },
  money: {
    grandTotal: "végösszeg, fizetendő, rendelés összege",
    total: "összesen",
    partial: "részösszeg, nettó, áfa, kedvezmény",
    currencies: { HUF: "forint" },
  },
  order: {
    numberLabel: "rendelésszám, rendelés száma, rendelésazonosító, rendelés #",
    word: "rendelés*, megrendelés*",
    quantity: "mennyiség",
  },
  parcel: {
    numberLabel: `
      csomagszám, nyomkövetési szám, csomagazonosító, követési szám, csomag azonosító, fuvarlevélszám,
      küldeményazonosító
    `,
    nearNumber: "csomag*",
    arrivalLabel: `
      várható kézbesítés, várható érkezés, várható szállítás, kézbesítés napja, várhatóan, érkezik,
      megérkezik
    `,
    word: "csomag*, rendelés*",
    statuses: {
      exception: "sikertelen kézbesítés, késik, késés, késett, nem sikerült, nem tudtuk kézbesíteni",
      out_for_delivery: "kiszállítás alatt, kiszállításra átadva, a futárnál, ma érkezik, ma kézbesít*",
      delivered: "kézbesítettük, kézbesítve, átvették, kiszállítottuk, átvette",
      in_transit: "úton, útban, úton van",
      shipped: "feladtuk, feladva, átadtuk, elküldtük, elindult, átadva a futár*",
    },
    carrierLabel: "futárszolgálat, futár, szállító",
    notYet: "fogjuk, lesz, fog",
  },
  receipt: {
    payment: `
      számla, nyugta, sikeres fizetés, rendelés visszaigazolás*, megkaptuk, befizetés*, kifizette, fizetett,
      levontuk, terheltük, adomány*, bizonylat
    `,
    dateLabel: "számla kelte",
    due: "fizetési határidő",
    methodLabel: "fizetési mód",
    cardEnding: "végű, végződő, végződésű",
    paidWith: "fizetve, kártyával, keresztül",
    cash: "készpénz*, bankkárty*, hitelkárty*, átutalás*, utánvét*",
  },
};
