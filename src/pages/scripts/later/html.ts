/** The part that shows the HTML of a mail, with the sanitiser: loaded with the first such mail. */
export { buildMail } from "../viewer/mail-html.ts";
