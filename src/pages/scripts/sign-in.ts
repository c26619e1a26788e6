// If the browser is signed in already, goes on to the page that the URL names.
import { forgetToken, isSignedIn, pageToken } from "./lib/operator-session.ts";

const next = document.querySelector<HTMLInputElement>("input[name=next]")?.value;
const token = pageToken();

if (next !== undefined && token !== null) {
  void isSignedIn().then((isIn) => {
    if (isIn === true) location.replace(next.replace("/operator", `/operator/${token}`));
    if (isIn === false) forgetToken(token);
  });
}
