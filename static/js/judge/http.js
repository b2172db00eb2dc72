// Requests of the judgment screen. The CSRF token is read from its cookie each time:
// signing in changes it.

import { gettext } from "../words.js";

const cookie = (name) => document.cookie.split("; ")
  .find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";

/**
 * A request and what came of it; status 0 means that no answer came.
 * @param {string} url @param {{ method?: string, body?: object }} [options]
 * @returns {Promise<{ status: number, body: any }>}
 */
export async function send(url, { method = "POST", body } = {}) {
  const headers = { Accept: "application/json", "X-CSRFToken": cookie("csrftoken") };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const answer = await fetch(url, {
      method, headers, credentials: "same-origin", cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    let json = {};
    try { json = JSON.parse(text); } catch { /* a proxy's page */ }
    return { status: answer.status, body: json };
  } catch {
    return { status: 0, body: {} };
  }
}

// Whether the answer says that nobody is signed in (or the CSRF token is an old one).
export function isSignedOut({ status, body }) {
  return status === 401 || (status === 403 && body.error?.code !== "not_allowed");
}

// Signs in; resolves to "" or to what went wrong. The form's page sets a fresh token.
export async function signIn(url, username, password) {
  try {
    await fetch(url, { credentials: "same-origin", cache: "no-store" });
    const answer = await fetch(url, {
      method: "POST", credentials: "same-origin", redirect: "manual",
      headers: { "X-CSRFToken": cookie("csrftoken") },
      body: new URLSearchParams({ username, password }),
    });
    if (answer.type === "opaqueredirect") return "";
    if (answer.status === 429 || answer.status === 403) return gettext("Too many attempts: wait a while.");
    return gettext("That password does not fit.");
  } catch {
    return gettext("No connection to the server.");
  }
}

// Who is signed in in this browser, "" for nobody: each page says it.
export async function whoIsIn(url) {
  try {
    const answer = await fetch(url, { credentials: "same-origin", cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.documentElement.dataset.user ?? "";
  } catch {
    return "";
  }
}
