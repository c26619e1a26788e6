/**
 * For each letter, all letters by how often they follow it in English words and in the words of programs, most frequent first.
 * Counted over 20,000 such words.
 */
export const LETTERS_AFTER: Readonly<Record<string, string>> = {
  a: "tnrlscdimbpgukyvfweahxzjoq",
  b: "leuaoirsyjcdtbmpgfhnzxkvqw",
  c: "ohetaklirucspymdbfvgnzjqwx",
  d: "eiaousrdlcfygbmtvnhkpwjxzq",
  e: "rnsdcltamxpevfgibywqoujkhz",
  f: "ioefarutlsydcbnmgxphwqkjvz",
  g: "eirhanosulgmptcfydzvbwjkxq",
  h: "eaoitrunmysldkgwpbcjhqvxfz",
  i: "ntosclembagdvrfpzxkuijhyqw",
  j: "eaosuipcdrbknwlmtgqfhjvyzx",
  k: "eiasouhnltrdypgfmkbwjzcvqx",
  l: "iealoysutdvfmbpgckrnhzxwqj",
  m: "aeipomsubldtyncgkrjxvfhwqz",
  n: "tgsedacioufnkvylprmjhbzwqx",
  o: "nrmuldsptcwvofgbkiaeyxhjzq",
  p: "eraoltipushycdmgknfvwbjxqz",
  q: "ulisotahjmdrpvcewzqfxnygbk",
  r: "eiaostrmydcnugklvpfbwhzjqx",
  s: "teisouhacpylkmfnrwvdgqzbjx",
  t: "eiahrostyulcpwmdfnkzbgjxvq",
  u: "ntrslbmepicadgfkxozvyuhjwq",
  v: "eiaosgmcntrulpdykxbjvfzwhq",
  w: "aieohrsnlwcdtmgykbufpxjqvz",
  x: "tpeciamxdsyofhlubnzvrgkjwq",
  y: "psaonermtilucgbwdzyfkvhxjq",
  z: "eaiozhlyumstbrknpwdxgjfvcq",
};
