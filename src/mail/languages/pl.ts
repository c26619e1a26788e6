import type { Language } from "./language.ts";

/** Polish. */
export const pl: Language = {
  tag: "pl",
  keyWords: "whole",
  code: {
    strong: `
      kod bezpieczeństwa, kod autoryzacyjny, kod autoryzacji, kod uwierzytelniający, kod jednorazowy,
      jednorazowy kod, hasło jednorazowe, jednorazowe hasło, kod aktywacyjny, kod logowania,
      kod do logowania, kod sms, kod odbioru, kodu odbioru, kod do odbioru, kod odbioru przesyłki,
      kod odbioru zamówienia, kod odbioru paczki, pin do odbioru, kod nadania, kod do paczkomatu,
      kod do skrytki, kod otwarcia, kod do drzwi, kod do domofonu, kod do bramy, kod wejściowy,
      kod weryfikac*, kodu weryfikac*, kodem weryfikac*, kod do bramki, kod do furtki, kod do szlabanu,
      kod do garażu, kod rejestrac*, kod parowania, tymczasowy kod, hasło tymczasowe, kod wejścia,
      kod wjazdu
    `,
    confirmation: "kod potwierdzający, kod potwierdzenia",
    passcode: "kod dostępu",
    weak: "kod, kodu, hasło, hasła, hasłem, kody, kod pin, pinu, pinem",
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
      numer artykułu, numer umowy, nr umowy, numer polisy, kod banku, kod szkoły, kod ppe, pesel,
      nr klienta, nr sprawy
    `,
    booking: "rezerwacja, rezerwacji, numer rezerwacji, kod rezerwacji, lot",
    meeting: "identyfikator spotkania, id spotkania, hasło spotkania, kod spotkania",
    coupon: "kod promocyjny, kod rabat*, kod zniżk*, zniżk*, kod polecając*, karta podarunk*, bon podarunk*",
    instruction: `
      podaj, wprowadź, użyj, przepisz, wpisać, skopiuj, podać, wprowadzić, wpisując, wprowadzając, wklej,
      użyć, wpisz*, wpisani*, wystuka*, wstuka*, wklep*, podając, podaniu, pokaż, okaż, podyktuj*, powiedz,
      naciśnij, wciśnij, odczytaj, przeczytaj, ustaw, wprowadzeni*, okazać, będzie potrzebn*
    `,
    device: "klawiatur*, wyświetlacz*, paczkoma*, skrytk*, zamka, drzwi, bramk*, bramie, furtk*, szlaban*",
    secret: `
      nie udostępniaj*, nie podawaj*, nie przekazuj*, nie ujawniaj*, nie przesyłaj*, nigdy nie prosi*
    `,
    requested: `
      poproszono o, na twoją prośbę, to nie ty, otrzymaliśmy prośbę, to nie pan, nie prosił*, zignoruj*,
      na państwa prośbę
    `,
    void: `
      poprzedni kod, wcześniejszy kod, stary kod, nie jest już, nieważn*, nieaktualn*, stracił ważność,
      zastępuje, został wykorzystany, został użyty, wygasł, unieważn*, nie działa, nie obowiązuje,
      utracił ważność, poprzedni pin, anulowan*, poprzednie hasło, przeterminowan*, poprzednie kody,
      stare hasło
    `,
    fresh: "nowy kod, nowy pin, najnowszy kod, nowe hasło",
    expiry: "ważny, ważna, ważne, ważność, wygasa, wygaśnie, traci ważność, straci ważność, działa do",
  },
  sentence: {
    leadsTo: "to, jest, brzmi",
    ledBy: "jest, aby",
    denies: "nie, bez, nigdy",
    prepositions: "do",
    units: "minut, godzin",
  },
  link: {
    proves: `
      zweryfikuj, potwierdź, potwierdzenia, aktywuj, zresetuj, zresetować, resetowania hasła, zmień hasło,
      ustaw hasło, przyjmij zaproszenie, zatwierdź, zezwól, reset hasła, nowe hasło, zmiana hasła,
      zweryfikować, potwierdzić, potwierdzam, potwierdzenie adresu, aktywować, aktywacja konta,
      dokończ rejestrację, ustawić hasło, to ja, to byłem ja, to byłam ja, odblokuj*
    `,
    signsIn: "zaloguj, zaloguj się, logowania, logowanie, wejdź, zalogować się",
    goesOn: "kontynuuj, zaczynamy, rozpocznij, kliknij tutaj, dalej, przejdź, tutaj, otwórz, kliknij",
    password: "hasło, hasła, hasłem",
    account: "konta, adres, subskrypcj*, rejestracj*, zapis*",
    otherPurpose: `
      pomoc, kontakt, rabat*, prywatności, potwierdź wizytę, potwierdź udział, zobacz, zniżk*, regulamin*,
      ustawienia, pobierz, sprawdź, śledź
    `,
    refuses: `
      to nie ja, to nie byłem ja, to nie byłam ja, nie byłem, nie byłam, nie ja, nie rozpoznaję, nie poznaję,
      nie prosiłem, nie prosiłam, nie moje, odrzuć*, odrzuc*, odmów*, odmawiam, zgłoś*, zgłaszam, anuluj*,
      anulowa*, cofnij*, unieważnij*, zablokuj*, blokuj*, wypisz się, wypisz mnie, wypisz, zrezygnuj, rezygn*,
      usuń*, podejrzan*, wyloguj*, nie chcę, zakwestionuj*, odwołaj*, wypisuj*, wycofaj*, odmow*, zaprzecz*,
      nie zezwalaj, nie potwierdzam, zabroń, cofam, obcy, obce, zatrzymaj*, wstrzymaj*, przerwij*, nie wiem,
      nie zakładał*
    `,
    negates: "nie, nigdy, nic, nikt, żaden, ktoś inny",
    agrees: "tak",
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
    invitation: "zaproszenie, przypomnienie, przypom*, potwierdz*",
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
    untilTime: "do",
    morning: "rano",
    afternoon: "po południu, wieczorem",
    deadline: "do, do dnia, przed, najpóźniej",
  },
  appointment: {
    when: "kiedy, data i godzina, termin wizyty, termin spotkania, początek, data, dzień, termin",
    time: "godzina, godz.",
    where: "gdzie, miejsce, adres, lokalizacja, adresem",
    title: "temat, wydarzenie, usługa, wizyta, badanie, zabieg, cel wizyty, sprawa, zajęcia",
    word: "wizyt*, rezerwac*, termin*",
  },
  money: {
    grandTotal: `
      do zapłaty, kwota do zapłaty, suma zamówienia, łączna kwota, razem brutto, zapłacono, kwota brutto,
      wartość zamówienia
    `,
    total: "razem, suma, kwota, łącznie",
    partial: "wartość netto, suma częściowa, rabat, dostawa, kwota netto, razem netto, kwota vat, napiwek",
  },
  order: {
    numberLabel: `
      numer zamówienia, nr zamówienia, zamówienie nr, zamówienia nr, zamówienie numer, zamówienie #,
      id zamówienia
    `,
    word: "zamówienie, zamówienia, zamówieniu, zamówieniem, zamówień",
    quantity: "ilość",
  },
  parcel: {
    numberLabel: `
      numer przesyłki, numer śledzenia, nr przesyłki, numer paczki, numer listu przewozowego, nr śledzenia,
      numer nadania, numer trackingowy, list przewozowy
    `,
    nearNumber: "paczka, przesyłka, paczk*, przesyłk*",
    arrivalLabel: `
      przewidywana dostawa, przewidywany termin, termin dostawy, data dostawy, planowana dostawa,
      przewidywana data, planowany termin, dostawa w dniu, przewidywany termin dostawy
    `,
    word: "paczka, przesyłka, przesyłki, zamówienie, paczk*, przesyłk*",
    statuses: {
      exception: `
        nie udało się doręczyć, nieudana próba doręczenia, opóźnion, opóźnien*, opóźni się, nie zastaliśmy
      `,
      out_for_delivery: `
        wydana do doręczenia, wydano do doręczenia, przekazana kurierowi, zostanie dziś doręczona,
        dzisiaj dostarczymy, w doręczeniu, u kuriera, wyruszył z
      `,
      delivered: `
        została doręczona, został doręczony, doręczono, dostarczono, została dostarczona, doręczona,
        odebrana, doręczyliśmy
      `,
      in_transit: "w drodze, jest w drodze, jedzie do",
      shipped: `
        wysłane, wysłana, wysłaliśmy, nadana, nadano, została nadana, nadaliśmy, przekazaliśmy kurierowi,
        wysłano
      `,
    },
    notYet: "gdy tylko, zostanie wysłan, zostanie doręczona, zostanie, będzie",
    carrierLabel: "przewoźnik, kurier, firma kurierska, dostawca",
  },
  receipt: {
    payment: `
      faktura, rachunek, paragon, potwierdzenie płatności, płatność otrzymana, otrzymaliśmy płatność,
      potwierdzenie wpłaty, otrzymaliśmy, zapłaciłeś, zapłaciłaś, zapłacono, opłacono, pobraliśmy,
      obciążyliśmy, darowizn*, twoja wpłata
    `,
    failed: "płatność nieudana, płatność odrzucona, nie powiodła się",
    dateLabel: "data płatności, data wystawienia, data zakupu, data sprzedaży, zapłacono dnia",
    due: "termin płatności",
    merchantLabel: "sprzedawca, odbiorca płatności",
    methodLabel: "metoda płatności, sposób płatności, forma płatności, zapłacono, płatność",
    cardEnding: `
      kończąca się na, zakończona na, kończącą się na, zakończoną na, zakończonej na, kończącej się na,
      o końcówce
    `,
    paidWith: "zapłacono, opłacono, zapłaciłeś, zapłaciłaś, kartą, z karty, za pomocą, przez, poprzez",
    cash: `
      gotówka, gotówką, karta kredytowa, karta debetowa, karta płatnicza, kartą, przelew, przelewem,
      przelew bankowy, za pobraniem, polecenie zapłaty, karta podarunkowa
    `,
  },
};
