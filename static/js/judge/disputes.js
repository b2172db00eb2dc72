// Answers that the server did not take as they were sent: one question at a time.

import { gettext } from "../words.js";
import { askConflict } from "./dialogs.js";
import { say } from "./notice.js";

// `find`: the item of a code, if it is here; `empty`: called after the last decision.
export function makeDisputes({ notice, scales, outbox, empty, find }) {
  const refusals = []; // until the judge decides
  let asking = Promise.resolve();

  async function choose(message, stored) {
    const one = find(message.judgment);
    const said = await askConflict(message, stored, scales, one);
    if (said === "mine") return outbox().insist(message, stored.revision);
    if (one) Object.assign(one, { values: stored.values, revision: stored.revision });
    await outbox().drop(message);
    return say(gettext("Kept what was stored"), "good");
  }

  // The first that was not decided about; others, and what is said in place of an item, wait.
  function tell() {
    if (!refusals.length) return;
    const { message, error } = refusals[0];
    const decide = (act) => () => {
      refusals.shift();
      act(message);
      if (refusals.length) tell();
      else empty();
    };
    say(gettext("One answer was refused"), "bad");
    notice.refused(`${error.message || gettext("The server refused an answer.")} (${error.code})`, {
      again: decide(outbox().again),
      discard: decide(outbox().drop),
    });
  }

  return {
    tell,
    on: {
      conflict: (message, stored) => { asking = asking.then(() => choose(message, stored)); },
      refused: (message, error) => { refusals.push({ message, error }); tell(); },
    },
  };
}
