/**
 * Pictures of actions and places: lines on a field of 16 by 16, as the `d` of an SVG path. A name stands beside each, in words
 * or for screen readers.
 */
export const ICONS = {
  back: "M10 3 5 8l5 5",
  ban: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM4 4l8 8",
  book: "M8 4C6.5 3 4.5 2.5 2 2.5v10c2.5 0 4.5.5 6 1.5 1.5-1 3.5-1.5 6-1.5v-10c-2.5 0-4.5.5-6 1.5Zm0 0v10",
  check: "M3 8.5 6.5 12 13 4.5",
  clip: "m13 7.5-5 5A3.2 3.2 0 0 1 3.5 8l5-5a2.1 2.1 0 0 1 3 3l-5 5a1 1 0 0 1-1.5-1.5l4.5-4.5",
  close: "m4 4 8 8m0-8-8 8",
  compose: "M11 2.5 13.5 5 6 12.5l-3.5 1 1-3.5L11 2.5Z",
  copy: "M5.5 5.5h8v8h-8zm5 0v-3h-8v8h3",
  forward: "m10 4 3.5 3.5L10 11m3.5-3.5H7A4.5 4.5 0 0 0 2.5 12v.5",
  hidden: "M2 8c1.5-2.5 3.5-4 6-4s4.5 1.5 6 4c-1.5 2.5-3.5 4-6 4s-4.5-1.5-6-4Zm1-6 10 12",
  inbox: "M2 9.5 4 3h8l2 6.5V13H2V9.5Zm0 0h3.5l1 2h3l1-2H14",
  key: "M5 13.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5Zm2-4.7L13 2.5m-2.5 2.6 2.2 2.2",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h0m2.5 0h0m2.5 0h0m2.5 0h0M5 9.5h6",
  label: "M2.5 2.5h5l6 6-5 5-6-6v-5Zm3 3h0",
  more: "M3.5 8h0M8 8h0m4.5 0h0",
  next: "m6 3 5 5-5 5",
  open: "M8.5 3H13v4.5M13 3 7 9M6 4H3v9h9v-3",
  pause: "M5.5 3.5v9m5-9v9",
  play: "m5 3 7.5 5L5 13V3Z",
  reply: "M6 4 2.5 7.5 6 11M2.5 7.5H9a4.5 4.5 0 0 1 4.5 4.5v.5",
  "reply-all": "M8.5 4 5 7.5 8.5 11M5 4 1.5 7.5 5 11m0-3.5h5a4 4 0 0 1 4 4v1",
  rules: "M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4L8 2Z",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.5-1.5L14 14",
  send: "M14 2 2 7l5 2 2 5 5-12ZM7 9l3.5-3.5",
  settings:
    "M2 4.5h5.5m4 0H14M2 11.5h2.5m4 0H14M7.5 4.5a2 2 0 1 0 4 0 2 2 0 0 0-4 0Zm-3 7a2 2 0 1 0 4 0 2 2 0 0 0-4 0Z",
  "sign-out": "M6 2.5H3v11h3M7 8h7m-2.5-2.5L14 8l-2.5 2.5",
  source: "m5.5 4.5-4 3.5 4 3.5m5-7 4 3.5-4 3.5",
  thread: "M2 2.5h8.5v6H6L4 10.5v-2H2v-6Zm6.5 8v1H11l2 2v-2h1v-5h-1",
  trash: "M3 4.5h10m-6.5 0v-2h3v2m-5 0 .5 9h6l.5-9",
  unread: "M13.5 6.5V13h-11V4h7m-7 .5L8 9l2.5-2M14 3.5a1.5 1.5 0 1 0-3 0 1.5 1.5 0 0 0 3 0Z",
  webhook: "M5.2 6.8a3 3 0 1 1 4.3-.5L12 11M7.5 5 5 10.2m-.5 0a2 2 0 1 0 1.9 2.3H12a1.5 1.5 0 1 0 0-1.5",
} as const;

export type IconName = keyof typeof ICONS;
