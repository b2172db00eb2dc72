// Messages of the managers, one at a time, the oldest first, until they are marked as read.

import { fill, gettext } from "../words.js";
import { send } from "./http.js";

const EVERY_MS = 60000; // between two looks for new ones

function messageRow({ about, flag, resolved, text, by, at }) {
  const row = document.createElement("li");
  const add = (content, kind) => {
    if (content) row.append(Object.assign(document.createElement("p"), { textContent: content, className: kind, dir: "auto" }));
  };
  const words = resolved ? gettext("About your flag “%(flag)s” on %(item)s, resolved") : gettext("About your flag “%(flag)s” on %(item)s");
  if (about) add(fill(words, { flag, item: about }), "soft small");
  add(text, "said");
  add([by, new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })].filter(Boolean).join(" · "), "soft small");
  return row;
}

/** @param {string} url @param {{ failed: (answer: any) => void }} on */
export function makeMessages(url, { failed }) {
  const place = document.getElementById("messages");
  let unread = [];

  function show(rows) {
    unread = rows;
    place.querySelector(".thread").replaceChildren(...rows.slice(-1).map(messageRow));
    place.hidden = !rows.length;
  }

  async function look() {
    if (document.hidden || !navigator.onLine) return;
    const answer = await send(url, { method: "GET" });
    if (answer.status === 200) show(answer.body.messages);
  }

  async function markRead() {
    const answer = await send(url, { body: { message: unread.at(-1).code } });
    if (answer.status === 204) show(unread.slice(0, -1));
    else failed(answer);
  }

  setInterval(look, EVERY_MS);
  return { show, markRead };
}
