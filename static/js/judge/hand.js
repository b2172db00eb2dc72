// The items in hand: those still to judge, in memory and on this device.

import { send } from "./http.js";

const WANT = 4; // items a request asks for, until as many are ahead as the desk says
const PAUSE_MS = 300; // between requests that only fetch items

export const byCode = (cards) => Object.fromEntries(cards.map((one) => [one.code, one]));

/**
 * @param {{ url: string, kept: any, inView: () => any[], isAnswered: (code: string) => boolean,
 *   isBegun: (card: any) => boolean }} options `kept`: the hand on this device (device.js)
 */
export function makeHand({ url, kept, inView, isAnswered, isBegun }) {
  let cards = [];
  let ahead = WANT; // as many as the server wants here
  let isDry = false; // it had no more when it was asked last

  const held = () => [...cards, ...inView()].map((one) => one.code);
  const want = () => (cards.length < (isDry ? WANT : ahead) ? WANT : 0);

  // What is new; whether there was any.
  function take(more) {
    const known = new Set(held());
    const fresh = more.filter((one) => !known.has(one.code) && !isAnswered(one.code));
    cards.push(...fresh);
    if (fresh.length) kept.put(byCode(fresh));
    return fresh.length > 0;
  }

  return {
    take, held, want,
    get size() { return cards.length; },
    heard(status) { ahead = status.ahead ?? ahead; },
    set isDry(value) { isDry = value; },
    // In place of all others: those begun come first.
    fill(all) {
      cards = [];
      take(all);
      cards.sort((one, other) => Number(isBegun(other)) - Number(isBegun(one)));
    },
    putBack(group) { cards.unshift(...group); },
    // The next card; in the grid with all others of its phrase. Null: there is none.
    draw(isGrid) {
      const first = cards.shift();
      if (!first || !isGrid) return first ? [first] : null;
      const isSame = (one) => one.before === first.before && one.phrase === first.phrase && one.after === first.after;
      const rest = cards.filter(isSame);
      cards = cards.filter((one) => !isSame(one));
      return [first, ...rest];
    },
    // Items for a time without network, a few at a time, while nothing else is sent.
    async fetchAhead(isBusy) {
      while (cards.length && want() && navigator.onLine) {
        await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
        if (isBusy()) continue;
        const { status, body } = await send(url, { body: { want: WANT, held: held() } });
        if (status !== 200) return;
        isDry = !take(body.next);
        this.heard(body.status);
        if (isDry) return;
      }
    },
  };
}
