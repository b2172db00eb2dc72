// Requests of the judgment screen. The CSRF token is read from its cookie each time:
// signing in changes it.

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
