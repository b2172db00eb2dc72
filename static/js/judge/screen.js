// The judgment screen: items in hand, the one in view, those behind, and the outbox.

import { fill, gettext, ngettext } from "../words.js";
import { makeCard } from "./card.js";
import { makeClock } from "./clock.js";
import { forgetOthers, keepShell, onForgotten, openHand, remember, remembered } from "./device.js";
import { askFlag, askSettings, askSkip, isNew, nameKeys, showGuideline, showHelp } from "./dialogs.js";
import { makeDisputes } from "./disputes.js";
import { makeDrafts } from "./drafts.js";
import { byCode, makeHand } from "./hand.js";
import { makeNotice, say } from "./notice.js";
import { isSignedOut, send } from "./http.js";
import { listen } from "./keys.js";
import { makeMessages } from "./messages.js";
import { makeOutbox } from "./outbox.js";
import { counted, makeProgress, makeStretch, midnight } from "./progress.js";
import { openStore } from "./store.js";
import { askSignIn } from "../signing.js";

const GRACE_MS = 400;
const RECOUNT = 10; // answers between two looks at how many are left
const RETRY_MS = 15_000;
const config = JSON.parse(document.getElementById("judge-config").textContent);
const isShell = !config.shell; // this page came from this device, which knows for whom
if (isShell) document.documentElement.dataset.user = config.user = remembered();
const progress = makeProgress();
const stretch = makeStretch(config.user);
const card = makeCard(config.scales);
const clock = makeClock();
const drafts = makeDrafts(config.user, config.campaign);
const notice = makeNotice({ look, offerSkipped });
const disputes = makeDisputes({
  notice, scales: config.scales, outbox: () => outbox, empty: () => group || empty(),
  find: (code) => [...behind.flat(), ...(group ?? [])].find((one) => one.code === code),
});
const messages = makeMessages(config.messages, {
  failed: (answer) => (isSignedOut(answer) ? signedOut() : say(gettext("No connection"), "warn")),
});
let { preference } = config;
let kept;                // items ahead on this device
let isAway = false;      // what is in view comes from this device: the server was not asked
/** @type {{ guideline: any, status: any, [part: string]: any }} */
let desk = { guideline: { number: 0, text: "" }, status: { done: 0, expected: 0 } };
let hand;          // cards still to judge
let group = null;  // cards in view
let behind = [];   // groups answered, oldest first
let at = null;     // place in `behind` when looking back, else null
let grace = 0;
let uncounted = 0; // answers since the server was asked how many are left
let outbox;

const keys = () => ({ ...config.keys, ...preference.keys });
const unsentWords = (n) => fill(gettext("%(n)s unsent"), { n });
const time = () => new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

async function start() {
  if (!isShell) await forgetOthers(config.user).then(() => remember(config.user));
  if (!config.user) return notice.problem(gettext("No one is signed in on this device. Go online, then sign in."), () => location.reload());
  kept = await openHand(config.user, config.campaign);
  const store = await openStore(config.user, config.campaign);
  outbox = makeOutbox({
    store, url: config.answers,
    wish: () => ({ want: hand.want(), held: [...hand.held(), ...outbox.codes] }),
    on: { saved, signedOut, ...disputes.on, change: unsent },
  });
  hand = makeHand({
    url: config.desk, kept, inView: () => (at === null && group ? group : []),
    isAnswered: outbox.holds, isBegun: (one) => Boolean(draftOf(one)),
  });
  await outbox.load();
  nameKeys(keys(), preference.has_single_keys);
  if (!store.isSafe) notice.warn(gettext("This browser cannot store anything: answers wait in this tab only."));
  await look();
  if (preference.daily_goal) await recount({ since: midnight() }); // while nothing is on its way
  outbox.pump();
  await hand.fetchAhead(isSending);
  return isShell ? undefined : keepShell(config);
}

const isSending = () => outbox.size > 0;
const inGroup = (code) => group.find((one) => one.code === code);
const draftOf = (one) => drafts.of(one.code, one.revision);

// Fetch the desk; what waits in the outbox is answered already.
async function look() {
  const answer = await send(config.desk, { method: "GET" });
  if (isSignedOut(answer)) return signedOut(look);
  if (answer.status !== 200) {
    if (isAway || await restore()) return setTimeout(lookAgain, RETRY_MS);
    say(gettext("No connection"), "warn");
    notice.problem(answer.body.error?.message ?? gettext("The server cannot be reached."), look);
    return undefined;
  }
  desk = answer.body;
  isAway = hand.isDry = false;
  kept.fill({ desk: { ...desk, next: [], recent: [], messages: [], preference }, ...byCode(desk.next.filter((one) => !outbox.holds(one.code))) });
  addDone(outbox.uncounted(new Set(desk.recent.map((one) => one.code))));
  hand.heard(desk.status);
  hand.fill(desk.next); // all that are one's own
  messages.show(desk.messages);
  if (!behind.length) behind = desk.recent.filter((one) => !outbox.holds(one.code)).reverse().map((one) => [one]);
  if (!outbox.size) say(gettext("Ready"), "good");
  if (isNew(desk.guideline)) await read();
  if (!group) advance();
  return undefined;
}

// Without network: the items that this device kept; false if there are none.
async function restore() {
  const { desk: before, status, ...cards } = Object.fromEntries(await kept.all());
  if (!before || group) return false;
  isAway = true;
  desk = { ...before, status: status ?? before.status };
  addDone(outbox.uncounted(new Set()));
  preference = before.preference;
  nameKeys(keys(), preference.has_single_keys);
  hand.fill(Object.values(cards));
  unsent(outbox.size, false);
  advance();
  return true;
}

function addDone(n) {
  desk.status.done += n;
  desk.status.today = counted(desk.status.today, n);
}

const lookAgain = () => { if (isAway && !outbox.size) look(); };

// The guidelines, before the first item and again when they have changed.
async function read() {
  await showGuideline(desk.guideline);
  const { number } = desk.guideline;
  if (!isNew(desk.guideline)) return;
  desk.guideline.seen = number;
  send(config.guideline, { body: { number } });
}

// A new version came while the page was open: it is shown with the next look.
async function renew(number) {
  if (number === undefined || number === desk.guideline.number) return;
  const answer = await send(config.desk, { method: "GET" });
  if (answer.status !== 200) return;
  desk.guideline = answer.body.guideline;
  hand.take(answer.body.next);
  await read();
}

function advance() {
  at = null;
  group = hand.draw(desk.mode === "grid");
  if (!group) return empty();
  notice.hide();
  return show();
}

function show() {
  for (const one of group) one.revision = outbox.seen(one.code, one.revision);
  card.show(group, draftOf);
  clock.start();
  count();
  card.begin();
}

function count() {
  const isTraining = group[0].training;
  progress.show(desk.status, { isTraining, back: at === null ? 0 : behind.length - at, goal: preference.daily_goal });
}

const isOffline = () => isAway || outbox.isRetrying || !navigator.onLine;

function empty() {
  card.hide();
  group = null;
  progress.empty(desk.status, preference.daily_goal);
  const waiting = isOffline() ? { state: "offline" } : { state: "sending" };
  notice.show(isOffline() || outbox.size ? waiting : desk.status);
  disputes.tell();
}

function stopGrace() {
  clearTimeout(grace);
  grace = 0;
}

function save() {
  stopGrace();
  const answers = group && card.answers();
  if (!answers) return;
  const active = Math.round(clock.read() / answers.length);
  for (const { card: one, values, note } of answers) {
    Object.assign(inGroup(one.code), { values, comment: note });
    const message = {
      verb: "save", judgment: one.code, seen: one.revision, values, note, active_ms: active,
      shown: one.before + one.paraphrase + one.after,
    };
    outbox.add(message).then(() => { // first the answer is kept
      drafts.drop(one.code);
      kept.drop(one.code);
    });
  }
  say(gettext("Saving …"));
  notice.unwarn();
  const isTraining = group.some((one) => one.training);
  if (at === null) {
    if (!isTraining) behind.push(group);
    addDone(isTraining ? 0 : group.length);
    uncounted += isTraining ? 0 : group.length;
  }
  if (stretch.isLong()) document.getElementById("pause").hidden = false;
  if (isTraining) wait();
  else forward();
}

// After training the right answer is shown before the next item.
function wait() {
  card.hide({ withTexts: false });
  group = null;
  notice.show({ state: "sending" });
}

function saved(message, body) {
  const when = body.saved.late ? gettext("Saved late %(time)s") : gettext("Saved %(time)s");
  if (outbox.size) say(fill(gettext("Sending: %(n)s to go"), { n: outbox.size }), "", unsentWords(outbox.size));
  else if (message.verb !== "flag") say(fill(when, { time: time() }), "good", gettext("Saved"));
  if (body.saved.withdrawn) notice.warn(gettext("That item was withdrawn in the meantime; your answer is kept."));
  hand.take(body.next);
  if (body.status) stand(body.status);
  keepStatus();
  if (uncounted >= RECOUNT && !outbox.size) recount(); // the server knows them all
  if (body.status) hand.isDry = true; // it comes with the last items
  if (isAway && !outbox.size) return look();
  if (body.training) desk.status.training = body.training;
  if (body.feedback) return feedback(body.feedback, message.values);
  if (!group) return hand.size || outbox.size ? advance() : look();
  if (body.status && !["ready", "training"].includes(body.status.state)) notice.standing(body.status);
  return undefined;
}

// As the server counts: what waits in the outbox is added when it is read.
function keepStatus() {
  const waiting = outbox.uncounted(new Set());
  const { done, today } = desk.status;
  kept.put({ status: { ...desk.status, done: done - waiting, today: counted(today, -waiting) } });
}

// What the server counts, with what is answered here and not there yet.
function stand(status) {
  hand.heard(status);
  const waiting = Math.max(desk.status.done - status.done, 0);
  const today = status.today === undefined ? desk.status.today : { day: midnight(), n: status.today + waiting };
  desk.status = { ...status, today, done: status.done + waiting, left: Math.max(status.left - waiting, 0) };
  renew(status.guideline);
}

// Others take items, too: from time to time ask how many are left.
async function recount(more = {}) {
  uncounted = 0;
  const answer = await send(config.desk, { body: { want: 0, held: hand.held(), ...more } });
  if (answer.status !== 200 || !answer.body.status) return;
  hand.isDry = false;
  stand(answer.body.status);
  if (group) count();
}

function feedback(told, values) {
  notice.hide();
  notice.feedback(told, values, config.scales, () => (hand.size ? advance() : look()));
}

function unsent(n, isWriting) {
  if (isWriting || !outbox || !isOffline()) return;
  const text = ngettext("%(n)s answer saved on this device, not sent yet", "%(n)s answers saved on this device, not sent yet", n);
  if (n) say(fill(text, { n }), "warn", unsentWords(n));
  else if (isAway) say(gettext("Offline: using the items on this device"), "warn", gettext("Offline"));
}

async function signedOut(after = () => outbox.pump()) {
  const waiting = fill(gettext("Signed out: %(n)s not sent yet"), { n: outbox.size });
  say(outbox.size ? waiting : gettext("Signed out"), "bad", gettext("Signed out"));
  if (await askSignIn()) {
    say(gettext("Signed in"), "good");
    after();
  } else {
    notice.problem(gettext("You are signed out. Your answers wait here."), () => signedOut(after));
  }
}

async function skip() {
  if (!group || at !== null) return;
  stopGrace();
  const asked = group;
  const reason = await askSkip();
  if (!reason || group !== asked) return;
  for (const one of asked) {
    drafts.drop(one.code);
    outbox.add({ verb: "skip", judgment: one.code, seen: one.revision, ...reason, shown: "" }).then(() => kept.drop(one.code));
  }
  advance();
}

async function flag() {
  const one = card.inHand();
  if (!one) return;
  stopGrace();
  const note = await askFlag(one.flag);
  if (note === null) return;
  inGroup(one.code).flag = note;
  outbox.add({ verb: "flag", judgment: one.code, seen: one.revision, note, shown: "" });
  say(note ? gettext("Flagged") : gettext("Flag removed"), "good");
}

function back() {
  const to = (at ?? behind.length) - 1;
  if (grace) return undo();
  if (to < 0) return say(gettext("Nothing before this"), "");
  if (at === null && group) hand.putBack(group);
  at = to;
  group = behind[to];
  notice.hide();
  return show();
}

function forward() {
  if (at === null) return advance();
  at += 1;
  if (at >= behind.length) return advance();
  group = behind[at];
  return show();
}

function undo() {
  if (!grace) return back();
  stopGrace();
  return say(gettext("Not saved yet"));
}

async function offerSkipped() {
  const answer = await send(config.desk, { body: { skipped: true } });
  if (isSignedOut(answer)) return signedOut(offerSkipped);
  if (answer.status !== 200) return notice.problem(gettext("The server cannot be reached."), offerSkipped);
  hand.take(answer.body.next);
  return advance();
}

async function settings() {
  const keep = (chosen) => {
    preference = chosen;
    nameKeys(keys(), preference.has_single_keys);
    if (preference.daily_goal) recount({ since: midnight() });
    else if (group) count();
  };
  await askSettings({ url: config.preferences, preference, keys: keys(), first: config.keys, keep });
}

// What is begun stays, whatever becomes of the page.
function keepDraft() {
  for (const { card: one, values, comment } of card.begun()) drafts.keep(one.code, one.revision, values, comment);
}

function discard() {
  for (const one of group ?? []) drafts.drop(one.code);
  show();
}

function changed() {
  if (!outbox.size) say(card.isComplete() ? gettext("Ready to save") : gettext("Half done"));
  if (!preference.auto_advance || card.isOpenEnded || !card.isComplete() || grace) return;
  say(fill(gettext("Saving in 0.4 s: %(key)s cancels"), { key: keys().undo }), "", gettext("Saving …"));
  grace = setTimeout(save, GRACE_MS);
}

const commands = {
  save, skip, flag, back, forward, undo, settings, discard,
  heard: () => messages.markRead(),
  digit: (sign) => { card.digit(sign); },
  first: () => card.scale(0),
  second: () => card.scale(1),
  comment: () => card.comment(),
  leave: () => card.leave(),
  guideline: () => read(),
  diff: () => card.toggleDiff(),
  expand: () => card.expand(),
  help: () => showHelp(),
  rest: () => { document.getElementById("pause").hidden = true; },
  close: (event) => event.target.closest("dialog").close(""),
};

listen({
  keys, preference: () => preference,
  act(command, detail) {
    if (notice.isFeedback && command === "save") notice.goOn();
    else if (card.isShown || ["help", "guideline", "undo", "back"].includes(command)) commands[command](detail);
  },
});
document.addEventListener("click", (event) => commands[event.target.closest("[data-do]")?.dataset.do]?.(event));
document.getElementById("card").addEventListener("submit", (event) => { event.preventDefault(); save(); });
document.getElementById("card").addEventListener("input", keepDraft);
document.getElementById("card").addEventListener("change", () => { keepDraft(); changed(); });
// The account signed out in another tab: what is in view is not for whoever comes next.
onForgotten(config.user, () => {
  if (at === null && group) hand.putBack(group);
  at = null;
  empty();
  signedOut(() => { remember(config.user); look(); });
});
window.addEventListener("online", () => { outbox?.pump(); lookAgain(); hand?.fetchAhead(isSending); });
window.addEventListener("beforeunload", (event) => { if (outbox?.size) event.preventDefault(); });
start();
