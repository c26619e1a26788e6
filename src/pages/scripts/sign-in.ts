// Leads who is signed in already on, to where the address of the page wanted to go.
import { forgetToken, isSignedIn, pageToken } from "./lib/operator-session.ts";

const next = document.querySelector<HTMLInputElement>("input[name=next]")?.value;
const token = pageToken();

if (next !== undefined && token !== null) {
  void isSignedIn().then((isIn) => {
    if (isIn === true) location.replace(next.replace("/operator", `/operator/${token}`));
    if (isIn === false) forgetToken();
  });
}
