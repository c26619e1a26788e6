import { find } from "./lib/dom.ts";
import { Announcer } from "./viewer/announcer.ts";
import { readLink } from "./viewer/place.ts";
import { Drafts } from "./viewer/draft.ts";
import { forgetSession, storedKnown, storedSession, storeSession, type Session } from "./viewer/session.ts";
import { SignIn } from "./viewer/sign-in.ts";
import { Viewer } from "./viewer/viewer.ts";

const announcer = new Announcer(find("[data-part=announcer]", HTMLElement));
const drafts = Drafts.stored();
let viewer: Viewer | null = null;

const signIn = new SignIn((session) => {
  storeSession(session);
  // Without the address that the link named: the next sign-in may be for another mailbox.
  history.replaceState(null, "", location.pathname + location.hash);
  open(session);
});

function open(session: Session): void {
  const restart = (): void => {
    viewer?.end();
    open(session);
  };
  viewer = new Viewer(session, announcer, { drafts, restart, signOut });
  viewer.start();
}

function signOut(reason = ""): void {
  forgetSession();
  drafts.end();
  viewer?.end();
  viewer = null;
  // The fragment refers to a mail of the mailbox that was signed out of.
  history.replaceState(null, "", location.pathname);
  signIn.show(reason);
}

const stored = storedSession();
// The console links to a mailbox by its address.
const link = readLink(location.search);
const wanted = link.address;
const shown = stored?.mailbox ?? storedKnown()?.mailbox ?? null;
const isOther = stored !== null && wanted !== null && shown !== wanted;
// Of a tab whose key is gone they are nobody's, and those of one mailbox are no other's.
if (stored === null || isOther) drafts.end();
// The operator's key opens the other mailbox too. The key of a mailbox opens that one alone, so nothing needs it any more.
if (stored === null || (isOther && stored.mailbox === null)) {
  forgetSession();
  signIn.show(link.isWrong ? "The link to this page does not name a mailbox." : "", wanted);
} else if (isOther) {
  const session = { ...stored, mailbox: wanted };
  storeSession(session);
  open(session);
} else open(stored);
