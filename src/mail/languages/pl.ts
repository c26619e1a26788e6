import type { Language } from "./language.ts";

/** Polish. */
export const pl: Language = {
  tag: "pl",
  keyWords: "whole",
  code: {
    strong: `
      kod weryfikacyjny, kodu weryfikacyjnego, kod bezpieczeństwa, kod autoryzacyjny, kod autoryzacji,
      kod uwierzytelniający, kod jednorazowy, jednorazowy kod, hasło jednorazowe, jednorazowe hasło,
      kod aktywacyjny, kod logowania, kod do logowania, kod sms
    `,
    confirmation: "kod potwierdzający, kod potwierdzenia",
    passcode: "kod dostępu",
    weak: "kod, kodu, hasło",
    hint: `
      zweryfikować, zweryfikuj, weryfikacja, weryfikacji, potwierdź, potwierdzić, zaloguj, zalogować,
      logowania
    `,
    soft: "konto, konta, telefon, karta, numer",
    number: `
      zamówienie, zamówienia, numer zamówienia, nr zamówienia, faktura, numer faktury, nr faktury, paragon,
      bilet, przesyłka, przesyłki, numer przesyłki, numer śledzenia, numer konta, numer klienta,
      kod pocztowy, tel., numer telefonu, kwota, rok, kod błędu, kod kreskowy, nip, regon, krs, sprawa,
      numer sprawy, kod produktu, kod kraju, kod klienta, kod artykułu, kod kursu, kod źródłowy, nr wizyty,
      numer artykułu
    `,
    booking: "rezerwacja, rezerwacji, numer rezerwacji, kod rezerwacji, lot",
    meeting: "identyfikator spotkania",
    coupon: "kod rabatowy, kod promocyjny, rabat, kupon",
    instruction: `
      wpisz, podaj, wprowadź, użyj, przepisz, wpisać, skopiuj, podać, wprowadzić, wpisując, wprowadzając,
      wklej, użyć
    `,
    purpose: `
      dokończyć, aktywować, kontynuować, autoryzować, zatwierdzić, zatwierdź, dostęp, rejestracja,
      rejestrację, rejestracji, połączyć, aktywacja, aktywacji, autoryzacja, dokończ, dołączyć
    `,
    digits: "cyfry, cyfr, liczbę, poniższy numer",
  },
  sentence: {
    leadsTo: "to, jest, brzmi",
    ledBy: "jest, aby",
    denies: "nie",
    prepositions: "do",
    units: "minut, godzin",
  },
  link: {
    proves: `
      zweryfikuj, potwierdź, potwierdzenia, aktywuj, zresetuj, zresetować, resetowania hasła, zmień hasło,
      ustaw hasło
    `,
    signsIn: "zaloguj, zaloguj się, logowania",
    goesOn: "kontynuuj, zaczynamy, rozpocznij, kliknij tutaj",
    password: "hasło, hasła, hasłem",
    account: "konta, rejestrację, adres",
    otherPurpose: "wypisz się, zrezygnuj, polityka prywatności, pomoc, kontakt",
    provesInPath: "haslo, potwierdz, aktywuj",
  },
  quoting: {
    wrote: "napisał, napisała, napisał(a), pisze",
    originalMessage: "wiadomość oryginalna, oryginalna wiadomość",
    from: "od",
    sent: "wysłano, data",
    foldedStart: "w dniu, dnia",
    forwarded: "wiadomość przekazana, przesłana wiadomość",
  },
  subject: {
    reply: "odp",
    forward: "pd",
    strippedReply: "odp",
    invitation: "zaproszenie, przypomnienie",
  },
  signature: {
    closings: `
      pozdrawiam, pozdrowienia, z poważaniem, z wyrazami szacunku, serdecznie pozdrawiam, dziękuję, dzięki,
      z pozdrowieniami
    `,
    footers: ["pobierz program outlook dla .*", "wysłan[eo] (?:z|za pomocą|przy użyciu) .{1,40}"],
  },
  localParts: {
    unread: "nieodpowiadaj",
  },
  dates: {
    months: [
      "styczeń, stycznia, sty",
      "luty, lutego, lut",
      "marzec, marca, mar",
      "kwiecień, kwietnia, kwi",
      "maj, maja",
      "czerwiec, czerwca, cze",
      "lipiec, lipca, lip",
      "sierpień, sierpnia, sie",
      "wrzesień, września, wrz",
      "październik, października, paź",
      "listopad, listopada, lis",
      "grudzień, grudnia, gru",
    ],
    untilTime: "do",
  },
  appointment: {
    when: "kiedy, data i godzina, termin wizyty, termin spotkania, początek",
    time: "godzina, godz.",
    where: "gdzie, miejsce, adres, lokalizacja",
    title: "temat, wydarzenie",
  },
  money: {
    grandTotal: `
      do zapłaty, kwota do zapłaty, suma zamówienia, łączna kwota, razem brutto, zapłacono, kwota brutto,
      wartość zamówienia
    `,
    total: "razem, suma, kwota, łącznie",
    partial: `
      wartość netto, suma częściowa, rabat, dostawa, kwota netto, razem netto, kwota vat
    `,
  },
  order: {
    numberLabel: `
      numer zamówienia, nr zamówienia, zamówienie nr, zamówienia nr, zamówienie numer, zamówienie #,
      id zamówienia
    `,
    word: "zamówienie, zamówienia",
    quantity: "ilość",
  },
  parcel: {
    numberLabel: `
      numer przesyłki, numer śledzenia, nr przesyłki, numer paczki, numer listu przewozowego
    `,
    nearNumber: "paczka, przesyłka",
    arrivalLabel: `
      przewidywana dostawa, przewidywany termin, termin dostawy, data dostawy, planowana dostawa,
      przewidywana data
    `,
    word: "paczka, przesyłka, przesyłki, zamówienie",
    statuses: {
      exception: "nie udało się doręczyć, nieudana próba doręczenia, opóźnion",
      out_for_delivery: `
        wydana do doręczenia, wydano do doręczenia, przekazana kurierowi, zostanie dziś doręczona,
        dzisiaj dostarczymy
      `,
      delivered: `
        została doręczona, został doręczony, doręczono, dostarczono, została dostarczona, doręczona
      `,
      in_transit: "w drodze, jest w drodze",
      shipped: "wysłane, wysłana, wysłaliśmy, nadana, nadano, została nadana",
    },
    notYet: "gdy tylko, zostanie wysłan, zostanie doręczona",
  },
  receipt: {
    payment: `
      faktura, rachunek, paragon, potwierdzenie płatności, płatność otrzymana, otrzymaliśmy płatność,
      potwierdzenie wpłaty
    `,
    failed: "płatność nieudana, płatność odrzucona, nie powiodła się",
    dateLabel: `
      data płatności, data wystawienia, data zakupu, data sprzedaży, zapłacono dnia
    `,
    due: "termin płatności",
    merchantLabel: "sprzedawca, odbiorca płatności",
    methodLabel: "metoda płatności, sposób płatności, forma płatności, zapłacono, płatność",
    cardEnding: "kończąca się na, zakończona na",
  },
};
