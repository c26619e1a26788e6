import { find } from "./lib/dom.ts";
import { Announcer } from "./viewer/announcer.ts";
import { Drafts } from "./viewer/compose.ts";
import { forgetSession, storedSession, storeSession, type Session } from "./viewer/session.ts";
import { SignIn } from "./viewer/sign-in.ts";
import { Viewer } from "./viewer/viewer.ts";

const announcer = new Announcer(find("[data-part=announcer]", HTMLElement));
let viewer: Viewer | null = null;

const signIn = new SignIn((session) => {
  storeSession(session);
  open(session);
});

function open(session: Session, drafts = new Drafts()): void {
  viewer = new Viewer(session, announcer, { drafts, restart: () => restart(session, drafts), signOut });
  viewer.start();
}

function restart(session: Session, drafts: Drafts): void {
  viewer?.end();
  open(session, drafts);
}

function signOut(reason = ""): void {
  forgetSession();
  viewer?.end();
  viewer = null;
  // The fragment refers to a mail of the mailbox that was signed out of.
  history.replaceState(null, "", location.pathname);
  signIn.show(reason);
}

const session = storedSession();
if (session === null) signIn.show();
else open(session);
