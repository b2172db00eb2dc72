// Signing in over the page, where a session has ended: nothing that was typed goes away.
// Forms ask whether somebody is still signed in before they leave the page.

import { fill, gettext } from "./words.js";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
const cookie = (name) => document.cookie.split("; ")
  .find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
const me = () => document.documentElement.dataset.user ?? ""; // a kept page learns it late
const address = () => byId("signing-in").dataset.url;
/** @type {Promise<boolean> | null} */
let asking = null;

// Signs in; resolves to "" or to what went wrong. The form's page sets a fresh token.
async function signIn(password) {
  const url = address();
  try {
    await fetch(url, { credentials: "same-origin", cache: "no-store" });
    const answer = await fetch(url, {
      method: "POST", credentials: "same-origin", redirect: "manual",
      headers: { "X-CSRFToken": cookie("csrftoken") },
      body: new URLSearchParams({ username: me(), password }),
    });
    if (answer.type === "opaqueredirect") return "";
    if (answer.status === 429 || answer.status === 403) return gettext("Too many attempts. Wait a while.");
    return gettext("Wrong password.");
  } catch {
    return gettext("No connection to the server.");
  }
}

// Who is signed in in this browser, "" for nobody, null where no answer came: each page says it.
async function whoIsIn() {
  try {
    const answer = await fetch(address(), { credentials: "same-origin", cache: "no-store" });
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.documentElement.dataset.user ?? "";
  } catch {
    return null;
  }
}

/**
 * Asks for the password over the page; resolves to whether the same person is in again.
 * Who asks while it is asked waits for the same answer.
 */
export function askSignIn() {
  asking ??= ask().finally(() => { asking = null; });
  return asking;
}

function ask() {
  if (!byId("sign-in-dialog")) document.body.append(byId("signing-in").content.cloneNode(true));
  const dialog = byId("sign-in-dialog"), problem = byId("sign-in-problem"), password = byId("sign-in-password");
  const user = me();
  byId("sign-in-name").value = user;
  password.value = "";
  problem.textContent = "";
  byId("sign-in").onsubmit = async (event) => {
    event.preventDefault();
    problem.textContent = await signIn(password.value);
    if (!problem.textContent) dialog.close("in");
    else password.select();
  };
  byId("sign-in-later").onclick = () => dialog.close("");
  const elsewhere = byId("sign-in-elsewhere"); // where people sign in by a provider, too
  if (elsewhere) elsewhere.onclick = async () => {
    const who = await whoIsIn();
    if (who === user) return dialog.close("in");
    // What waits is this person's: it is not sent in another's name.
    problem.textContent = who
      ? fill(gettext("You are signed in as %(who)s, not as %(user)s."), { who, user })
      : gettext("You are not signed in yet.");
  };
  dialog.returnValue = "";
  dialog.showModal();
  password.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "in") renewTokens();
      resolve(dialog.returnValue === "in");
    }, { once: true });
  });
}

// Signing in changes the token that every form sends along.
function renewTokens() {
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[name=csrfmiddlewaretoken]"))) {
    field.value = cookie("csrftoken");
  }
}

/** @param {HTMLFormElement} form */
const holdsWork = (form) => form.matches("[data-draft]") || form.querySelector("textarea, input:not([type=hidden]), select") !== null;

/** Forms that hold something are sent once it is known that their person is signed in. */
export function guardForms() {
  const sure = new WeakSet();
  const waiting = new WeakSet();
  // on the window: scripts that send a form themselves have said so by then
  window.addEventListener("submit", async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (event.defaultPrevented || !me() || form.method !== "post" || form.target || !holdsWork(form)) return;
    if (sure.delete(form)) return;
    event.preventDefault();
    if (waiting.has(form)) return; // a second click, while the first is on its way
    waiting.add(form);
    const who = await whoIsIn();
    const isIn = who === me() || who === null || await askSignIn();
    waiting.delete(form);
    if (!isIn) return;
    sure.add(form);
    form.requestSubmit(event.submitter);
  });
}
